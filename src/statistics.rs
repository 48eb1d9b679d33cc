//! What the process has counted, under the names of mysqlnd_ms and, behind them, of our own. Plain atomic numbers: no lock, nothing per handle.
//!
//! Counting is off unless `mysqlnd_ms.collect_statistics` is on: then it costs one addition, else one load and one branch.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

macro_rules! counters {
    ($($(#[$doc:meta])* $variant:ident = $name:literal),* $(,)?) => {
        /// One of the counters. Those of what this library does not have (Fabric, pools, XA state stores) stay 0.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Counter { $($(#[$doc])* $variant),* }

        /// Their names, in the order of the reference; ours come last.
        pub const NAMES: &[&std::ffi::CStr] = &[$($name),*];
    };
}

counters! {
    /// A replica was used.
    UseSlave = c"use_slave",
    /// A source was used.
    UseMaster = c"use_master",
    /// A statement without a hint was found to be a read.
    UseSlaveGuess = c"use_slave_guess",
    /// A statement without a hint was found to be anything else.
    UseMasterGuess = c"use_master_guess",
    /// `ms=slave` was seen.
    UseSlaveSqlHint = c"use_slave_sql_hint",
    /// `ms=master` was seen.
    UseMasterSqlHint = c"use_master_sql_hint",
    /// `ms=last_used` was seen.
    UseLastUsedSqlHint = c"use_last_used_sql_hint",
    /// A filter of the program chose a replica.
    UseSlaveCallback = c"use_slave_callback",
    /// A filter of the program chose a source.
    UseMasterCallback = c"use_master_callback",
    /// Connects to replicas in `mysql_real_connect`.
    NonLazySlaveSuccess = c"non_lazy_connections_slave_success",
    /// The same, failed.
    NonLazySlaveFailure = c"non_lazy_connections_slave_failure",
    /// Connects to sources in `mysql_real_connect`.
    NonLazyMasterSuccess = c"non_lazy_connections_master_success",
    /// The same, failed.
    NonLazyMasterFailure = c"non_lazy_connections_master_failure",
    /// Connects to replicas on first use.
    LazySlaveSuccess = c"lazy_connections_slave_success",
    /// The same, failed.
    LazySlaveFailure = c"lazy_connections_slave_failure",
    /// Connects to sources on first use.
    LazyMasterSuccess = c"lazy_connections_master_success",
    /// The same, failed.
    LazyMasterFailure = c"lazy_connections_master_failure",
    /// `mysql_autocommit` on.
    TrxAutocommitOn = c"trx_autocommit_on",
    /// `mysql_autocommit` off.
    TrxAutocommitOff = c"trx_autocommit_off",
    /// A statement of a transaction under `trx_stickiness=master`.
    TrxMasterForced = c"trx_master_forced",
    /// `on_commit` ran in front of an autocommit statement.
    GtidAutocommitSuccess = c"gtid_autocommit_injections_success",
    /// The same, failed.
    GtidAutocommitFailure = c"gtid_autocommit_injections_failure",
    /// `on_commit` ran in front of a commit.
    GtidCommitSuccess = c"gtid_commit_injections_success",
    /// The same, failed.
    GtidCommitFailure = c"gtid_commit_injections_failure",
    /// `on_commit` ran in front of an implicit commit.
    GtidImplicitSuccess = c"gtid_implicit_commit_injections_success",
    /// The same, failed.
    GtidImplicitFailure = c"gtid_implicit_commit_injections_failure",
    /// A statement was repeated because of a transient error.
    TransientErrorRetries = c"transient_error_retries",
    /// Fabric.
    FabricLookupSuccess = c"fabric_sharding_lookup_servers_success",
    /// Fabric.
    FabricLookupFailure = c"fabric_sharding_lookup_servers_failure",
    /// Fabric.
    FabricLookupTime = c"fabric_sharding_lookup_servers_time_total",
    /// Fabric.
    FabricLookupBytes = c"fabric_sharding_lookup_servers_bytes_total",
    /// Fabric.
    FabricLookupXml = c"fabric_sharding_lookup_servers_xml_failure",
    /// XA.
    XaBegin = c"xa_begin",
    /// XA.
    XaCommitSuccess = c"xa_commit_success",
    /// XA.
    XaCommitFailure = c"xa_commit_failure",
    /// XA.
    XaRollbackSuccess = c"xa_rollback_success",
    /// XA.
    XaRollbackFailure = c"xa_rollback_failure",
    /// XA.
    XaParticipants = c"xa_participants",
    /// XA.
    XaRollbackOnClose = c"xa_rollback_on_close",
    /// A gauge: sources of the sections of the handles that are connected now, one for each handle.
    PoolMastersTotal = c"pool_masters_total",
    /// Replicas likewise.
    PoolSlavesTotal = c"pool_slaves_total",
    /// Those of the sources that are neither off nor drained, nor left out without `multi_master`.
    PoolMastersActive = c"pool_masters_active",
    /// Those of the replicas likewise.
    PoolSlavesActive = c"pool_slaves_active",
    /// Fabric.
    PoolUpdates = c"pool_updates",
    /// Fabric.
    PoolMasterReactivated = c"pool_master_reactivated",
    /// Fabric.
    PoolSlaveReactivated = c"pool_slave_reactivated",
    /// Ours: a replica did not get to what a read was promised, and was believed (`consistency.on_timeout` is `stale`).
    StaleReads = c"stale_reads",
}

static ON: AtomicBool = AtomicBool::new(false);
static VALUES: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];

/// Switches counting on or off.
pub fn collect(on: bool) {
    ON.store(on, Ordering::Relaxed);
}

/// Whether there is counting.
#[inline]
pub fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// Counts one.
#[inline]
pub fn count(counter: Counter) {
    add(counter, 1);
}

/// Counts several.
#[inline]
pub fn add(counter: Counter, number: u64) {
    if is_on() {
        VALUES[counter as usize].fetch_add(number, Ordering::Relaxed);
    }
}

/// Takes from a gauge what was added to it, whether there is counting or not.
pub fn take(counter: Counter, number: u64) {
    VALUES[counter as usize].fetch_sub(number, Ordering::Relaxed);
}

/// A counter's value, by its place in [`NAMES`]; 0 beyond them.
pub fn value(index: usize) -> u64 {
    VALUES.get(index).map_or(0, |value| value.load(Ordering::Relaxed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_the_plugins_counters_and_ours_and_they_count_when_switched_on() {
        assert_eq!(NAMES.len(), 47);
        assert_eq!(NAMES[46..], [c"stale_reads"]);
        let index = Counter::PoolSlaveReactivated as usize;
        assert_eq!((NAMES[index], index), (c"pool_slave_reactivated", 45));
        assert_eq!(NAMES[Counter::TransientErrorRetries as usize], c"transient_error_retries");
        let before = value(index);
        count(Counter::PoolSlaveReactivated);
        assert_eq!(value(index), before);
        collect(true);
        count(Counter::PoolSlaveReactivated);
        assert_eq!(value(index), before + 1);
        collect(false);
    }
}
