//! Logins by the PAM plugin that MariaDB's packages have, against pam_unix: the server is started where the files of PAM,
//! and those with the accounts, are the test's. Nothing of the machine's own is changed.

use super::{Abi, same_with};
use harness::{Cluster, Family, Spec, family};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// An account that only the server sees; its password is "secret".
const PASSWD: &str = "labpam:x:54321:54321::/nonexistent:/bin/false\n";
const SHADOW: &str = "root:*:19000:0:99999:7:::\n\
    labpam:$6$labsalt$leYP1O/SwaG7fbW7P8PsNALxP8zLSliGjNZI80V.j4yytxGrI2SXlPBJnogfPEG3BvTABDgzPtKzGJoNlMA.S0:19000:0:99999:7:::\n";

/// Services by their names.
const SERVICES: &[(&str, &str)] = &[
    ("lab_unix", "auth required pam_unix.so nodelay\naccount required pam_unix.so\n"),
    (
        "lab_twice",
        "auth required pam_unix.so nodelay\nauth required pam_unix.so nodelay\naccount required pam_unix.so\n",
    ),
    ("lab_open", "auth required pam_permit.so\naccount required pam_permit.so\n"),
    ("other", "auth required pam_deny.so\naccount required pam_deny.so\n"),
];

/// A program that starts `server` in a mount namespace of its own, where it sees those files.
fn server_with_pam(server: &Path) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pam");
    std::fs::create_dir_all(folder.join("pam.d")).unwrap();
    for (name, lines) in SERVICES {
        std::fs::write(folder.join("pam.d").join(name), lines).unwrap();
    }
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap();
    std::fs::write(folder.join("passwd"), format!("{}\n{PASSWD}", accounts.trim_end())).unwrap();
    std::fs::write(folder.join("shadow"), SHADOW).unwrap();
    let script = format!(
        "#!/bin/sh\n\
         if [ \"$(id -u)\" = 0 ]; then rights=; else rights=--map-root-user; fi\n\
         exec unshare --mount $rights sh -c 'for file in pam.d passwd shadow; do\n\
         mount --bind \"$0/$file\" /etc/$file || exit 1; done; exec \"$@\"' '{}' '{}' \"$@\"\n",
        folder.display(),
        server.display()
    );
    let program = folder.join("mariadbd");
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Connector/C's only: libmysqlclient has no dialogues.
#[test]
fn logins_by_pam_are_the_originals() {
    let mut tools = match family::newer_mariadb() {
        Ok(tools) => tools,
        Err(error) if std::env::var_os("CI").is_none_or(|ci| ci.is_empty()) => {
            return eprintln!("c_programs: logins by PAM are left out: {error}");
        }
        Err(error) => panic!("{error}"),
    };
    tools.server = server_with_pam(&tools.server);
    let mut spec = Spec::new(Family::MariaDb, 0).general_log(false);
    spec.tools = Some(tools);
    // The other version of the plugin starts a set-user-id program of its package's.
    let cluster = Cluster::start(spec.server_arg("--plugin-load-add=auth_pam_v1.so")).unwrap();
    same_with("pam", &cluster, &[Abi::MariaDb], &[]);
}
