//! Which nodes exist and how they fare: the configuration file, the nodes in it, what is known of their health.
//!
//! Touches no sockets and no SQL; may use serde_json, [`crate::error`], [`crate::options`] and [`crate::charset`].

pub mod balance;
pub mod board;
mod clusters;
pub mod config;
pub mod directives;
pub mod facts;
pub mod gtid;
pub mod health;
pub mod lag;
pub mod progress;
pub mod roles;
pub mod tables;
pub mod topology;
pub mod user_filter;

pub use clusters::Clusters;
