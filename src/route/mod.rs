//! Decisions: SQL text and state in, a value out. Pure code.
//!
//! Everything here runs in a unit test with neither C nor a server. Never touches sockets, the clock, globals or
//! connections.
//!
//! * [`context`]: what must be known of handle and servers to read a text as the servers will read it.
//! * [`lexer`], [`words`], [`functions`], [`keywords`]: bytes to tokens; the words that mean something to us.
//! * [`hint`]: `/*ms=...*/` in front of a statement.
//! * [`statement`], [`effects`]: what a classified statement looks like.
//! * [`classify`]: the classifier; [`query`], [`set`], [`show`], [`control`] are its parts by kind of statement.
//! * [`cache`]: classifications kept by full text, within bounded bytes.
//! * [`transaction`]: the transaction tracker.
//! * [`candidates`], [`filter`], [`decide`]: which node: the order of decision, the filter chain, the failover order.
//! * [`wild`] is `mysqlnd_ms_match_wild`.

pub mod cache;
pub mod candidates;
pub mod classify;
pub mod context;
mod control;
pub mod decide;
pub mod effects;
mod eight;
pub mod filter;
pub mod functions;
pub mod hint;
mod keywords;
pub mod lexer;
mod query;
mod set;
mod show;
pub mod statement;
mod tables;
pub mod transaction;
pub mod wild;
pub mod words;

pub use classify::{ClassifyConfig, classify, query_is_select};
pub use context::{Charset, DefaultSchema, LexContext, Server, ServerFamily};
pub use control::CALLS;
pub use effects::{Access, Bind, Effect, Isolation, Release, Scope, TransactionControl, Value};
pub use hint::Hint;
pub use query::CHANGES_DATA;
pub use statement::{Class, Needs, Reason, Span, Statement, TableRef};
