//! Who answers a program: preloaded, in the place of the original, by dlopen and dlsym, and when it was linked to us.
//!
//! The programs are in `c_tests/binding`. Originals that are not on this machine are stood for by small libraries with
//! the same soname and version node, which would say "original". Where MySQL is, a program is built against the real
//! libmysqlclient.so.24 and run by its loader.
#![allow(clippy::unwrap_used)]

mod elf;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const MYSQL: &str = "9.7.4";
const MARIADB: &str = "3.3.20";
const CORE: &str = "libmysqlclient_ms.so";
const STAND_INS: [(&str, &str); 3] = [
    ("libmariadb.so.3", "libmysqlclient_18"),
    ("libmysqlclient.so.21", "libmysqlclient_21.0"),
    ("libmysqlclient.so.24", "libmysqlclient_24.0"),
];

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("c_tests/binding").join(name)
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && errors.is_empty(), "{command:?}: {}\n{text}\n{errors}", output.status);
    text
}

fn cc() -> Command {
    let mut command = Command::new(std::env::var_os("CC").unwrap_or_else(|| "cc".into()));
    command.args(["-Wall", "-Werror"]);
    command
}

/// Everything that the tests run, built once.
struct Built {
    /// Holds the library, like an installation's lib folder.
    lib: PathBuf,
    /// The soname folder below it.
    soname: PathBuf,
    /// Stand-ins of the originals.
    originals: PathBuf,
    /// Programs and plugins.
    bin: PathBuf,
}

fn built() -> &'static Built {
    static BUILT: OnceLock<Built> = OnceLock::new();
    BUILT.get_or_init(|| {
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("binding");
        let _ = fs::remove_dir_all(&root);
        let dir = |name: &str| {
            let path = root.join(name);
            fs::create_dir_all(&path).unwrap();
            path
        };
        let built =
            Built { lib: dir("lib"), soname: dir("lib/mysqlclient-ms"), originals: dir("originals"), bin: dir("bin") };
        fs::copy(elf::library(), built.lib.join(CORE)).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/abi/soname/build.sh");
        run(Command::new(script).arg(&built.lib).arg(&built.soname));

        for (soname, node) in STAND_INS {
            let map = built.originals.join(format!("{soname}.map"));
            fs::write(&map, format!("{node} {{ global: mysql_*; local: *; }};\n")).unwrap();
            let original = built.originals.join(soname);
            run(cc().args(["-shared", "-fPIC", "-DWHO=\"original\""]).arg("-o").arg(&original).args([
                format!("-Wl,-soname,{soname}"),
                format!("-Wl,--version-script={}", map.display()),
                source("original.c").display().to_string(),
            ]));
            run(cc().arg(source("client.c")).arg("-o").arg(built.bin.join(soname)).arg(&original).arg("-ldl"));
            run(cc()
                .args(["-shared", "-fPIC"])
                .arg(format!("-DTAG=\"{soname}\""))
                .arg(source("module.c"))
                .arg("-o")
                .arg(built.module(soname))
                .arg(&original));
        }
        run(cc().arg(source("host.c")).arg("-o").arg(built.bin.join("host")).arg("-ldl"));
        built
    })
}

impl Built {
    fn module(&self, soname: &str) -> PathBuf {
        self.bin.join(format!("module-{soname}.so"))
    }

    /// A program with the stand-ins installed, and the library preloaded.
    fn preloaded(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        command.env("LD_LIBRARY_PATH", &self.originals).env("LD_PRELOAD", self.lib.join(CORE));
        command
    }

    /// A program with the soname folder in the place of the originals.
    fn replaced(&self, program: &str) -> Command {
        let mut command = Command::new(self.bin.join(program));
        command.env("LD_LIBRARY_PATH", &self.soname);
        command
    }
}

fn info_of(soname: &str) -> (&'static str, u32) {
    if soname == "libmariadb.so.3" { (MARIADB, 30320) } else { (MYSQL, 90704) }
}

fn linked(soname: &str) -> String {
    let (info, version) = info_of(soname);
    format!("linked: {info} from {CORE}\nversion: {version}\n")
}

/// `soname: info from file`
fn line(soname: &str, file: &str) -> String {
    format!("{soname}: {} from {file}\n", info_of(soname).0)
}

