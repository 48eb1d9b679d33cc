//! The command line tool `mysqlclient-ms`: `run`, `check`, `version`.

fn main() {}
