//! What follows a routed handle from node to node, what binds it to one, and its transactions, on real clusters of both
//! families.
#![allow(clippy::unwrap_used)]

#[path = "routed_state/arming.rs"]
mod arming;
#[path = "routed_state/binding.rs"]
mod binding;
#[path = "routed_state/calls.rs"]
mod calls;
#[path = "routed_state/constructs.rs"]
mod constructs;
#[path = "routed_state/following.rs"]
mod following;
#[path = "routed/lab.rs"]
mod lab;
#[path = "routed_state/transactions.rs"]
mod transactions;

/// A database of the test's own on the shared cluster, on all nodes, with a table `t (id, v)`.
fn database(cluster: &harness::Cluster, name: &str) -> String {
    lab::database(cluster, &format!("state_{name}"), &[lab::TABLE])
}

/// Reads in turn, whatever the handle wrote before: what these tests are about is not consistency.
const ROUND_ROBIN: &str = r#""filters": {"roundrobin": []}, "consistency": "eventual""#;