/// Every order of the three sonames.
fn orders() -> Vec<[&'static str; 3]> {
    let [a, b, c] = STAND_INS.map(|(soname, _)| soname);
    vec![[a, b, c], [a, c, b], [b, a, c], [b, c, a], [c, a, b], [c, b, a]]
}

#[test]
fn without_us_the_originals_answer() {
    let built = built();
    for (soname, _) in STAND_INS {
        let text = run(Command::new(built.bin.join(soname)).env("LD_LIBRARY_PATH", &built.originals));
        assert_eq!(text, format!("linked: original from {soname}\nversion: 1\n"));
    }
}

#[test]
fn preloaded_every_program_gets_its_own_abi() {
    for (soname, _) in STAND_INS {
        assert_eq!(run(&mut built().preloaded(soname)), linked(soname), "{soname}");
    }
}

#[test]
fn preloaded_three_abis_in_one_process_in_any_order() {
    let built = built();
    for order in orders() {
        let mut command = built.preloaded("host");
        let mut wanted = String::new();
        for soname in order {
            command.arg("mod").arg(built.module(soname));
            wanted += &line(soname, CORE);
        }
        assert_eq!(run(&mut command), wanted);
    }
}

#[test]
fn replaced_every_program_gets_its_own_abi() {
    for (soname, _) in STAND_INS {
        assert_eq!(run(&mut built().replaced(soname)), linked(soname), "{soname}");
    }
}

#[test]
fn replaced_three_abis_in_one_process_in_any_order() {
    let built = built();
    for how in ["mod", "deep"] {
        for order in orders() {
            let mut command = built.replaced("host");
            let mut wanted = String::new();
            for soname in order {
                command.arg(how).arg(built.module(soname));
                wanted += &line(soname, CORE);
            }
            assert_eq!(run(&mut command), wanted, "{how}");
        }
    }
}

/// dlsym asks for no version: it gets the ABI of the file that was opened.
#[test]
fn replaced_dlopen_and_dlsym_get_the_files_abi_in_any_order() {
    let built = built();
    for order in orders() {
        let mut command = built.replaced("host");
        let mut wanted = String::new();
        for soname in order {
            command.args(["lib", soname]);
            wanted += &line(soname, if soname == "libmariadb.so.3" { soname } else { CORE });
        }
        assert_eq!(run(&mut command), wanted);
    }
}

/// A program of one ABI that opens the other's library; and modules mixed with dlsym.
#[test]
fn replaced_a_linked_program_opens_another_abi() {
    let built = built();
    let mut command = built.replaced("host");
    command.arg("mod").arg(built.module("libmysqlclient.so.24")).args(["lib", "libmariadb.so.3"]);
    command.arg("mod").arg(built.module("libmariadb.so.3")).args(["lib", "libmysqlclient.so.21"]);
    let wanted = line("libmysqlclient.so.24", CORE)
        + &line("libmariadb.so.3", "libmariadb.so.3")
        + &line("libmariadb.so.3", CORE)
        + &line("libmysqlclient.so.21", CORE);
    assert_eq!(run(&mut command), wanted);
}

#[test]
fn replaced_with_the_library_preloaded_too() {
    let built = built();
    let mut command = built.replaced("host");
    command.env("LD_PRELOAD", built.lib.join(CORE));
    command.args(["lib", "libmariadb.so.3", "lib", "libmysqlclient.so.24"]);
    command.arg("mod").arg(built.module("libmariadb.so.3")).arg("mod").arg(built.module("libmysqlclient.so.21"));
    let wanted = line("libmariadb.so.3", "libmariadb.so.3")
        + &line("libmysqlclient.so.24", CORE)
        + &line("libmariadb.so.3", CORE)
        + &line("libmysqlclient.so.21", CORE);
    assert_eq!(run(&mut command), wanted);
}

/// A program looks for functions to learn what its library can do: another ABI's functions must not be found.
#[test]
fn replaced_dlsym_finds_what_the_original_has_and_nothing_else() {
    let built = built();
    let data =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/original-symbols.tsv")).unwrap();
    let rows: Vec<Vec<&str>> = data
        .lines()
        .filter(|l| !l.starts_with('#'))
        .map(|l| l.split('\t').collect())
        .filter(|r: &Vec<&str>| r[4] != "version")
        .collect();
    let names: std::collections::BTreeSet<&str> = rows.iter().map(|r| r[1]).collect();
    for (soname, _) in STAND_INS {
        let mut command = built.replaced("host");
        let mut wanted = String::new();
        for name in &names {
            let has = rows.iter().any(|r| r[0] == soname && r[1] == *name);
            let word = if has { "has" } else { "lacks" };
            command.args([word, soname, name]);
            wanted += &format!("{soname} {word} {name}\n");
        }
        command.args(["has", soname, "mysqlnd_ms_query_is_select"]);
        wanted += &format!("{soname} has mysqlnd_ms_query_is_select\n");
        assert_eq!(run(&mut command), wanted);
    }
}

