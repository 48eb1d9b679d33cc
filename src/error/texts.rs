//! Texts of client errors that are known by their number only: what a method of the program returns.
//!
//! Only the numbers of `errmsg.h`; each original prints its table's text, libmysqlclient with the places for arguments left
//! in it, Connector/C with whatever lies where its arguments would: here nothing.

use crate::options::Family;

/// The text of a number in a family.
pub(super) fn of(family: Family, code: u32) -> String {
    let text = match family {
        Family::MySql => mysql(code),
        Family::MariaDb => mariadb(code),
    };
    match (family, text) {
        (_, Some(text)) => text.to_owned(),
        (Family::MySql, None) => "Unknown MySQL error".to_owned(),
        (Family::MariaDb, None) => format!("Unknown or undefined error code ({code})"),
    }
}

fn mysql(code: u32) -> Option<&'static str> {
    Some(match code {
        2001 => "Can't create UNIX socket (%d)",
        2002 => "Can't connect to local MySQL server through socket '%-.100s' (%d)",
        2003 => "Can't connect to MySQL server on '%-.100s:%u' (%d)",
        2004 => "Can't create TCP/IP socket (%d)",
        2005 => "Unknown MySQL server host '%-.100s' (%d)",
        2006 => "MySQL server has gone away",
        2007 => "Protocol mismatch; server version = %d, client version = %d",
        2008 => "MySQL client ran out of memory",
        2009 => "Wrong host info",
        2010 => "Localhost via UNIX socket",
        2011 => "%-.100s via TCP/IP",
        2012 => "Error in server handshake",
        2013 => "Lost connection to MySQL server during query",
        2014 => "Commands out of sync; you can't run this command now",
        2015 => "Named pipe: %-.32s",
        2016 => "Can't wait for named pipe to host: %-.64s  pipe: %-.32s (%lu)",
        2017 => "Can't open named pipe to host: %-.64s  pipe: %-.32s (%lu)",
        2018 => "Can't set state of named pipe to host: %-.64s  pipe: %-.32s (%lu)",
        2019 => "Can't initialize character set %-.32s (path: %-.100s)",
        2020 => "Got packet bigger than 'max_allowed_packet' bytes",
        2021 => "Embedded server",
        2022 => "Error on SHOW REPLICA STATUS:",
        2023 => "Error on SHOW REPLICA HOSTS:",
        2024 => "Error connecting to replica:",
        2025 => "Error connecting to source:",
        2026 => "SSL connection error: %-.100s",
        2027 => "Malformed packet",
        2028 => "This client library is licensed only for use with MySQL servers having '%s' license",
        2029 => "Invalid use of null pointer",
        2030 => "Statement not prepared",
        2031 => "No data supplied for parameters in prepared statement",
        2032 => "Data truncated",
        2033 => "No parameters exist in the statement",
        2034 => "Invalid parameter number",
        2035 => "Can't send long data for non-string/non-binary data types (parameter: %d)",
        2036 => "Using unsupported buffer type: %d  (parameter: %d)",
        2037 => "Shared memory: %-.100s",
        2038 => "Can't open shared memory; client could not create request event (%lu)",
        2039 => "Can't open shared memory; no answer event received from server (%lu)",
        2040 => "Can't open shared memory; server could not allocate file mapping (%lu)",
        2041 => "Can't open shared memory; server could not get pointer to file mapping (%lu)",
        2042 => "Can't open shared memory; client could not allocate file mapping (%lu)",
        2043 => "Can't open shared memory; client could not get pointer to file mapping (%lu)",
        2044 => "Can't open shared memory; client could not create %s event (%lu)",
        2045 => "Can't open shared memory; no answer from server (%lu)",
        2046 => "Can't open shared memory; cannot send request event to server (%lu)",
        2047 => "Wrong or unknown protocol",
        2048 => "Invalid connection handle",
        2049 => {
            "Connection using old (pre-4.1.1) authentication protocol refused (client option 'secure_auth' enabled)"
        }
        2050 => "Row retrieval was canceled by mysql_stmt_close() call",
        2051 => "Attempt to read column without prior row fetch",
        2052 => "Prepared statement contains no metadata",
        2053 => "Attempt to read a row while there is no result set associated with the statement",
        2054 => "This feature is not implemented yet",
        2055 => "Lost connection to MySQL server at '%s', system error: %d",
        2056 => "Statement closed indirectly because of a preceding %s() call",
        2057 => {
            "The number of columns in the result set differs from the number of bound buffers. You must \
             reset the statement, rebind the result set columns, and execute the statement again"
        }
        2058 => "This handle is already connected. Use a separate handle for each connection.",
        2059 => "Authentication plugin '%s' cannot be loaded: %s",
        2060 => "There is an attribute with the same name already",
        2061 => "Authentication plugin '%s' reported error: %s",
        2062 => "Insecure API function call: '%s' Use instead: '%s'",
        2063 => "File name is too long",
        2064 => "Set FIPS mode ON/STRICT failed",
        2065 => "Compression protocol not supported with asynchronous protocol",
        2066 => "Connection failed due to wrongly configured compression algorithm",
        2067 => "SSO user not found, Please perform SSO authentication using kerberos.",
        2068 => "LOAD DATA LOCAL INFILE file request rejected due to restrictions on access.",
        2069 => "Determining the real path for '%s' failed with error (%d): %s",
        2070 => "DNS SRV lookup failed with error : %d",
        2071 => "Client does not recognise tracker type %d marked as mandatory by server.",
        2072 => {
            "Invalid first argument for MYSQL_OPT_USER_PASSWORD option. Valid value should be between 1 and \
             3 inclusive."
        }
        2073 => "Can't get session data: %s",
        2074 => {
            "'%-.32s' character set is having more than 1 byte minimum character length, which cannot be \
             used as a client character set. Please use any of the single byte minimum ones, e.g. utf8mb4, \
             latin1 etc."
        }
        2075 => "Server rejected the ssl handshake for specified sni servername, sslerror: %-.100s",
        _ => return None,
    })
}

