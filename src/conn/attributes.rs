//! Connection attributes, as each original sends them; `performance_schema.session_connect_attrs` shows them.

use super::{Endpoint, Target};
use crate::options::{Family, Options};

/// Version of libmysqlclient whose behaviour the MySQL family follows.
pub const MYSQL_VERSION: &str = "9.7.4";
/// Version of Connector/C whose behaviour the MariaDB family follows.
pub const MARIADB_VERSION: &str = "3.3.20";

/// The attributes of a login, in the original's order, then the program's own.
pub(super) fn all(options: &Options, target: &Target) -> Vec<(Vec<u8>, Vec<u8>)> {
    let pid = std::process::id().to_string();
    let platform = std::env::consts::ARCH;
    let fixed: &[(&str, &str)] = match options.family {
        Family::MySql => &[
            ("_pid", &pid),
            ("_platform", platform),
            ("_client_version", MYSQL_VERSION),
            ("_os", "Linux"),
            ("_client_name", "libmysql"),
        ],
        Family::MariaDb => &[
            ("_os", "Linux"),
            ("_client_name", "libmariadb"),
            ("_pid", &pid),
            ("_client_version", MARIADB_VERSION),
            ("_platform", platform),
        ],
    };
    let mut all: Vec<(Vec<u8>, Vec<u8>)> =
        fixed.iter().map(|(key, value)| (key.as_bytes().to_vec(), value.as_bytes().to_vec())).collect();
    if options.family == Family::MariaDb
        && let Endpoint::Tcp { host, .. } = &target.endpoint
    {
        all.push((b"_server_host".to_vec(), host.as_bytes().to_vec()));
    }
    all.extend(options.attributes.iter().cloned());
    all
}
