//! The public structs of both families: the Rust types, the committed tables of the originals' layouts, and C programs
//! compiled with the originals' headers and with ours all say the same.
#![allow(clippy::unwrap_used)]

mod elf;

use mysqlclient_ms::abi::family::{self, mariadb, mysql, rpl};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `STRUCT` -> (size, alignment); `STRUCT.field` -> (offset, size).
type Layout = BTreeMap<String, (usize, usize)>;

fn root(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

fn parse(text: &str) -> Layout {
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            (words[0].to_owned(), (words[1].parse().unwrap(), words[2].parse().unwrap()))
        })
        .collect()
}

fn committed(name: &str) -> Layout {
    parse(&fs::read_to_string(root("tests/data").join(name)).unwrap())
}

macro_rules! add {
    ($layout:ident, $($c:literal: $rust:path),* $(,)?) => {
        $(
            $layout.insert($c.to_owned(), (size_of::<$rust>(), align_of::<$rust>()));
            for (field, offset, size) in <$rust>::FIELDS {
                $layout.insert(format!("{}.{}", $c, field.trim_start_matches("r#")), (*offset, *size));
            }
        )*
    };
}

fn rust_mysql() -> Layout {
    let mut layout = shared();
    add!(
        layout,
        "NET": mysql::Net, "st_mysql_options": mysql::Options, "MYSQL": mysql::Mysql, "MYSQL_RES": mysql::Res,
        "MYSQL_DATA": mysql::Data, "MYSQL_STMT": mysql::Stmt, "MYSQL_TIME": mysql::Time, "MYSQL_RPL": mysql::Rpl,
        "st_mysql_client_plugin": mysql::ClientPlugin, "MYSQL_PLUGIN_VIO_INFO": mysql::PluginVioInfo,
        "MYSQL_PLUGIN_VIO": mysql::PluginVio,
    );
    layout
}

fn rust_mariadb() -> Layout {
    let mut layout = shared();
    add!(
        layout,
        "NET": mariadb::Net, "st_mysql_options": mariadb::Options, "MYSQL": mariadb::Mysql, "MYSQL_RES": mariadb::Res,
        "MYSQL_DATA": mariadb::Data, "MYSQL_STMT": mariadb::Stmt, "MYSQL_TIME": mariadb::Time,
        "st_mysql_client_plugin": mariadb::ClientPlugin, "MYSQL_PLUGIN_VIO_INFO": mariadb::PluginVioInfo,
        "MYSQL_PLUGIN_VIO": mariadb::PluginVio, "MA_MEM_ROOT": mariadb::MemRoot,
        "st_mysqlnd_upsert_result": mariadb::UpsertStatus, "MARIADB_CONST_STRING": mariadb::ConstString,
        "MARIADB_CHARSET_INFO": mariadb::CharsetInfo, "st_mariadb_methods": mariadb::Methods,
        "MYSQL_PARAMETERS": mariadb::Parameters, "st_mysql_perm_bind": mariadb::PsConversion,
    );
    // One Rust type serves both families; these two fields have other names in this one.
    for (mysql, mariadb) in [("MYSQL_BIND.row_ptr", "MYSQL_BIND.u"), ("MYSQL_BIND.param_number", "MYSQL_BIND.flags")] {
        let place = layout.remove(mysql).unwrap();
        layout.insert(mariadb.to_owned(), place);
    }
    layout
}

fn shared() -> Layout {
    let mut layout = Layout::new();
    add!(
        layout,
        "MYSQL_FIELD": family::Field, "MYSQL_ROWS": family::Rows, "LIST": family::List, "MYSQL_BIND": family::Bind,
        "MY_CHARSET_INFO": family::MyCharsetInfo,
    );
    layout
}

