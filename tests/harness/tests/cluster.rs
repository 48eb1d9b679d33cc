//! Every promise of [`harness::Cluster`] on real servers of both families.
#![allow(clippy::unwrap_used)]

use harness::{Cluster, Family, NodeState, Spec, families};

fn count(cluster: &Cluster, n: usize) -> String {
    cluster.sql(n, "SELECT COUNT(*) FROM test.t").unwrap().scalar().to_string()
}

fn insert(cluster: &Cluster, value: u32) {
    cluster.sql(cluster.primary(), &format!("INSERT INTO test.t VALUES ({value})")).unwrap();
}

#[test]
fn appliers_deaths_and_promotions_are_as_ordered() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 2)).unwrap();
        cluster.sql(0, "CREATE TABLE test.t (i INT PRIMARY KEY)").unwrap();

        // an applier that is stopped, delayed, started
        cluster.wait_in_step().unwrap();
        cluster.stop_applier(1).unwrap();
        insert(&cluster, 1);
        cluster.wait_replica(2).unwrap();
        assert_eq!((count(&cluster, 1), count(&cluster, 2)), ("0".into(), "1".into()), "{family}");
        cluster.start_applier(1).unwrap();
        cluster.wait_in_step().unwrap();
        assert_eq!(count(&cluster, 1), "1");
        cluster.delay_applier(2, 3600).unwrap();
        insert(&cluster, 2);
        cluster.wait_replica(1).unwrap();
        assert_eq!((count(&cluster, 1), count(&cluster, 2)), ("2".into(), "1".into()), "{family}");
        cluster.delay_applier(2, 0).unwrap();
        cluster.wait_in_step().unwrap();
        assert_eq!(count(&cluster, 2), "2");
        assert!(cluster.stop_applier(0).is_err(), "the primary has no applier");

        // a replica that is frozen, killed, restarted
        cluster.freeze(1).unwrap();
        assert_eq!(cluster.state(1), NodeState::Frozen);
        cluster.thaw(1).unwrap();
        assert_eq!(cluster.state(1), NodeState::Up);
        let (pid, endpoint) = (cluster.pid(1).unwrap(), cluster.endpoint(1));
        cluster.kill(1).unwrap();
        assert_eq!((cluster.state(1), cluster.pid(1)), (NodeState::Dead, None));
        assert!(cluster.sql(1, "SELECT 1").is_err());
        insert(&cluster, 3);
        cluster.restart(1).unwrap();
        assert_ne!(cluster.pid(1), Some(pid));
        assert_eq!(cluster.endpoint(1), endpoint, "it keeps its place");
        cluster.wait_in_step().unwrap();
        assert_eq!(count(&cluster, 1), "3");

        // a planned promotion, then one because the primary died
        cluster.promote(1).unwrap();
        assert_eq!(cluster.primary(), 1);
        insert(&cluster, 4);
        cluster.wait_in_step().unwrap();
        assert_eq!(count(&cluster, 0), "4");
        assert_eq!(cluster.sql(0, "SELECT @@GLOBAL.read_only").unwrap().scalar(), "1");
        cluster.kill(1).unwrap();
        cluster.promote(2).unwrap();
        insert(&cluster, 5);
        cluster.restart(1).unwrap();
        cluster.wait_in_step().unwrap();
        assert_eq!((count(&cluster, 0), count(&cluster, 1)), ("5".into(), "5".into()), "{family}");
        cluster.restart(2).unwrap();
        insert(&cluster, 6);
        cluster.promote(0).unwrap();
        insert(&cluster, 7);
        cluster.wait_in_step().unwrap();
        assert_eq!(count(&cluster, 2), "7");
    }
}

#[test]
fn a_replica_takes_no_writes_from_the_application() {
    for family in families() {
        let cluster = harness::shared(family);
        cluster.sql(0, "CREATE TABLE IF NOT EXISTS test.ro (i INT)").unwrap();
        cluster.wait_in_step().unwrap();
        let refused = client(cluster, 1, harness::APP_USER, harness::APP_PASSWORD, "INSERT INTO test.ro VALUES (1)");
        assert!(refused.contains("1290"), "{family}: {refused}");
    }
}

