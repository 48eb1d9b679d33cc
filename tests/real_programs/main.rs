//! Unchanged programs, preloaded with routing on, on a primary with two replicas of each family. The servers' general logs
//! decide where each statement ran; our own word is not asked. README.md says what each program proves.
#![allow(clippy::unwrap_used, clippy::print_stderr, clippy::print_stdout)]

mod fetched;
mod logs;
mod running;
mod shop;
mod stage;

mod check_mysql;
mod collectd;
mod dovecot;
mod exim;
mod freeradius;
mod lighttpd;
mod lua;
mod mumble;
mod mydumper;
mod pam;
mod pdns;
mod postfix;
mod proftpd;
mod r;
mod rsyslog;
mod tcl;
mod tdbc;