fn same(what: &str, got: &Layout, wanted: &Layout) {
    let mut wrong = Vec::new();
    for name in got.keys().chain(wanted.keys()) {
        if got.get(name) != wanted.get(name) {
            wrong.push(format!("{name}: {:?} instead of {:?}", got.get(name), wanted.get(name)));
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{what}\n{}", wrong.join("\n"));
}

/// What `layout.c` prints when it is compiled with these header folders; its first line, too.
fn compiled(name: &str, include: &[&Path], plugins: bool) -> (String, Layout) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout").join(name);
    fs::create_dir_all(&folder).unwrap();
    // Debian's client_plugin.h of Connector/C includes a file that the package lacks.
    fs::write(folder.join("ma_compress.h"), "typedef struct ma_compress_ctx ma_compress_ctx;\n").unwrap();
    let program = folder.join("layout");
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-std=c11", "-Wall", "-Werror"]);
    for path in include {
        cc.arg("-I").arg(path);
    }
    cc.arg("-idirafter").arg(&folder);
    if plugins {
        cc.arg("-DWITH_PLUGINS");
    }
    let output = cc.arg(root("c_tests/layout.c")).arg("-o").arg(&program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    (text.lines().next().unwrap().to_owned(), parse(&text))
}

fn without_plugins(mut layout: Layout) -> Layout {
    layout.retain(|name, _| !name.contains("PLUGIN") && !name.contains("client_plugin"));
    layout
}

#[test]
fn the_rust_types_are_the_originals() {
    same("Rust against libmysqlclient 9.7.4", &rust_mysql(), &committed("layout-mysql.txt"));
    same("Rust against Connector/C 3.4.10", &rust_mariadb(), &committed("layout-mariadb34.txt"));
}

/// `.so.21` differs in one struct, which a library fills for plugins: they are asked for no more than it has.
#[test]
fn so_21_has_the_layouts_of_so_24() {
    let mut old = committed("layout-mysql80.txt");
    assert_eq!(old.insert("MYSQL_PLUGIN_VIO_INFO".to_owned(), (12, 4)), Some((8, 4)));
    assert_eq!(old.insert("MYSQL_PLUGIN_VIO_INFO.is_tls_established".to_owned(), (8, 1)), None);
    same("8.0.27 against 9.7.4", &old, &committed("layout-mysql.txt"));
}

/// 3.4 gave a name to an unused byte of `NET` and one field more to `MYSQL_STMT`, which only the library allocates.
#[test]
fn connector_c_3_3_has_the_layouts_of_3_4() {
    let mut old = committed("layout-mariadb33.txt");
    let mut new = committed("layout-mariadb34.txt");
    assert_eq!(new.remove("MYSQL_STMT.sql"), Some((928, 16)));
    assert_eq!((old.remove("MYSQL_STMT"), new.remove("MYSQL_STMT")), (Some((928, 8)), Some((944, 8))));
    assert_eq!(new.remove("NET.tls_verify_status"), Some((131, 1)));
    old.retain(|name, _| !name.starts_with("NET.unused_"));
    new.retain(|name, _| !name.starts_with("NET.unused_"));
    same("3.3.20 against 3.4.10", &old, &new);
}

#[test]
fn the_real_header_of_connector_c() {
    let header = Path::new("/usr/include/mariadb");
    if !header.join("mysql.h").is_file() {
        assert!(!elf::in_ci(), "CI needs libmariadb-dev");
        return;
    }
    let (version, layout) = compiled("mariadb", &[header], true);
    let number: u32 = version.strip_prefix("# mariadb ").unwrap().parse().unwrap();
    let table = if number >= 30400 { "layout-mariadb34.txt" } else { "layout-mariadb33.txt" };
    same(&format!("{version} against {table}"), &layout, &committed(table));
}

/// The structs of binary logs grow from release to release: compared with the header of the one that ours have.
#[test]
fn the_real_header_of_connector_cs_binary_logs() {
    let header = Path::new("/usr/include/mariadb/mariadb_rpl.h");
    if !fs::read_to_string(header).is_ok_and(|text| text.contains("num_post_header_lengths")) {
        return;
    }
    let mut rust = Layout::new();
    add!(
        rust,
        "MARIADB_STRING": rpl::Text, "MARIADB_RPL": rpl::Rpl, "MARIADB_RPL_EVENT": rpl::Event,
        "MARIADB_RPL_VALUE": rpl::Value, "MARIADB_RPL_ROW": rpl::Row, "MARIADB_GTID": rpl::Gtid,
        "st_mariadb_rpl_rotate_event": rpl::Rotate, "st_mariadb_rpl_query_event": rpl::Query,
        "st_mariadb_rpl_gtid_list_event": rpl::GtidList, "st_mariadb_rpl_xid_event": rpl::Xid,
        "st_mariadb_rpl_format_description_event": rpl::FormatDescription, "st_mariadb_rpl_gtid_event": rpl::GtidEvent,
        "st_mariadb_rpl_table_map_event": rpl::TableMap, "st_mariadb_rpl_rand_event": rpl::Random,
        "st_mariadb_rpl_intvar_event": rpl::IntVariable, "st_mariadb_begin_load_query_event": rpl::BeginLoad,
        "st_mariadb_start_encryption_event": rpl::Encryption, "st_mariadb_execute_load_query_event": rpl::ExecuteLoad,
        "st_mariadb_rpl_uservar_event": rpl::UserVariable, "st_mariadb_rpl_rows_event": rpl::Rows,
        "st_mariadb_rpl_xa_prepare_log_event": rpl::XaPrepare, "st_mariadb_gtid_log_event": rpl::GtidLog,
    );
    let mut source =
        "#include <mysql.h>\n#include <mariadb_rpl.h>\n#include <stddef.h>\n#include <stdio.h>\n".to_owned();
    source += "int main(void) {\n";
    for name in rust.keys() {
        let c = |name: &str| if name.starts_with("st_") { format!("struct {name}") } else { name.to_owned() };
        source += &match name.split_once('.') {
            None => format!("printf(\"{name} %zu %zu\\n\", sizeof({0}), _Alignof({0}));\n", c(name)),
            Some((of, field)) => {
                format!("printf(\"{name} %zu %zu\\n\", offsetof({0}, {field}), sizeof((({0} *)0)->{field}));\n", c(of))
            }
        };
    }
    source += "}\n";
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout").join("rpl");
    fs::create_dir_all(&folder).unwrap();
    let (file, program) = (folder.join("rpl.c"), folder.join("rpl"));
    fs::write(&file, source).unwrap();
    let mut cc = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    cc.args(["-std=c11", "-I/usr/include/mariadb"]).arg(&file).arg("-o").arg(&program);
    let output = cc.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(Command::new(&program).output().unwrap().stdout).unwrap();
    same("Rust against mariadb_rpl.h", &rust, &parse(&text));
}

#[test]
fn the_real_header_of_libmysqlclient() {
    let Some(prefix) = elf::mysql_prefix() else { return };
    let header = elf::find_below(&prefix, "mysql_version.h").expect("MYSQL_PREFIX has mysql_version.h");
    let include = header.parent().unwrap();
    let (version, layout) = compiled("mysql", &[include, include.parent().unwrap()], true);
    same(&version, &layout, &committed("layout-mysql.txt"));
}

#[test]
fn our_header_is_libmysqlclients() {
    let (version, layout) = compiled("ours", &[&root("include")], false);
    same(&version, &layout, &without_plugins(committed("layout-mysql.txt")));
}
