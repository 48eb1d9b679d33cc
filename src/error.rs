//! The one error type of the crate: a number, an SQLSTATE, a text, and whether the server may have seen the command.
//!
//! Knows the client error numbers (`CR_*`) and their texts in both families. Touches nothing else.

mod texts;

use std::fmt;

use crate::options::Family;

/// Five bytes as in the SQL standard, `HY000` when nothing more precise is known.
pub type SqlState = [u8; 5];

/// SQLSTATE of nearly every client error.
pub const HY000: SqlState = *b"HY000";

/// Whether bytes of the failed command may have reached the server: the base of every decision to retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sent {
    /// No byte of the command left this process: it was not executed.
    No,
    /// Some bytes left: the outcome is unknown.
    Maybe,
    /// The server answered with an error packet: it received the command and refused it.
    Yes,
}

/// Who says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// This library (a `CR_*` number, 2000 and up).
    Client,
    /// A server's error packet; number and text are passed on untouched.
    Server,
}

/// A failure as the program will see it through `mysql_errno`, `mysql_sqlstate` and `mysql_error`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Error number: `CR_*` for [`Origin::Client`], the server's for [`Origin::Server`].
    pub code: u32,
    /// Five bytes.
    pub sqlstate: SqlState,
    /// The text; bytes, because a server sends it in the connection's character set.
    pub message: Vec<u8>,
    /// Client or server.
    pub origin: Origin,
    /// Whether the command may have been executed.
    pub sent: Sent,
}

impl Error {
    /// A client error with a text of its own; [`Sent::No`].
    pub fn client(code: u32, message: impl Into<Vec<u8>>) -> Self {
        Error { code, sqlstate: HY000, message: message.into(), origin: Origin::Client, sent: Sent::No }
    }

    /// The same error, with what is known about the command's fate.
    pub fn sent(mut self, sent: Sent) -> Self {
        self.sent = sent;
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} ({}): {}",
            self.code,
            String::from_utf8_lossy(&self.sqlstate),
            String::from_utf8_lossy(&self.message)
        )
    }
}

impl std::error::Error for Error {}

/// Client error numbers: `CR_*` of `errmsg.h`, the prefix left out. Both families use the same numbers below 5000.
#[allow(missing_docs)]
pub mod cr {
    pub const UNKNOWN_ERROR: u32 = 2000;
    pub const SOCKET_CREATE_ERROR: u32 = 2001;
    pub const CONNECTION_ERROR: u32 = 2002;
    pub const CONN_HOST_ERROR: u32 = 2003;
    pub const IPSOCK_ERROR: u32 = 2004;
    pub const UNKNOWN_HOST: u32 = 2005;
    pub const SERVER_GONE_ERROR: u32 = 2006;
    pub const VERSION_ERROR: u32 = 2007;
    pub const OUT_OF_MEMORY: u32 = 2008;
    pub const SERVER_HANDSHAKE_ERR: u32 = 2012;
    pub const SERVER_LOST: u32 = 2013;
    pub const COMMANDS_OUT_OF_SYNC: u32 = 2014;
    pub const CANT_READ_CHARSET: u32 = 2019;
    pub const NET_PACKET_TOO_LARGE: u32 = 2020;
    pub const SSL_CONNECTION_ERROR: u32 = 2026;
    pub const MALFORMED_PACKET: u32 = 2027;
    pub const NULL_POINTER: u32 = 2029;
    pub const NO_PREPARE_STMT: u32 = 2030;
    pub const PARAMS_NOT_BOUND: u32 = 2031;
    pub const DATA_TRUNCATED: u32 = 2032;
    pub const NO_PARAMETERS_EXISTS: u32 = 2033;
    pub const INVALID_PARAMETER_NO: u32 = 2034;
    pub const INVALID_BUFFER_USE: u32 = 2035;
    pub const UNSUPPORTED_PARAM_TYPE: u32 = 2036;
    pub const UNKNOWN_PROTOCOL: u32 = 2047;
    pub const INVALID_CONN_HANDLE: u32 = 2048;
    pub const FETCH_CANCELED: u32 = 2050;
    pub const NO_DATA: u32 = 2051;
    pub const NO_STMT_METADATA: u32 = 2052;
    pub const NO_RESULT_SET: u32 = 2053;
    pub const NOT_IMPLEMENTED: u32 = 2054;
    pub const SERVER_LOST_EXTENDED: u32 = 2055;
    pub const STMT_CLOSED: u32 = 2056;
    pub const NEW_STMT_METADATA: u32 = 2057;
    pub const ALREADY_CONNECTED: u32 = 2058;
    pub const AUTH_PLUGIN_CANNOT_LOAD: u32 = 2059;
    pub const DUPLICATE_CONNECTION_ATTR: u32 = 2060;
    pub const AUTH_PLUGIN_ERR: u32 = 2061;
    pub const INSECURE_API_ERR: u32 = 2062;
    pub const LOAD_DATA_LOCAL_INFILE_REJECTED: u32 = 2068;
    pub const LOAD_DATA_LOCAL_INFILE_REALPATH_FAIL: u32 = 2069;
    pub const INVALID_FACTOR_NO: u32 = 2072;
    pub const INVALID_CLIENT_CHARSET: u32 = 2074;
    /// MariaDB family only, as are all from 5000 on.
    pub const BIND_ADDR_FAILED: u32 = 5001;
    pub const FILE_NOT_FOUND: u32 = 5004;
    pub const FILE_READ: u32 = 5005;
    pub const INVALID_PARAMETER: u32 = 5009;
    pub const PLUGIN_NOT_ALLOWED: u32 = 5010;
    pub const CONNSTR_PARSE_ERROR: u32 = 5011;
    pub const ERR_NET_READ: u32 = 5013;
    pub const ERR_NET_WRITE: u32 = 5014;
    pub const INVALID_CLIENT_FLAG: u32 = 5024;
    pub const FUNCTION_NOT_SUPPORTED: u32 = 5003;
    pub const BULK_WITHOUT_PARAMETERS: u32 = 5006;
    pub const ERR_STMT_PARAM_CALLBACK: u32 = 5016;
    pub const ERR_NO_ERROR_INFO: u32 = 5026;
    pub const ERR_MISSING_ERROR_INFO: u32 = 5026;
}

