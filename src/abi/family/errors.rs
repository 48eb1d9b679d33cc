//! Client error numbers (`CR_*`) under the names of the two families' `errmsg.h`. Their texts are in `crate::error`.
//!
//! Facts only.

#![allow(missing_docs)]

/// libmysqlclient 9.7.
pub mod mysql {
    use std::ffi::c_uint;

    /// First number in use
    pub const CR_ERROR_FIRST: c_uint = 2000;
    /// Lowest client error number
    pub const CR_MIN_ERROR: c_uint = 2000;
    /// Unspecified client-side failure
    pub const CR_UNKNOWN_ERROR: c_uint = 2000;
    /// Could not create the unix socket (errno in message)
    pub const CR_SOCKET_CREATE_ERROR: c_uint = 2001;
    /// Could not connect to a local server through the unix socket path
    pub const CR_CONNECTION_ERROR: c_uint = 2002;
    /// Could not connect to the TCP host and port
    pub const CR_CONN_HOST_ERROR: c_uint = 2003;
    /// Could not create the TCP socket
    pub const CR_IPSOCK_ERROR: c_uint = 2004;
    /// Host name did not resolve
    pub const CR_UNKNOWN_HOST: c_uint = 2005;
    /// Server connection already gone when a command was sent
    pub const CR_SERVER_GONE_ERROR: c_uint = 2006;
    /// Server protocol version not the one supported
    pub const CR_VERSION_ERROR: c_uint = 2007;
    /// Client ran out of memory
    pub const CR_OUT_OF_MEMORY: c_uint = 2008;
    /// Bad host info
    pub const CR_WRONG_HOST_INFO: c_uint = 2009;
    /// Text for host_info: local unix socket connection
    pub const CR_LOCALHOST_CONNECTION: c_uint = 2010;
    /// Text for host_info: host reached over TCP/IP
    pub const CR_TCP_CONNECTION: c_uint = 2011;
    /// Error while reading the server handshake
    pub const CR_SERVER_HANDSHAKE_ERR: c_uint = 2012;
    /// Connection lost while a command or read was under way
    pub const CR_SERVER_LOST: c_uint = 2013;
    /// API call not allowed in the present state of the connection
    pub const CR_COMMANDS_OUT_OF_SYNC: c_uint = 2014;
    /// Text for host_info: named pipe (Windows)
    pub const CR_NAMEDPIPE_CONNECTION: c_uint = 2015;
    /// Could not wait for the named pipe
    pub const CR_NAMEDPIPEWAIT_ERROR: c_uint = 2016;
    /// Could not open the named pipe
    pub const CR_NAMEDPIPEOPEN_ERROR: c_uint = 2017;
    /// Could not set the named pipe state
    pub const CR_NAMEDPIPESETSTATE_ERROR: c_uint = 2018;
    /// Character set unknown or its definition unreadable
    pub const CR_CANT_READ_CHARSET: c_uint = 2019;
    /// Packet bigger than max_allowed_packet
    pub const CR_NET_PACKET_TOO_LARGE: c_uint = 2020;
    /// Text for host_info: embedded server
    pub const CR_EMBEDDED_CONNECTION: c_uint = 2021;
    /// Error on replica status probe (old name PROBE_SLAVE_STATUS)
    pub const CR_PROBE_REPLICA_STATUS: c_uint = 2022;
    /// Old name of PROBE_REPLICA_STATUS
    pub const CR_PROBE_SLAVE_STATUS: c_uint = 2022;
    /// Error on replica hosts probe (old name PROBE_SLAVE_HOSTS)
    pub const CR_PROBE_REPLICA_HOSTS: c_uint = 2023;
    /// Old name of PROBE_REPLICA_HOSTS
    pub const CR_PROBE_SLAVE_HOSTS: c_uint = 2023;
    /// Error connecting to a replica
    pub const CR_PROBE_REPLICA_CONNECT: c_uint = 2024;
    /// Old name of PROBE_REPLICA_CONNECT
    pub const CR_PROBE_SLAVE_CONNECT: c_uint = 2024;
    /// Old name of PROBE_SOURCE_CONNECT
    pub const CR_PROBE_MASTER_CONNECT: c_uint = 2025;
    /// Error connecting to the source
    pub const CR_PROBE_SOURCE_CONNECT: c_uint = 2025;
    /// TLS could not be set up or failed (detail in message)
    pub const CR_SSL_CONNECTION_ERROR: c_uint = 2026;
    /// Server packet could not be parsed
    pub const CR_MALFORMED_PACKET: c_uint = 2027;
    /// Library licensed for another vendor product
    pub const CR_WRONG_LICENSE: c_uint = 2028;
    /// A null pointer was passed where one is not allowed
    pub const CR_NULL_POINTER: c_uint = 2029;
    /// Statement handle has no prepared statement
    pub const CR_NO_PREPARE_STMT: c_uint = 2030;
    /// Parameters exist but none were bound
    pub const CR_PARAMS_NOT_BOUND: c_uint = 2031;
    /// Data truncated
    pub const CR_DATA_TRUNCATED: c_uint = 2032;
    /// Statement has no parameters
    pub const CR_NO_PARAMETERS_EXISTS: c_uint = 2033;
    /// Parameter or column index out of range
    pub const CR_INVALID_PARAMETER_NO: c_uint = 2034;
    /// Long data sent for a parameter that is neither string nor blob
    pub const CR_INVALID_BUFFER_USE: c_uint = 2035;
    /// Bound buffer type not supported
    pub const CR_UNSUPPORTED_PARAM_TYPE: c_uint = 2036;
    /// Text for host_info: shared memory (Windows)
    pub const CR_SHARED_MEMORY_CONNECTION: c_uint = 2037;
    /// Shared memory: request event not opened
    pub const CR_SHARED_MEMORY_CONNECT_REQUEST_ERROR: c_uint = 2038;
    /// Shared memory: answer event not opened
    pub const CR_SHARED_MEMORY_CONNECT_ANSWER_ERROR: c_uint = 2039;
    /// Shared memory: file mapping not allocated
    pub const CR_SHARED_MEMORY_CONNECT_FILE_MAP_ERROR: c_uint = 2040;
    /// Shared memory: pointer to mapping not obtained
    pub const CR_SHARED_MEMORY_CONNECT_MAP_ERROR: c_uint = 2041;
    /// Shared memory: client file mapping not allocated
    pub const CR_SHARED_MEMORY_FILE_MAP_ERROR: c_uint = 2042;
    /// Shared memory: client pointer not obtained
    pub const CR_SHARED_MEMORY_MAP_ERROR: c_uint = 2043;
    /// Shared memory: client event not created
    pub const CR_SHARED_MEMORY_EVENT_ERROR: c_uint = 2044;
    /// Shared memory: server gave no answer
    pub const CR_SHARED_MEMORY_CONNECT_ABANDONED_ERROR: c_uint = 2045;
    /// Shared memory: event not sent to server
    pub const CR_SHARED_MEMORY_CONNECT_SET_ERROR: c_uint = 2046;
    /// Protocol option unknown or not usable here
    pub const CR_CONN_UNKNOW_PROTOCOL: c_uint = 2047;
    /// Connection handle not valid
    pub const CR_INVALID_CONN_HANDLE: c_uint = 2048;
    /// Unused (was: old authentication protocol refused)
    pub const CR_UNUSED_1: c_uint = 2049;
    /// Row reading was cancelled by another call
    pub const CR_FETCH_CANCELED: c_uint = 2050;
    /// Column fetched without a row fetched before
    pub const CR_NO_DATA: c_uint = 2051;
    /// Prepared statement has no result metadata
    pub const CR_NO_STMT_METADATA: c_uint = 2052;
    /// Result requested where the statement has none
    pub const CR_NO_RESULT_SET: c_uint = 2053;
    /// Feature not implemented
    pub const CR_NOT_IMPLEMENTED: c_uint = 2054;
    /// Connection lost at a named stage, with system errno
    pub const CR_SERVER_LOST_EXTENDED: c_uint = 2055;
    /// Statement was closed indirectly by another call
    pub const CR_STMT_CLOSED: c_uint = 2056;
    /// Number of columns differs from the bound ones; rebind needed
    pub const CR_NEW_STMT_METADATA: c_uint = 2057;
    /// Handle is already connected; needs a fresh one
    pub const CR_ALREADY_CONNECTED: c_uint = 2058;
    /// Authentication plugin could not be loaded
    pub const CR_AUTH_PLUGIN_CANNOT_LOAD: c_uint = 2059;
    /// Connection attribute name given twice
    pub const CR_DUPLICATE_CONNECTION_ATTR: c_uint = 2060;
    /// Authentication plugin reported an error
    pub const CR_AUTH_PLUGIN_ERR: c_uint = 2061;
    /// An unsafe API was called under this character set or mode
    pub const CR_INSECURE_API_ERR: c_uint = 2062;
    /// File name too long
    pub const CR_FILE_NAME_TOO_LONG: c_uint = 2063;
    /// FIPS mode could not be set
    pub const CR_SSL_FIPS_MODE_ERR: c_uint = 2064;
    /// Old compression flag not usable with the asynchronous protocol
    pub const CR_DEPRECATED_COMPRESSION_NOT_SUPPORTED: c_uint = 2065;
    /// No compression algorithm in common or bad list
    pub const CR_COMPRESSION_WRONGLY_CONFIGURED: c_uint = 2066;
    /// Kerberos user not found
    pub const CR_KERBEROS_USER_NOT_FOUND: c_uint = 2067;
    /// LOCAL INFILE refused: outside the permitted directory
    pub const CR_LOAD_DATA_LOCAL_INFILE_REJECTED: c_uint = 2068;
    /// LOCAL INFILE path could not be resolved
    pub const CR_LOAD_DATA_LOCAL_INFILE_REALPATH_FAIL: c_uint = 2069;
    /// DNS SRV lookup failed
    pub const CR_DNS_SRV_LOOKUP_FAILED: c_uint = 2070;
    /// A session tracker the client cannot skip is unknown
    pub const CR_MANDATORY_TRACKER_NOT_FOUND: c_uint = 2071;
    /// Authentication factor number must be 1 to 3
    pub const CR_INVALID_FACTOR_NO: c_uint = 2072;
    /// TLS session data not available
    pub const CR_CANT_GET_SESSION_DATA: c_uint = 2073;
    /// Client character set may not be used (e.g. utf16)
    pub const CR_INVALID_CLIENT_CHARSET: c_uint = 2074;
    /// Last number in use by this version
    pub const CR_ERROR_LAST: c_uint = 2075;
    /// TLS server name (SNI) not known or not valid
    pub const CR_TLS_SERVER_NOT_FOUND: c_uint = 2075;
    /// Highest number of the classic client range
    pub const CR_MAX_ERROR: c_uint = 2999;
}