#[test]
fn replaced_dlvsym_gets_the_node_asked_for() {
    let built = built();
    let mut command = built.replaced("host");
    command.args(["node", "libmariadb.so.3", "libmysqlclient_18", "node", "libmariadb.so.3", "libmariadbclient_18"]);
    command.args(["node", "libmysqlclient.so.24", "libmysqlclient_24.0"]);
    let wanted = format!(
        "libmysqlclient_18: {MARIADB} from {CORE}\nlibmariadbclient_18: {MARIADB} from {CORE}\nlibmysqlclient_24.0: {MYSQL} from {CORE}\n"
    );
    assert_eq!(run(&mut command), wanted);
}

/// New programs, linked to the link-time stubs: they need our soname and nothing else.
#[test]
fn programs_linked_to_the_stubs_get_the_stubs_family() {
    let built = built();
    for (library, soname) in [("mysqlclient", "libmysqlclient.so.24"), ("mariadb", "libmariadb.so.3")] {
        let program = built.bin.join(format!("linked-to-{library}"));
        run(cc()
            .arg(source("client.c"))
            .arg("-o")
            .arg(&program)
            .arg(format!("-L{}", built.soname.join("link").display()))
            .args([format!("-l{library}").as_str(), "-ldl"]));
        assert_eq!(run(Command::new(&program).env("LD_LIBRARY_PATH", &built.lib)), linked(soname));
    }
}

/// A program whose client library has no versions: such are builds of Connector/C, never of libmysqlclient, so it gets
/// Connector/C's ABI, which is the version script's first node.
#[test]
fn preloaded_a_program_that_asks_for_no_version_gets_connector_c() {
    let built = built();
    let original = built.originals.join("libplain.so.1");
    run(cc()
        .args(["-shared", "-fPIC", "-DWHO=\"original\"", "-Wl,-soname,libplain.so.1", "-o"])
        .arg(&original)
        .arg(source("original.c")));
    run(cc().arg(source("client.c")).arg("-o").arg(built.bin.join("plain")).arg(&original).arg("-ldl"));
    assert_eq!(run(&mut built.preloaded("plain")), linked("libmariadb.so.3"));
}

/// dlsym(RTLD_DEFAULT) gets the library's own default, that of libmysqlclient.
#[test]
fn preloaded_dlsym_without_a_handle_gets_libmysqlclient() {
    let text = run(built().preloaded("host").arg("default"));
    assert_eq!(text, format!("default: {MYSQL} from {CORE}\n"));
}

/// Handles of both ABIs in one process, in the program's memory, in either order; MySQL's module is built with our header.
#[test]
fn handles_of_both_abis_in_one_process() {
    let connector = Path::new("/usr/include/mariadb");
    if !connector.join("mysql.h").is_file() {
        assert!(!elf::in_ci(), "CI needs libmariadb-dev");
        return;
    }
    let built = built();
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("include");
    let kinds = [
        ("libmariadb.so.3", connector, "size 1272 error 2002 Can't connect to local server through socket"),
        (
            "libmysqlclient.so.24",
            ours.as_path(),
            "size 1160 error 2002 Can't connect to local MySQL server through socket",
        ),
    ];
    for (soname, include, _) in kinds {
        run(cc()
            .args(["-shared", "-fPIC"])
            .arg(format!("-DTAG=\"{soname}\""))
            .arg("-I")
            .arg(include)
            .arg(source("handle.c"))
            .arg("-o")
            .arg(built.bin.join(format!("handle-{soname}.so")))
            .arg(built.originals.join(soname)));
    }
    for order in [[0, 1, 0], [1, 0, 1]] {
        let mut wanted = String::new();
        let (mut preloaded, mut replaced) = (built.preloaded("host"), built.replaced("host"));
        for kind in order {
            let (soname, _, error) = kinds[kind];
            let module = built.bin.join(format!("handle-{soname}.so"));
            preloaded.arg("mod").arg(&module);
            replaced.arg("mod").arg(&module);
            wanted += &format!(
                "{soname}: init 1 refused 1 fd -1 {error} '/nonexistent/socket' (2)\n\
                 {soname}: again 1 error 0\n\
                 {soname}: back error 2002 field 2002\n\
                 {soname}: memory behind it intact\n"
            );
        }
        assert_eq!(run(&mut preloaded), wanted);
        assert_eq!(run(&mut replaced), wanted);
    }
}