#[test]
fn the_general_log_tells_who_asked_what() {
    for family in families() {
        let cluster = harness::shared(family);
        let mark = cluster.log_mark(2).unwrap();
        let answer =
            client(cluster, 2, harness::APP_USER, harness::APP_PASSWORD, "SELECT 'the\nquestion'; SELECT @@server_id");
        assert!(answer.contains('3'), "{answer}");
        let entries = cluster.general_log_since(2, &mark).unwrap();
        let queries: Vec<_> =
            entries.iter().filter(|entry| entry.command == "Query").map(|entry| entry.argument.as_str()).collect();
        assert!(queries.contains(&"SELECT 'the\nquestion'"), "{family}: {entries:?}");
        assert!(entries.iter().all(|entry| entry.user == harness::APP_USER), "{family}: {entries:?}");
        let thread = entries[0].thread_id;
        assert!(entries.iter().all(|entry| entry.thread_id == thread), "{family}: {entries:?}");
    }
}

#[test]
fn clients_reach_it_by_tls_and_see_a_wrong_name_or_authority() {
    for family in families() {
        let cluster = harness::shared(family);
        let verify = |ca: &std::path::Path, host: &str| {
            let endpoint = cluster.endpoint(0);
            let mut command = match &cluster.tools().prefix {
                Some(prefix) => {
                    let mut command = std::process::Command::new(prefix.join("bin/mysql"));
                    command.args(["--no-defaults", "--ssl-mode=VERIFY_IDENTITY"]);
                    command
                }
                None => {
                    let mut command = std::process::Command::new("mariadb");
                    command.args(["--no-defaults", "--ssl-verify-server-cert"]);
                    command
                }
            };
            command
                .args(["-N", "-B", "--protocol=tcp", &format!("-h{host}"), &format!("-P{}", endpoint.port)])
                .args(["-uapp", "-papppw", &format!("--ssl-ca={}", ca.display())])
                .args(["-e", "SHOW STATUS LIKE 'Ssl_version'"]);
            let out = command.output().unwrap();
            String::from_utf8_lossy(if out.status.success() { &out.stdout } else { &out.stderr }).into_owned()
        };
        let tls = cluster.tls();
        for host in ["localhost", "127.0.0.1"] {
            assert!(verify(&tls.ca, host).contains("TLSv1.3"), "{family}, {host}: {}", verify(&tls.ca, host));
        }
        assert!(
            verify(&tls.other_ca, "127.0.0.1").contains("2026"),
            "{family}: {}",
            verify(&tls.other_ca, "127.0.0.1")
        );
    }
}

#[test]
fn a_single_server_needs_no_replicas_and_takes_options() {
    for family in families() {
        let spec = Spec::new(family, 0).general_log(false).server_arg("--max-connections=17");
        let cluster = Cluster::start(spec).unwrap();
        assert_eq!(cluster.nodes(), 0..1);
        assert_eq!(cluster.sql(0, "SELECT @@max_connections").unwrap().scalar(), "17");
        assert!(!cluster.general_log_path(0).exists());
        cluster.restart(0).unwrap();
        cluster.sql(0, "CREATE DATABASE test_writable").unwrap();
    }
}

#[test]
fn what_cannot_start_says_why_and_leaves_nothing() {
    for family in families() {
        let error = Cluster::start(Spec::new(family, 1).server_arg("--no-such-option=1")).err().unwrap();
        assert!(error.0.contains("no-such-option"), "{family}: {error}");
    }
}

#[test]
fn dropping_a_cluster_leaves_no_process_and_no_folder_also_when_frozen_or_panicking() {
    for family in families() {
        let cluster = Cluster::start(Spec::new(family, 1)).unwrap();
        let (folder, pids) = (cluster.folder().to_path_buf(), [cluster.pid(0).unwrap(), cluster.pid(1).unwrap()]);
        cluster.freeze(1).unwrap();
        let panicked = std::thread::spawn(move || {
            let _cluster = cluster;
            panic!("a test that fails");
        });
        assert!(panicked.join().is_err());
        assert!(!folder.exists());
        for pid in pids {
            assert!(!std::path::Path::new(&format!("/proc/{pid}")).exists(), "{family}");
        }
    }
}

/// What the family's own client program prints for `text`, standard error included.
fn client(cluster: &Cluster, n: usize, user: &str, password: &str, text: &str) -> String {
    let mut command = match (&cluster.tools().prefix, cluster.family()) {
        (Some(prefix), Family::MySql) => std::process::Command::new(prefix.join("bin/mysql")),
        _ => std::process::Command::new("mariadb"),
    };
    let socket = cluster.endpoint(n).socket;
    let out = command
        .args(["--no-defaults", "-N", "-B", &format!("-u{user}"), &format!("-p{password}")])
        .arg(format!("--socket={}", socket.display()))
        .args(["-e", text])
        .output()
        .unwrap();
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}