/// Client errors with the texts of each family, as `mysql_error` of the originals shows them.
///
/// Texts with `%-.100s` in the originals cut their argument at so many bytes; so do these.
impl Error {
    fn of(code: u32, message: String) -> Self {
        Error::client(code, message.into_bytes())
    }

    fn by_family(family: Family, code: u32, mysql: &str, mariadb: &str) -> Self {
        Error::client(code, if family == Family::MySql { mysql } else { mariadb })
    }

    /// 2000.
    pub fn unknown(family: Family) -> Self {
        Error::by_family(family, cr::UNKNOWN_ERROR, "Unknown MySQL error", "Unknown error")
    }

    /// 2000: a method of the program has failed without saying why.
    pub fn unknown_method(family: Family) -> Self {
        let mariadb = "Unknown or undefined error code (2000)";
        Error::by_family(family, cr::UNKNOWN_ERROR, "Unknown MySQL error", mariadb).sent(Sent::No)
    }

    /// An error that is known by its number only, with the family's text for it as it is in its table.
    pub fn by_number(family: Family, code: u32) -> Self {
        // Passed on untouched: in the MySQL family 2006 is another one's number for a connection that is gone.
        Error { origin: Origin::Server, ..Error::client(code, texts::of(family, code)) }.sent(Sent::No)
    }

    /// 2000: the server sent an error packet that says nothing.
    pub fn nondescript(family: Family) -> Self {
        let mariadb = "Unknown or undefined error code (2000)";
        Error::by_family(family, cr::UNKNOWN_ERROR, "Unknown MySQL error", mariadb).sent(Sent::Yes)
    }

    /// 5026 (MariaDB family): the server sent an error packet with number 0.
    pub fn empty_error_packet() -> Self {
        Error::of(cr::ERR_NO_ERROR_INFO, "Server returned an error packet without further information".to_owned())
            .sent(Sent::Yes)
    }

    /// 2000 in the MariaDB family: a row that is none, in an unbuffered result. The original's has no state.
    pub fn bad_row() -> Self {
        let error = Error::client(cr::UNKNOWN_ERROR, "Unknown or undefined error code");
        Error { sqlstate: *b"00000", ..error }.sent(Sent::Maybe)
    }

    /// 5010 (MariaDB family): the program has not named this authentication method among those that may be used.
    pub fn method_not_allowed(name: &str) -> Self {
        let text = format!("Authentication plugin '{name}' couldn't be found in restricted_auth plugin list.");
        Error::of(cr::PLUGIN_NOT_ALLOWED, text)
    }

    /// 2013 in the words of the MariaDB family when it cannot make sense of the answer to a login.
    pub fn senseless_login() -> Self {
        Error::of(cr::SERVER_LOST, "Can't connect to server (0).".to_owned())
    }

    /// 2001: no Unix socket could be made.
    pub fn socket_create(errno: i32) -> Self {
        Error::of(cr::SOCKET_CREATE_ERROR, format!("Can't create UNIX socket ({errno})"))
    }

