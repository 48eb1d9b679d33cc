//! Makes a group of MySQL's Group Replication out of a cluster's nodes.

use std::time::Duration;

use harness::Cluster;

/// The first node is the group's primary. Returns when all are ONLINE.
pub fn form(cluster: &Cluster) {
    let free = |_| std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let ports: Vec<_> = cluster.nodes().map(free).map(|one| one.local_addr().unwrap().port()).collect();
    let seeds: Vec<String> = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
    let run =
        |node: usize, text: &str| cluster.sql(node, text).unwrap_or_else(|error| panic!("{node}: {text}: {error}"));
    for node in cluster.nodes().skip(1) {
        run(node, "STOP REPLICA; RESET REPLICA ALL; SET GLOBAL read_only = 0");
    }
    let (user, password) = (harness::REPL_USER, harness::REPL_PASSWORD);
    for node in cluster.nodes() {
        run(node, "INSTALL PLUGIN group_replication SONAME 'group_replication.so'");
        for (name, value) in [
            ("group_name", "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"),
            ("local_address", &seeds[node]),
            ("group_seeds", &seeds.join(",")),
            ("ip_allowlist", "127.0.0.0/8"),
        ] {
            run(node, &format!("SET GLOBAL group_replication_{name} = '{value}'"));
        }
        run(node, "SET GLOBAL group_replication_recovery_get_public_key = ON");
        run(node, "SET GLOBAL group_replication_member_expel_timeout = 0");
        run(
            node,
            &format!(
                "CHANGE REPLICATION SOURCE TO SOURCE_USER='{user}', SOURCE_PASSWORD='{password}' FOR CHANNEL \
                 'group_replication_recovery'"
            ),
        );
        if node == 0 {
            run(node, "SET GLOBAL group_replication_bootstrap_group = ON");
        }
        run(node, "START GROUP_REPLICATION");
        if node == 0 {
            run(node, "SET GLOBAL group_replication_bootstrap_group = OFF");
        }
        let state =
            "SELECT MEMBER_STATE FROM performance_schema.replication_group_members WHERE MEMBER_ID = @@server_uuid";
        while run(node, state).scalar() != "ONLINE" {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
