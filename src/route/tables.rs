//! Tables and variables whose contents belong to one server or one connection, not to the data.
//!
//! Lists of what is the same on all nodes; whatever is not listed is taken for one server's own.

use super::context::DefaultSchema;
use super::statement::TableRef;

/// Tables of information_schema that describe the replicated schema objects and accounts, or the server's fixed tables
/// of names.
const SCHEMA_VIEWS: &[&str] = &[
    "administrable_role_authorizations",
    "applicable_roles",
    "character_sets",
    "check_constraints",
    "collation_character_set_applicability",
    "collations",
    "column_privileges",
    "column_statistics",
    "columns",
    "columns_extensions",
    "enabled_roles",
    "events",
    "geometry_columns",
    "json_duality_view_columns",
    "json_duality_view_links",
    "json_duality_view_tables",
    "json_duality_views",
    "key_column_usage",
    "key_period_usage",
    "keywords",
    "libraries",
    "parameters",
    "partitions",
    "periods",
    "referential_constraints",
    "role_column_grants",
    "role_routine_grants",
    "role_table_grants",
    "routine_libraries",
    "routines",
    "schema_privileges",
    "schemata",
    "schemata_extensions",
    "sequences",
    "spatial_ref_sys",
    "sql_functions",
    "st_geometry_columns",
    "st_spatial_reference_systems",
    "st_units_of_measure",
    "statistics",
    "table_constraints",
    "table_constraints_extensions",
    "table_privileges",
    "tables",
    "tables_extensions",
    "triggers",
    "user_attributes",
    "user_privileges",
    "view_routine_usage",
    "view_table_usage",
    "views",
];

/// Session variables that are part of the session's record: equal on all nodes, or the handle is bound to the node on
/// which they were set. Not listed: everything global, and what tells of one server or of the last statement.
const RECORD_VARIABLES: &[&str] = &[
    "auto_increment_increment",
    "auto_increment_offset",
    "autocommit",
    "character_set_client",
    "character_set_connection",
    "character_set_database",
    "character_set_results",
    "character_set_server",
    "collation_connection",
    "collation_database",
    "collation_server",
    "foreign_key_checks",
    "group_concat_max_len",
    "init_connect",
    "interactive_timeout",
    "lc_time_names",
    "license",
    "lower_case_table_names",
    "max_allowed_packet",
    "net_buffer_length",
    "net_read_timeout",
    "net_write_timeout",
    "performance_schema",
    "query_cache_size",
    "query_cache_type",
    "sql_mode",
    "sql_safe_updates",
    "sql_select_limit",
    "system_time_zone",
    "time_zone",
    "transaction_isolation",
    "transaction_read_only",
    "tx_isolation",
    "tx_read_only",
    "unique_checks",
    "version",
    "version_comment",
    "version_compile_machine",
    "version_compile_os",
    "wait_timeout",
];

/// What reading a system variable asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableKind {
    /// Part of the session's record.
    Record,
    /// `@@identity`, `@@last_insert_id`, `@@last_gtid`.
    LastWrite,
    /// The last statement's diagnostics, or one server's own.
    LastUsed,
}

fn listed(list: &[&str], name: &[u8]) -> bool {
    let mut small = [0u8; 48];
    let Some(small) = small.get_mut(..name.len()) else {
        return false;
    };
    small.copy_from_slice(name);
    small.make_ascii_lowercase();
    list.binary_search_by(|entry| entry.as_bytes().cmp(small)).is_ok()
}

/// Whether a table's contents are one server's own. `schema` is that of names without one.
#[inline]
pub(super) fn is_per_server(text: &[u8], table: &TableRef, schema: DefaultSchema) -> bool {
    if table.schema.is_none() && schema == DefaultSchema::Ordinary {
        return false;
    }
    let schema = match table.schema {
        None => schema,
        Some(span) => DefaultSchema::by_name(&span.name(text)),
    };
    match schema {
        DefaultSchema::Ordinary => false,
        DefaultSchema::Information => !listed(SCHEMA_VIEWS, &table.name.name(text)),
        DefaultSchema::PerServer => true,
    }
}

/// What `@@name` (with both `@`, with or without scope) asks for.
pub(super) fn variable_kind(token: &[u8]) -> VariableKind {
    let full = token.strip_prefix(b"@@").unwrap_or(token);
    let (scope, name) = match memchr::memchr(b'.', full) {
        Some(dot) => (&full[..dot], &full[dot + 1..]),
        None => (&b""[..], full),
    };
    let is = |a: &[u8], b: &str| a.eq_ignore_ascii_case(b.as_bytes());
    if !(scope.is_empty() || is(scope, "session") || is(scope, "local")) {
        return VariableKind::LastUsed;
    }
    if is(name, "identity") || is(name, "last_insert_id") || is(name, "last_gtid") {
        VariableKind::LastWrite
    } else if listed(RECORD_VARIABLES, name) {
        VariableKind::Record
    } else {
        VariableKind::LastUsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted() {
        assert!(SCHEMA_VIEWS.is_sorted() && RECORD_VARIABLES.is_sorted());
    }
}