    /// 2002: nobody answers at a Unix socket.
    pub fn unix_connect(family: Family, path: &str, errno: i32) -> Self {
        let message = match family {
            Family::MySql => {
                format!("Can't connect to local MySQL server through socket '{}' ({errno})", cut(path, 100))
            }
            Family::MariaDb => format!("Can't connect to local server through socket '{}' ({errno})", cut(path, 64)),
        };
        Error::of(cr::CONNECTION_ERROR, message)
    }

    /// 2002 in the MariaDB family: an error packet came where TLS was to begin.
    pub fn unauthenticated(code: u32, text: &[u8]) -> Self {
        let mut message = b"Received error packet before completion of TLS handshake. The authenticity of the \
                            following error cannot be verified: "
            .to_vec();
        message.extend_from_slice(format!("{code} - ").as_bytes());
        message.extend_from_slice(text);
        Error::client(cr::CONNECTION_ERROR, message)
    }

    /// 2003 in the MySQL family, 2002 in the MariaDB family: nobody answers at a TCP address.
    pub fn tcp_connect(family: Family, host: &str, port: u16, errno: i32) -> Self {
        match family {
            Family::MySql => Error::of(
                cr::CONN_HOST_ERROR,
                format!("Can't connect to MySQL server on '{}:{port}' ({errno})", cut(host, 100)),
            ),
            Family::MariaDb => {
                Error::of(cr::CONNECTION_ERROR, format!("Can't connect to server on '{}' ({errno})", cut(host, 64)))
            }
        }
    }

    /// 2005: the name did not resolve; `code` is `getaddrinfo`'s.
    pub fn unknown_host(family: Family, host: &str, code: i32) -> Self {
        let word = if family == Family::MySql { "Unknown MySQL server host" } else { "Unknown server host" };
        Error::of(cr::UNKNOWN_HOST, format!("{word} '{}' ({code})", cut(host, 100)))
    }

    /// 2006: there is no connection any more, and the command was not executed.
    pub fn gone(family: Family) -> Self {
        Error::by_family(family, cr::SERVER_GONE_ERROR, "MySQL server has gone away", "Server has gone away")
    }

    /// 2007: a protocol version other than 10.
    pub fn version(family: Family, server: u8) -> Self {
        let message = match family {
            Family::MySql => {
                format!("Protocol mismatch; server version = {server}, client version = 10")
            }
            Family::MariaDb => {
                format!("Protocol mismatch. Server Version = {server} Client Version = 10")
            }
        };
        let mut error = Error::of(cr::VERSION_ERROR, message);
        if family == Family::MariaDb {
            // As the original: its handle has no SQLSTATE yet.
            error.sqlstate = *b"00000";
        }
        error
    }

    /// 2008.
    pub fn out_of_memory(family: Family) -> Self {
        Error::by_family(family, cr::OUT_OF_MEMORY, "MySQL client ran out of memory", "Client run out of memory")
    }

    /// 2012.
    pub fn handshake() -> Self {
        Error::client(cr::SERVER_HANDSHAKE_ERR, "Error in server handshake")
    }

    /// 2066: no algorithm of compression that both sides have, or a wrong list of them.
    pub fn compression() -> Self {
        const COMPRESSION_WRONGLY_CONFIGURED: u32 = 2066;
        let message = "Connection failed due to wrongly configured compression algorithm";
        Error::client(COMPRESSION_WRONGLY_CONFIGURED, message)
    }

    /// 2013: the connection broke while a reply was awaited or read.
    pub fn lost(family: Family) -> Self {
        Error::by_family(
            family,
            cr::SERVER_LOST,
            "Lost connection to MySQL server during query",
            "Lost connection to server during query",
        )
        .sent(Sent::Maybe)
    }

    /// 2013 with the stage of connecting at which the connection broke, in the original's words, and the system's error.
    pub fn lost_at(family: Family, stage: &str, errno: i32) -> Self {
        let word =
            if family == Family::MySql { "Lost connection to MySQL server" } else { "Lost connection to server" };
        Error::of(cr::SERVER_LOST, format!("{word} at '{stage}', system error: {errno}"))
    }

    /// 2014.
    pub fn out_of_sync() -> Self {
        Error::client(cr::COMMANDS_OUT_OF_SYNC, "Commands out of sync; you can't run this command now")
    }

    /// 2019: no such character set.
    pub fn charset(family: Family, name: &str, path: &str) -> Self {
        let (name, path) = match family {
            Family::MySql => (cut(name, 32), cut(path, 100)),
            Family::MariaDb => (cut(name, 64), cut(path, 64)),
        };
        let message = format!("Can't initialize character set {name} (path: {path})");
        let mut error = Error::of(cr::CANT_READ_CHARSET, message);
        if family == Family::MariaDb {
            // As the original.
            error.sqlstate = *b"00000";
        }
        error
    }

