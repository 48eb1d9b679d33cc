//! Unchanged programs, preloaded with routing on, on a primary with two replicas of each family. The servers' general logs
//! decide where each statement ran; our own word is not asked. README.md says what each program proves.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::print_stdout)]

mod fetched;
mod logs;
mod running;
mod shop;
mod stage;

mod postfix;
