//! Clusters whose servers replicate to each other by Galera (MariaDB): every node takes writes.
//!
//! The library is Debian's (`get-galera.sh`); how a new node gets the data of the others is `wsrep_sst_copy.sh`, since
//! Debian has the programs that usually do it in packages that start a server. Node 0 counts as the primary, which means nothing
//! to the servers.

use crate::cluster::{Cluster, Spec, free_port};
use crate::error::{Context, Error, Result};
use crate::family::{Family, prefix_of};
use crate::template::PATIENCE;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// What makes a cluster's servers one group.
#[derive(Debug)]
pub(crate) struct Group {
    provider: PathBuf,
    /// Has the program that copies data.
    programs: PathBuf,
    /// Of each node: for the group's messages, for what a node missed.
    ports: Vec<(u16, u16)>,
    host: String,
}

impl Spec {
    /// So many nodes of MariaDB, replicating by Galera.
    ///
    /// # Errors
    /// Names the script that brings the library when it is not there.
    pub fn galera(nodes: usize) -> Result<Spec> {
        let prefix = prefix_of("GALERA_PREFIX", "galera");
        let found = [prefix.join("libgalera_smm.so"), PathBuf::from("/usr/lib/galera/libgalera_smm.so")];
        let Some(library) = found.into_iter().find(|file| file.is_file()) else {
            return Err(Error(format!(
                "no Galera library in {} (tests/harness/get-galera.sh brings it)",
                prefix.display()
            )));
        };
        Ok(Spec { galera: Some(library), ..Spec::new(Family::MariaDb, nodes.saturating_sub(1)) })
    }
}

impl Group {
    /// For the servers of a cluster with this folder.
    pub(crate) fn new(spec: &Spec, folder: &Path) -> Result<Option<Group>> {
        let Some(provider) = &spec.galera else { return Ok(None) };
        let programs = folder.join("bin");
        fs::create_dir(&programs)?;
        let program = programs.join("wsrep_sst_copy");
        fs::write(&program, include_str!("wsrep_sst_copy.sh"))?;
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
        let mut ports = Vec::new();
        for _ in 0..=spec.replicas {
            ports.push((free_port(&spec.bind)?, free_port(&spec.bind)?));
        }
        let provider = provider.canonicalize().context(|| format!("finding {}", provider.display()))?;
        Ok(Some(Group { provider, programs, ports, host: spec.bind.clone() }))
    }

    /// `PATH` of the servers.
    pub(crate) fn path(&self) -> String {
        let system = std::env::var("PATH").unwrap_or_default();
        format!("{}:{system}:/usr/bin:/bin", self.programs.display())
    }

    /// The options of node `n`. `founds`: it is the first of its cluster.
    pub(crate) fn options(&self, n: usize, founds: bool) -> Vec<String> {
        let host = &self.host;
        let (group, missed) = self.ports[n];
        let all: Vec<String> = self.ports.iter().map(|(group, _)| format!("{host}:{group}")).collect();
        // On a busy machine a member that lives may say nothing for seconds.
        let timing = "evs.keepalive_period=PT0.5S;evs.suspect_timeout=PT8S;evs.inactive_timeout=PT15S;\
                      evs.install_timeout=PT15S;pc.announce_timeout=PT5S;pc.recovery=false";
        let mut options = vec![
            "--wsrep-on=ON".to_owned(),
            format!("--wsrep-provider={}", self.provider.display()),
            "--wsrep-cluster-name=harness".to_owned(),
            format!("--wsrep-cluster-address=gcomm://{}", all.join(",")),
            format!("--wsrep-node-name=n{n}"),
            format!("--wsrep-node-address={host}:{group}"),
            format!(
                "--wsrep-provider-options=base_port={group};gmcast.listen_addr=tcp://{host}:{group};\
                 ist.recv_addr={host}:{missed};gcache.size=16M;gcache.page_size=16M;{timing}"
            ),
            "--wsrep-sst-method=copy".to_owned(),
            "--innodb-autoinc-lock-mode=2".to_owned(),
            "--skip-log-bin".to_owned(),
        ];
        if founds {
            options.push("--wsrep-new-cluster".to_owned());
        }
        options
    }
}

impl Cluster {
    /// A status variable of Galera on node `n`, such as `wsrep_local_state`.
    ///
    /// # Errors
    /// The server's.
    pub fn wsrep(&self, n: usize, name: &str) -> Result<String> {
        Ok(self
            .sql(n, &format!("SHOW GLOBAL STATUS LIKE '{name}'"))?
            .rows
            .first()
            .and_then(|row| row.get(1)?.clone())
            .unwrap_or_default())
    }

    /// Waits until node `n` is in step with its group and takes statements.
    pub(crate) fn wait_synced(&self, n: usize) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // While it joins it may end connections.
            let ask = |name: &str| self.wsrep(n, name).unwrap_or_else(|error| error.0);
            let state = (ask("wsrep_local_state_comment"), ask("wsrep_ready"));
            if state == ("Synced".into(), "ON".into()) {
                return Ok(());
            }
            if Instant::now() > deadline {
                return Err(Error(format!("node {n} is {} after {} s", state.0, PATIENCE.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until node `n` has applied all that its group had when it was asked.
    pub(crate) fn wait_group_applied(&self, n: usize) -> Result<()> {
        self.sql(n, "SET SESSION wsrep_sync_wait=1; SELECT COUNT(*) FROM mysql.global_priv").map(drop)
    }
}