fn mariadb(code: u32) -> Option<&'static str> {
    Some(match code {
        2001 => "Can't create UNIX socket (0)",
        2002 => "Can't connect to local server through socket '(null)' (0)",
        2003 => "Can't connect to server on '(null)' (0)",
        2004 => "Can't create TCP/IP socket (0)",
        2005 => "Unknown server host '(null)' (0)",
        2006 => "Server has gone away",
        2007 => "Protocol mismatch. Server Version = 0 Client Version = 0",
        2008 => "Client run out of memory",
        2009 => "Wrong host info",
        2010 => "Localhost via UNIX socket",
        2011 => "(null) via TCP/IP",
        2012 => "Error in server handshake",
        2013 => "Lost connection to server during query",
        2014 => "Commands out of sync; you can't run this command now",
        2015 => "(null) via named pipe",
        2016 => "Can't wait for named pipe to host: (null)  pipe: (null) (0)",
        2017 => "Can't open named pipe to host: (null)  pipe: (null) (0)",
        2018 => "Can't set state of named pipe to host: (null)  pipe: (null) (0)",
        2019 => "Can't initialize character set (null) (path: (null))",
        2020 => "Got packet bigger than 'max_allowed_packet'",
        2026 => "TLS/SSL error: (null)",
        2027 => "Received malformed packet",
        2030 => "Statement is not prepared",
        2031 => "No data supplied for parameters in prepared statement",
        2032 => "Data truncated",
        2034 => "Invalid parameter number",
        2035 => "Invalid buffer type: 0 (parameter: 0)",
        2036 => "Buffer type is not supported",
        2037 => "Shared memory: (null)",
        2038 => "Shared memory connection failed during (null). (0)",
        2047 => "Wrong or unknown protocol",
        2049 => "Connection with old authentication protocol refused.",
        2052 => "Prepared statement contains no metadata",
        2054 => "This feature is not implemented or disabled",
        2055 => "Lost connection to server at '(null)', system error: 0",
        2056 => "Server closed statement due to a prior (null) function call",
        2057 => "The number of parameters in bound buffers differs from number of columns in resultset",
        2058 => "Can't connect twice. Already connected",
        2059 => "Plugin (null) could not be loaded: (null)",
        2060 => "An attribute with same name already exists",
        2061 => "Plugin doesn't support this function",
        5001 => "Bind to local interface '(null)' failed (Errorcode: 0)",
        5002 => "Connection type doesn't support asynchronous IO operations",
        5003 => "Server doesn't support function '(null)'",
        5004 => "File '(null)' not found (Errcode: 0)",
        5005 => "Error reading file '(null)' (Errcode: 0)",
        5006 => "Bulk operation without parameters is not supported",
        5007 => "Invalid statement handle",
        5008 => "Unsupported version 0. Supported versions are in the range -0 - -0",
        5009 => "Invalid or missing parameter '(null)'.",
        5010 => "Authentication plugin '(null)' couldn't be found in restricted_auth plugin list.",
        5011 => "Parse error in connection string (offset 0)",
        5012 => "Error while loading plugin '(null)'",
        5013 => "Read error: (null) (0)",
        5014 => "Write error: (null) (0)",
        5015 => "Error while uncompressing packet",
        5016 => "Error while retrieving parameter from callback function",
        5017 => "Error while uncompressing packet (File: (null) start_pos=0).",
        5018 => {
            "Checksum verification failed (File: (null) start_pos=0). Reported checksum is 0, while \
             calculated checksum is 0."
        }
        5019 => "Binary log protocol error (File: (null) start_pos=0): Log format -0 not supported.",
        5020 => "Binary log error (File: (null) start_pos=0): Unknown event type (0) with flag 'not_ignorable'.",
        5021 => "Binary log error (File: (null) start_pos=0): .",
        5022 => "File '(null)' is not a binary log file",
        5023 => "Semi sync request error: (null)",
        5024 => "Invalid client flags (0) specified. Supported flags: 0",
        5026 => "Server returned an error packet without further information",
        2021 | 2022 | 2023 | 2024 | 2025 | 2028 | 2029 | 2033 | 2039 | 2040 | 2041 | 2042 | 2043 | 2044 | 2045
        | 2046 | 2048 | 2050 | 2051 | 2053 | 5025 => "",
        _ => return None,
    })
}