/// Connector/C 3.4.
pub mod mariadb {
    use std::ffi::c_uint;

    /// Lowest client error number
    pub const CR_MIN_ERROR: c_uint = 2000;
    /// Unspecified client-side failure
    pub const CR_UNKNOWN_ERROR: c_uint = 2000;
    /// Could not create the unix socket (errno in message)
    pub const CR_SOCKET_CREATE_ERROR: c_uint = 2001;
    /// Could not connect to a local server through the unix socket path
    pub const CR_CONNECTION_ERROR: c_uint = 2002;
    /// Could not connect to the TCP host and port
    pub const CR_CONN_HOST_ERROR: c_uint = 2003;
    /// Could not create the TCP socket
    pub const CR_IPSOCK_ERROR: c_uint = 2004;
    /// Host name did not resolve
    pub const CR_UNKNOWN_HOST: c_uint = 2005;
    /// Server connection already gone when a command was sent
    pub const CR_SERVER_GONE_ERROR: c_uint = 2006;
    /// Server protocol version not the one supported
    pub const CR_VERSION_ERROR: c_uint = 2007;
    /// Client ran out of memory
    pub const CR_OUT_OF_MEMORY: c_uint = 2008;
    /// Bad host info
    pub const CR_WRONG_HOST_INFO: c_uint = 2009;
    /// Text for host_info: local unix socket connection
    pub const CR_LOCALHOST_CONNECTION: c_uint = 2010;
    /// Text for host_info: host reached over TCP/IP
    pub const CR_TCP_CONNECTION: c_uint = 2011;
    /// Error while reading the server handshake
    pub const CR_SERVER_HANDSHAKE_ERR: c_uint = 2012;
    /// Connection lost while a command or read was under way
    pub const CR_SERVER_LOST: c_uint = 2013;
    /// API call not allowed in the present state of the connection
    pub const CR_COMMANDS_OUT_OF_SYNC: c_uint = 2014;
    /// Text for host_info: named pipe (Windows)
    pub const CR_NAMEDPIPE_CONNECTION: c_uint = 2015;
    /// Could not wait for the named pipe
    pub const CR_NAMEDPIPEWAIT_ERROR: c_uint = 2016;
    /// Could not open the named pipe
    pub const CR_NAMEDPIPEOPEN_ERROR: c_uint = 2017;
    /// Could not set the named pipe state
    pub const CR_NAMEDPIPESETSTATE_ERROR: c_uint = 2018;
    /// Character set unknown or its definition unreadable
    pub const CR_CANT_READ_CHARSET: c_uint = 2019;
    /// Packet bigger than max_allowed_packet
    pub const CR_NET_PACKET_TOO_LARGE: c_uint = 2020;
    /// TLS could not be set up or failed (detail in message)
    pub const CR_SSL_CONNECTION_ERROR: c_uint = 2026;
    /// Server packet could not be parsed
    pub const CR_MALFORMED_PACKET: c_uint = 2027;
    /// Statement handle has no prepared statement
    pub const CR_NO_PREPARE_STMT: c_uint = 2030;
    /// Parameters exist but none were bound
    pub const CR_PARAMS_NOT_BOUND: c_uint = 2031;
    /// Parameter or column index out of range
    pub const CR_INVALID_PARAMETER_NO: c_uint = 2034;
    /// Long data sent for a parameter that is neither string nor blob
    pub const CR_INVALID_BUFFER_USE: c_uint = 2035;
    /// Bound buffer type not supported
    pub const CR_UNSUPPORTED_PARAM_TYPE: c_uint = 2036;
    /// Text for host_info: shared memory (Windows)
    pub const CR_SHARED_MEMORY_CONNECTION: c_uint = 2037;
    /// Shared memory connect failed (one number stands for the whole group in Connector/C)
    pub const CR_SHARED_MEMORY_CONNECT_ERROR: c_uint = 2038;
    /// Protocol option unknown or not usable here (same number, other spelling)
    pub const CR_CONN_UNKNOWN_PROTOCOL: c_uint = 2047;
    /// Old authentication protocol refused
    pub const CR_SECURE_AUTH: c_uint = 2049;
    /// Column fetched without a row fetched before
    pub const CR_NO_DATA: c_uint = 2051;
    /// Prepared statement has no result metadata
    pub const CR_NO_STMT_METADATA: c_uint = 2052;
    /// Feature not implemented
    pub const CR_NOT_IMPLEMENTED: c_uint = 2054;
    /// Connection lost at a named stage, with system errno
    pub const CR_SERVER_LOST_EXTENDED: c_uint = 2055;
    /// Statement was closed indirectly by another call
    pub const CR_STMT_CLOSED: c_uint = 2056;
    /// Number of columns differs from the bound ones; rebind needed
    pub const CR_NEW_STMT_METADATA: c_uint = 2057;
    /// Handle is already connected; needs a fresh one
    pub const CR_ALREADY_CONNECTED: c_uint = 2058;
    /// Authentication plugin could not be loaded
    pub const CR_AUTH_PLUGIN_CANNOT_LOAD: c_uint = 2059;
    /// Connection attribute name given twice
    pub const CR_DUPLICATE_CONNECTION_ATTR: c_uint = 2060;
    /// Authentication plugin reported an error
    pub const CR_AUTH_PLUGIN_ERR: c_uint = 2061;
    /// Last classic number known to Connector/C
    pub const CR_MYSQL_LAST_ERROR: c_uint = 2061;
    /// Highest number of the classic client range
    pub const CR_MAX_ERROR: c_uint = 2999;
    /// Lowest number of the MariaDB range
    pub const CER_MIN_ERROR: c_uint = 5000;
    /// Event object not created
    pub const CR_EVENT_CREATE_FAILED: c_uint = 5000;
    /// Local bind address could not be used
    pub const CR_BIND_ADDR_FAILED: c_uint = 5001;
    /// Transport cannot do asynchronous work
    pub const CR_ASYNC_NOT_SUPPORTED: c_uint = 5002;
    /// Server does not support this function
    pub const CR_FUNCTION_NOT_SUPPORTED: c_uint = 5003;
    /// File not found
    pub const CR_FILE_NOT_FOUND: c_uint = 5004;
    /// File could not be read
    pub const CR_FILE_READ: c_uint = 5005;
    /// Bulk (array) execute without parameters
    pub const CR_BULK_WITHOUT_PARAMETERS: c_uint = 5006;
    /// Statement handle not valid
    pub const CR_INVALID_STMT: c_uint = 5007;
    /// Plugin or structure version mismatch
    pub const CR_VERSION_MISMATCH: c_uint = 5008;
    /// Invalid parameter passed
    pub const CR_INVALID_PARAMETER: c_uint = 5009;
    /// Authentication plugin not in the allowed list
    pub const CR_PLUGIN_NOT_ALLOWED: c_uint = 5010;
    /// Connection string could not be parsed
    pub const CR_CONNSTR_PARSE_ERROR: c_uint = 5011;
    /// Plugin could not be loaded
    pub const CR_ERR_LOAD_PLUGIN: c_uint = 5012;
    /// Read error on the connection
    pub const CR_ERR_NET_READ: c_uint = 5013;
    /// Write error on the connection
    pub const CR_ERR_NET_WRITE: c_uint = 5014;
    /// Compressed packet could not be unpacked
    pub const CR_ERR_NET_UNCOMPRESS: c_uint = 5015;
    /// Parameter callback returned an error
    pub const CR_ERR_STMT_PARAM_CALLBACK: c_uint = 5016;
    /// Compressed binlog event could not be unpacked
    pub const CR_ERR_BINLOG_UNCOMPRESS: c_uint = 5017;
    /// Binlog event checksum wrong
    pub const CR_ERR_CHECKSUM_VERIFICATION_ERROR: c_uint = 5018;
    /// Binlog format not supported
    pub const CR_ERR_UNSUPPORTED_BINLOG_FORMAT: c_uint = 5019;
    /// Binlog event type unknown
    pub const CR_UNKNOWN_BINLOG_EVENT: c_uint = 5020;
    /// Binlog event wrong
    pub const CR_BINLOG_ERROR: c_uint = 5021;
    /// File is not a binlog
    pub const CR_BINLOG_INVALID_FILE: c_uint = 5022;
    /// Semi-sync request or reply wrong
    pub const CR_BINLOG_SEMI_SYNC_ERROR: c_uint = 5023;
    /// Client flag combination not valid
    pub const CR_INVALID_CLIENT_FLAG: c_uint = 5024;
    /// Statement has no result set
    pub const CR_STMT_NO_RESULT: c_uint = 5025;
    /// Error packet without error information
    pub const CR_ERR_MISSING_ERROR_INFO: c_uint = 5026;
    /// Last MariaDB-range number
    pub const CR_MARIADB_LAST_ERROR: c_uint = 5027;
    /// More columns than the protocol allows
    pub const CR_ERR_TOO_MUCH_COLUMNS: c_uint = 5027;
    /// Highest number of the MariaDB range
    pub const CER_MAX_ERROR: c_uint = 5999;
}