    /// 2074, of libmysqlclient: a character set that no client can have.
    pub fn client_charset(name: &str) -> Self {
        let text = format!(
            "'{}' character set is having more than 1 byte minimum character length, which cannot be used as a client \
             character set. Please use any of the single byte minimum ones, e.g. utf8mb4, latin1 etc.",
            cut(name, 32)
        );
        Error::client(cr::INVALID_CLIENT_CHARSET, text)
    }

    /// 2020.
    pub fn packet_too_large(family: Family) -> Self {
        Error::by_family(
            family,
            cr::NET_PACKET_TOO_LARGE,
            "Got packet bigger than 'max_allowed_packet' bytes",
            "Got packet bigger than 'max_allowed_packet'",
        )
    }

    /// 2026.
    pub fn tls(family: Family, detail: &str) -> Self {
        let message = match family {
            Family::MySql => format!("SSL connection error: {}", cut(detail, 100)),
            Family::MariaDb => format!("TLS/SSL error: {detail}"),
        };
        Error::of(cr::SSL_CONNECTION_ERROR, message)
    }

    /// 2027.
    pub fn malformed(family: Family) -> Self {
        Error::by_family(family, cr::MALFORMED_PACKET, "Malformed packet", "Received malformed packet")
            .sent(Sent::Maybe)
    }

    /// What is wrong with the use of a prepared statement: 2030, 2031, 2034, 2050 to 2053, 2057. Numbers without a text in a family have an empty one there, as in the original.
    pub fn statement(family: Family, code: u32) -> Self {
        let (mysql, mariadb) = match code {
            cr::NO_PREPARE_STMT => ("Statement not prepared", "Statement is not prepared"),
            cr::PARAMS_NOT_BOUND => (
                "No data supplied for parameters in prepared statement",
                "No data supplied for parameters in prepared statement",
            ),
            cr::INVALID_PARAMETER_NO => ("Invalid parameter number", "Invalid parameter number"),
            cr::FETCH_CANCELED => ("Row retrieval was canceled by mysql_stmt_close() call", ""),
            cr::NO_DATA => ("Attempt to read column without prior row fetch", ""),
            cr::NO_STMT_METADATA => {
                ("Prepared statement contains no metadata", "Prepared statement contains no metadata")
            }
            cr::NO_RESULT_SET => {
                ("Attempt to read a row while there is no result set associated with the statement", "")
            }
            cr::NEW_STMT_METADATA => (
                "The number of columns in the result set differs from the number of bound buffers. You must reset the \
                 statement, rebind the result set columns, and execute the statement again",
                "The number of parameters in bound buffers differs from number of columns in resultset",
            ),
            _ => ("", ""),
        };
        Error::by_family(family, code, mysql, mariadb)
    }

    /// 2056: a call on the handle has ended the statement.
    pub fn statement_closed(family: Family, function: &str) -> Self {
        let text = match family {
            Family::MySql => format!("Statement closed indirectly because of a preceding {function}() call"),
            Family::MariaDb => format!("Server closed statement due to a prior {function}() function call"),
        };
        Error::of(cr::STMT_CLOSED, text)
    }

    /// 2047.
    pub fn unknown_protocol() -> Self {
        Error::client(cr::UNKNOWN_PROTOCOL, "Wrong or unknown protocol")
    }

    /// 2054.
    pub fn not_implemented(family: Family) -> Self {
        Error::by_family(
            family,
            cr::NOT_IMPLEMENTED,
            "This feature is not implemented yet",
            "This feature is not implemented or disabled",
        )
    }

    /// 2059: an authentication method that this library does not have.
    pub fn auth_plugin(family: Family, name: &str, detail: &str) -> Self {
        let word = if family == Family::MySql { "Authentication plugin" } else { "Plugin" };
        let (name, verb) = if family == Family::MySql {
            (format!("'{name}'"), "cannot be loaded")
        } else {
            (name.to_owned(), "could not be loaded")
        };
        // Connector/C's handshake overwrites the number, not the text.
        let code = if family == Family::MySql { cr::AUTH_PLUGIN_CANNOT_LOAD } else { cr::SERVER_LOST };
        Error::of(code, format!("{word} {name} {verb}: {detail}"))
    }

    /// 2061: an authentication method refused to go on.
    pub fn auth(family: Family, name: &str, detail: &str) -> Self {
        match family {
            Family::MySql => {
                Error::of(cr::AUTH_PLUGIN_ERR, format!("Authentication plugin '{name}' reported error: {detail}"))
            }
            Family::MariaDb => Error::of(cr::AUTH_PLUGIN_ERR, detail.to_owned()),
        }
    }
}

/// The first `bytes` bytes of a text, cut between characters.
fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}
