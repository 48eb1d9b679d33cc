//! C in, C out: the exported functions of both families. The only module with `unsafe` (but for two files).
//!
//! An entry opens the handle, calls one safe method of `session`, publishes the outcome in the public fields and
//! returns; see [`entry`]. It never touches the meaning of SQL, packets, sockets or the configuration.
//!
//! Words used in the `# Safety` parts below, each a promise of the C program, as in the originals' manuals:
//!
//! * *valid handle*: a `MYSQL*` that `mysql_init` of the same family returned, or a copy of its bytes at another
//!   address, not closed since; or one whose bytes are all zero. In use by one call at a time.
//! * *valid result*, *valid statement*: what our function returned, not freed since.
//! * *NUL-ended string*: readable up to and with a zero byte.
//! * *writable buffer of n bytes*, *readable buffer of n bytes*: what they say, for the time of the call.
//!
//! Where the originals crash on NULL, ours return the failure value.
#![allow(unsafe_code)]

#[cfg(not(panic = "unwind"))]
compile_error!("mysqlclient-ms needs panic=unwind: a panic must end a handle, never the host process");

pub mod attributes;
mod bind;
mod charset;
mod charset_info;
pub mod cluster;
mod connect;
pub mod convert;
mod data;
mod dialog;
mod dns_srv;
pub mod entry;
mod environment;
pub mod exports;
pub mod family;
mod field_attr;
mod fork;
mod getopt;
mod handle;
mod infile;
mod info;
pub mod list;
mod load_defaults;
mod memory;
mod methods;
pub mod misc;
mod nonblocking;
mod options;
mod plugin;
mod query;
mod rare;
mod result;
mod rpl;
mod scramble;
mod start;
mod status;
mod step;
pub mod stmt;
mod stmt_start;
pub mod stub;
pub mod user_filter;
mod values;
mod watch;