/// A program built with Debian's Connector/C, header and library, and its exported objects, in three ways.
#[test]
fn the_real_connector_c() {
    let headers = Path::new("/usr/include/mariadb");
    if !headers.join("mysql.h").is_file() || elf::system_library("libmariadb.so.3").is_none() {
        assert!(!elf::in_ci(), "CI needs libmariadb-dev");
        return;
    }
    let built = built();
    for (name, flags) in [("pie", ["-fPIE", "-pie"]), ("no-pie", ["-fno-pie", "-no-pie"])] {
        let program = built.bin.join(format!("real-mariadb-{name}"));
        run(cc()
            .args(flags)
            .args(["-DREAL_HEADER", "-DWITH_DATA", "-I"])
            .arg(headers)
            .arg(source("client.c"))
            .arg("-o")
            .arg(&program)
            .args(["-lmariadb", "-ldl"]));
        let data = "pack_len: 8 -1 -2\nssl: 1\nssl: 0\n";
        // In a program that is not position-independent the function's address is its own PLT entry.
        let own = if name == "pie" { CORE.to_owned() } else { format!("real-mariadb-{name}") };
        let wanted = format!("linked: {MARIADB} from {own}\nversion: 30320\n{data}");
        assert_eq!(run(Command::new(&program).env("LD_PRELOAD", built.lib.join(CORE))), wanted);
        assert_eq!(run(Command::new(&program).env("LD_LIBRARY_PATH", &built.soname)), wanted);
        let original = run(&mut Command::new(&program));
        assert!(original.ends_with(data), "the original's data: {original}");
        assert!(name == "no-pie" || original.contains("from libmariadb.so.3"), "{original}");
    }
}

/// A program built with MySQL's header and library, run by the prefix's own loader.
#[test]
fn the_real_libmysqlclient_24() {
    let Some(prefix) = elf::mysql_prefix() else { return };
    let find = |name: &str| elf::find_below(&prefix, name).unwrap_or_else(|| panic!("MYSQL_PREFIX has no {name}"));
    let header = find("mysql_version.h");
    let library = find("libmysqlclient.so.24");
    let include = header.parent().unwrap();
    let libraries = library.parent().unwrap();
    let built = built();
    let program = built.bin.join("real-mysql");
    run(cc()
        .args(["-DREAL_HEADER", "-Wl,--allow-shlib-undefined"])
        .arg(format!("-I{}", include.display()))
        .arg(format!("-I{}", include.parent().unwrap().display()))
        .arg(source("client.c"))
        .arg("-o")
        .arg(&program)
        .arg(&library)
        .arg("-ldl"));
    let mut search = libraries.display().to_string();
    if let Some(private) = libraries.parent().map(|l| l.join("mysql/private")).filter(|p| p.is_dir()) {
        search = format!("{search}:{}", private.display());
    }
    let loader = elf::find_below(&prefix, "ld-linux-x86-64.so.2");
    let start = |preload: bool, path: &str| {
        let mut command = match &loader {
            Some(loader) => {
                let mut command = Command::new(loader);
                command.args(["--library-path", path]);
                if preload {
                    command.arg("--preload").arg(built.lib.join(CORE));
                }
                command.arg(&program);
                command
            }
            None => {
                let mut command = Command::new(&program);
                command.env("LD_LIBRARY_PATH", path);
                if preload {
                    command.env("LD_PRELOAD", built.lib.join(CORE));
                }
                command
            }
        };
        run(&mut command)
    };
    assert!(start(false, &search).contains("from libmysqlclient.so.24"), "the original answers without us");
    assert_eq!(start(true, &search), linked("libmysqlclient.so.24"));
    assert_eq!(start(false, &format!("{}:{search}", built.soname.display())), linked("libmysqlclient.so.24"));
}
