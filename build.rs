//! Makes what `src/abi/exports.list` asks for: the version script, the stubs of unfinished functions, and one jump per
//! exported name and family, each under the version nodes of the real libraries.
//!
//! rustc writes a version script of its own for a cdylib and hides everything that it does not know. So the exported
//! names are assembler labels with `.symver`, and ours is a second script, which lld (rustc's linker on x86-64 Linux)
//! accepts. For linkers that refuse two scripts there is `src/abi/soname/relink.sh`.

#[path = "src/abi/list.rs"]
#[allow(dead_code)]
mod list;

use list::{Export, Side, State};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=src/abi/list.rs");
    println!("cargo:rerun-if-changed=src/abi/exports.list");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let text = fs::read_to_string("src/abi/exports.list").expect("src/abi/exports.list is readable");
    let exports = list::parse(&text).unwrap_or_else(|e| panic!("{e}"));

    let script = out.join("versions.map");
    fs::write(&script, version_script()).expect("OUT_DIR is writable");
    fs::write(out.join("exports.rs"), rust(&exports)).expect("OUT_DIR is writable");

    if env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,--version-script={}", script.display());
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libmysqlclient_ms.so");
        // A host may dlclose a module that pulled us in while our thread-local destructors are still registered.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}

/// One empty node per version; the names come from `.symver`. Our own, the last one, hides the rest.
fn version_script() -> String {
    let mut script = String::new();
    for (_, node) in list::NODES {
        let own = if node == list::OWN_NODE { " global: mysqlnd_ms_*; mysqlclient_ms_1; local: *; " } else { "" };
        let _ = writeln!(script, "{node} {{{own}}};");
    }
    script
}

fn rust(exports: &[Export]) -> String {
    let mut stubs = String::new();
    let mut jumps = String::new();
    for export in exports {
        if export.is_data() {
            continue; // by hand, in src/abi/data.rs
        }
        if export.is_version() {
            version(&mut jumps, export);
            continue;
        }
        if export.is_own() {
            let state = export.mysql.as_ref().map_or(State::Stub, |s| s.state);
            if state == State::Stub {
                stub(&mut stubs, export);
            }
            let target = target(export, state, None);
            jump(&mut jumps, export, &export.nodes(), &target, "own");
            continue;
        }
        let sides = [(&export.mysql, "MySql", "my"), (&export.mariadb, "MariaDb", "ma")];
        if sides.iter().any(|(s, _, _)| s.as_ref().is_some_and(|s| s.state == State::Stub)) {
            stub(&mut stubs, export);
        }
        for (side, family, tag) in sides {
            if let Some(Side { nodes, state }) = side {
                jump(&mut jumps, export, nodes, &target(export, *state, Some(family)), tag);
            }
        }
    }
    format!(
        "/// Entries of functions that are not done yet.\npub mod stubs {{\n    #[allow(unused_imports)]\n    use crate::abi::stub::entry_stub;\n\n{stubs}}}\n\n{jumps}"
    )
}

/// The absolute symbol that GNU ld makes for a version node, and lld does not.
fn version(text: &mut String, export: &Export) {
    let name = &export.name;
    let label = format!("mysqlclient_ms.node.{name}");
    let _ = writeln!(text, "::core::arch::global_asm!(");
    let _ = writeln!(text, "    \".set {label}, 0\", \".weak {label}\",");
    let _ = writeln!(text, "    \".symver {label}, {name}@@{name}, remove\",\n);");
}

fn stub(text: &mut String, export: &Export) {
    let _ = writeln!(text, "    entry_stub!({}, {}, {});", export.name, export.first.replace('+', " "), export.fails);
}

fn target(export: &Export, state: State, family: Option<&str>) -> String {
    let place = match state {
        State::Stub => "crate::abi::exports::stubs".to_owned(),
        State::Done | State::Partial => format!("crate::abi::{}", export.module),
    };
    match family {
        Some(family) => format!("{place}::{}::<crate::abi::family::{family}>", export.name),
        None => format!("{place}::{}", export.name),
    }
}

/// One jump instruction with a label per node. Labels and `.symver` stand in one block, so that any number of codegen
/// units is fine; `remove` drops the labels.
fn jump(text: &mut String, export: &Export, nodes: &[&str], target: &str, tag: &str) {
    let name = &export.name;
    let labels: Vec<String> = (0..nodes.len()).map(|i| format!("mysqlclient_ms.{tag}{i}.{name}")).collect();
    let _ = writeln!(text, "::core::arch::global_asm!(");
    let _ = writeln!(text, "    \".pushsection .text.mysqlclient_ms.{tag}.{name},\\\"ax\\\",@progbits\",");
    for label in &labels {
        let _ = writeln!(text, "    \".globl {label}\",");
        let _ = writeln!(text, "    \".type {label},@function\",");
        let _ = writeln!(text, "    \"{label}:\",");
    }
    let _ = writeln!(text, "    concat!(\"\\t\", jump!(), \" {{target}}\"),");
    for (label, node) in labels.iter().zip(nodes) {
        let at = if *node == export.default_node() { "@@" } else { "@" };
        let _ = writeln!(text, "    \".size {label}, . - {label}\",");
        let _ = writeln!(text, "    \".symver {label}, {name}{at}{node}, remove\",");
    }
    let _ = writeln!(text, "    \".popsection\",");
    let _ = writeln!(text, "    target = sym {target},\n);");
}
