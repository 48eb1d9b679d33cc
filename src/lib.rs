//! mysqlclient-ms: the C API of libmysqlclient and of MariaDB Connector/C, aware of replication.
//!
//! The map of the crate, outermost first; arrows between modules go down only:
//!
//! ```text
//! abi -> session -> route   -> cluster ----+
//!         |                               v
//!         +-----> conn -> wire -> result -> error
//! ```
//!
//! * [`abi`]: C in, C out; the exported functions of both families. The only module that reads caller memory.
//! * [`session`]: one application handle; the only place where routing meets I/O.
//! * [`route`]: decisions; pure code without sockets, clock or globals.
//! * [`cluster`]: which nodes exist and how they fare; the configuration file.
//! * [`conn`]: one socket to one server.
//! * [`wire`]: the protocol; bytes in, messages out.
//! * [`result`]: columns and rows as plain data, in memory that C may point into.
//! * [`options`], [`error`], [`charset`], [`env`], [`log`], [`statistics`]: what everybody shares.

pub mod abi;
pub mod charset;
pub mod cluster;
pub mod conn;
pub mod env;
pub mod error;
pub mod log;
pub mod option_file;
pub mod options;
pub mod result;
pub mod route;
pub mod session;
pub mod statistics;
pub mod wire;
