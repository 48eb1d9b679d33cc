//! The command line tool, run as a program.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn tool() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mysqlclient-ms"));
    for variable in ["MYSQLND_MS_CONFIG_FILE", "MYSQLND_MS_INI", "MYSQLND_MS_LOG", "LD_PRELOAD", "LD_LIBRARY_PATH"] {
        command.env_remove(variable);
    }
    command
}

fn out(output: &Output) -> (i32, String, String) {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (output.status.code().unwrap(), text(&output.stdout), text(&output.stderr))
}

fn run(arguments: &[&str]) -> (i32, String, String) {
    out(&tool().args(arguments).output().unwrap())
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
    path.to_str().unwrap().to_owned()
}

const GOOD: &str = r#"{"shop": {"master": [{"host": "a"}], "slave": [{"host": "b"}]}}"#;

#[test]
fn version_and_help() {
    let version = format!("mysqlclient-ms {}\n", env!("CARGO_PKG_VERSION"));
    for spelling in ["version", "--version", "-V"] {
        assert_eq!(run(&[spelling]), (0, version.clone(), String::new()));
    }
    let (code, help, _) = run(&["--help"]);
    assert_eq!(code, 0);
    for word in ["run", "check", "explain", "doctor", "status", "version", "--config"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn wrong_usage_is_2_with_a_word_on_stderr() {
    for arguments in [
        &[][..],
        &["zap"],
        &["check"],
        &["run"],
        &["explain"],
        &["doctor"],
        &["status"],
        &["run", "--zap"],
        &["version", "x"],
        &["--zap"],
    ] {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!((code, stdout.as_str()), (2, ""), "{arguments:?}");
        assert!(stderr.starts_with("mysqlclient-ms: "), "{stderr}");
    }
}

#[test]
fn check_prints_every_mistake_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let good = write(folder.path(), "good.json", GOOD);
    assert_eq!(run(&["check", &good]), (0, format!("{good}: good: section shop\n"), String::new()));

    let bad = write(
        folder.path(),
        "bad.json",
        "{\n  \"shop\": {\"master\": [{\"host\": \"a\", \"port\": -1}],\n    \"slaves\": [],\n    \"xa\": {}}\n}\n",
    );
    let (code, stdout, stderr) = run(&["check", &good, &bad]);
    assert_eq!((code, stderr.as_str()), (1, ""));
    let expected = [
        format!("{good}: good: section shop"),
        format!("{bad}:2:11: error: shop: expected the key `slave` (it may be empty: {{}})"),
        format!("{bad}:2:45: error: shop.master[0].port: expected a port from 0 to 65535, found -1"),
        format!("{bad}:3:5: note: shop.slaves: unknown key `slaves`, ignored (keys here: "),
        format!("{bad}:4:5: error: shop.xa: `xa` is not served yet by this version (remove the key)"),
    ];
    let lines: Vec<_> = stdout.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{stdout}");
    for (line, expected) in lines.iter().zip(&expected) {
        assert!(line.starts_with(expected), "{line}");
    }

    let broken = write(folder.path(), "broken.json", "{\n");
    let (code, stdout, _) = run(&["check", &broken]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with(&format!("{broken}:2:0: error: is not valid JSON: ")), "{stdout}");
    let (code, stdout, _) = run(&["check", "/nonexistent.json"]);
    assert_eq!(code, 1);
    assert!(stdout.starts_with("/nonexistent.json: error: cannot be opened"), "{stdout}");
}

const CHAIN: &str = r#"{"shop": {
    "master": {"m": {"host": "a"}, "n": {"host": "b"}},
    "slave": {"s1": {"host": "c"}, "s2": {"host": "d"}, "s3": {"host": "e", "state": "drain"}},
    "failover": {"strategy": "loop_before_master", "max_retries": 1},
    "filters": {"node_groups": {"REPORT": {"master": ["m"], "slave": ["s2", "s3"]}},
                "table": {"rules": {"log.%": {"master": ["m"], "slave": ["s1"]}, "%": {"master": ["m"], "slave": ["s1", "s2"]}}},
                "roundrobin": {}}}, "other": {"master": [{"host": "a"}], "slave": [], "xa": {}}}"#;

#[test]
fn explain_tells_every_step() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "shop.json", CHAIN);
    let explain = |arguments: &[&str]| {
        let (code, stdout, stderr) = run(&[&["explain", "--config", &file, "--section", "shop"], arguments].concat());
        assert_eq!((code, stderr.as_str()), (0, ""), "{arguments:?}");
        stdout
    };
    let told = explain(&["--schema", "shop", "/*REPORT*/ SELECT COUNT(*) FROM `orders`, shop.items"]);
    assert_eq!(
        told,
        "class: read\nreason: plain read\nhint: none\ntables: orders, shop.items\n\
         consistency: default: reads see the handle's writes where the servers have GTIDs\n\
         candidates: sources m; replicas s1, s2\nleft out: s3 (state drain)\n\
         after node_groups: sources m; replicas s2\nafter table: sources m; replicas s2\nchosen by: roundrobin\n\
         decision: s2 (replica): plain read; round robin\nif it cannot be reached: m\n"
    );
    for (arguments, expected) in [
        (
            &["SELECT a FROM log.t FOR UPDATE"][..],
            &["class: write\n", "(at \"FOR\")", "decision: m (source): not a plain read"][..],
        ),
        (
            &["/*ms=master*/ SELECT 1"],
            &["hint: ms=master\n", "tables: none\n", "decision: m (source): hint for a source"],
        ),
        (
            &["/*REPORT*/ SELECT * FROM log.t"],
            &["after table: sources m; replicas none\n", "m (source): read without a usable replica"],
        ),
        (&["SELECT * FROM log.a, b"], &["decision: s1 (replica)", "if it cannot be reached: m\n"]),
        (&["/*ms=strong*/ SELECT 1"][..], &["consistency: strong", "decision: m (source): "][..]),
        (&["--state", "in_transaction", "SELECT 1"], &["decision: m (source): first statement of a transaction"]),
        (&["--state", "transaction=s2", "SELECT 1"], &["decision: s2 (replica): open transaction\n"]),
        (
            &["--state", "read_only", "SELECT 1"],
            &["decision: s1 (replica): first statement of a read-only transaction"],
        ),
        (
            &["--state", "pinned=s3,failed=s1", "SELECT 1"],
            &["decision: s3 (replica): session state lives on this node\n"],
        ),
        (&["--state", "last_write=1", "SELECT LAST_INSERT_ID()"], &["decision: n (source): node of the last write\n"]),
        (
            &["--state", "multi_master", "CALL p()"],
            &["candidates: sources m, n;", "after table: sources m; replicas s1\n"],
        ),
        (
            &["/*ms=last_used*/ SELECT 1"],
            &["decision: none: error 2000: the hint ms=last_used came before any statement"],
        ),
    ] {
        let told = explain(arguments);
        for expected in expected {
            assert!(told.contains(expected), "{arguments:?}: {expected:?} in\n{told}");
        }
    }
}

#[test]
fn explain_says_why_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "shop.json", CHAIN);
    for (arguments, code, expected) in [
        (&["--config", &file, "SELECT 1"][..], 2, "--section: shop, other"),
        (&["--config", &file, "--section", "other", "SELECT 1"], 1, "connects to section other fail:"),
        (&["--config", &file, "--section", "shop"], 2, "expected a statement"),
        (&["--config", &file, "--section", "shop", "--state", "zap", "SELECT 1"], 2, "unknown state \"zap\""),
        (&["--config", &file, "--section", "shop", "--state", "pinned=zap", "SELECT 1"], 2, "nodes: m, n, s1, s2, s3"),
        (&["--config", "/nonexistent.json", "SELECT 1"], 1, "/nonexistent.json: cannot be opened"),
        (&["SELECT 1"], 2, "no configuration"),
    ] {
        let (found, stdout, stderr) = run(&[&["explain"], arguments].concat());
        assert_eq!((found, stdout.as_str()), (code, ""), "{arguments:?}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}

#[test]
fn run_sets_the_environment_and_becomes_the_program() {
    let folder = tempfile::tempdir().unwrap();
    let config = write(folder.path(), "shop.json", GOOD);
    // Any shared library does: what is tested is the environment. The loader complains about one that is missing.
    let library = write(folder.path(), "libmysqlclient_ms.so", "");
    // As in the build folder: the tool itself has the name that the folder has when installed.
    write(folder.path(), "mysqlclient-ms", "");
    let sonames = folder.path().join("sonames");
    fs::create_dir(&sonames).unwrap();
    fs::write(sonames.join("libmariadb.so.3"), "").unwrap();
    let script = "echo $MYSQLND_MS_ENABLE $MYSQLND_MS_CONFIG_FILE $MYSQLND_MS_LOG $LD_PRELOAD $LD_LIBRARY_PATH; \
                  echo \"$@\"; exit 7";
    let output = tool()
        .current_dir(folder.path())
        .env("LD_LIBRARY_PATH", "/opt/x")
        .args(["run", "--config", "shop.json", "--library", "libmysqlclient_ms.so", "--log", "debug:/tmp/l", "--"])
        .args(["sh", "-c", script, "sh", "--config", "a b"])
        .output()
        .unwrap();
    let (code, stdout, _) = out(&output);
    let expected = format!("1 {config} debug:/tmp/l {library} {}:/opt/x\n--config a b\n", sonames.display());
    assert_eq!((code, stdout), (7, expected));
}

#[test]
fn run_keeps_a_configuration_from_the_environment() {
    let folder = tempfile::tempdir().unwrap();
    let library = write(folder.path(), "libmysqlclient_ms.so", "");
    let output = tool()
        .env("MYSQLND_MS_CONFIG_FILE", "/somewhere.json")
        .args(["run", "--library", &library, "sh", "-c", "echo $MYSQLND_MS_CONFIG_FILE$LD_LIBRARY_PATH"])
        .output()
        .unwrap();
    assert_eq!(out(&output).1, "/somewhere.json\n");
}

#[test]
fn run_says_what_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    let config = write(folder.path(), "shop.json", GOOD);
    let library = write(folder.path(), "libmysqlclient_ms.so", "");
    let fails = |arguments: &[&str]| {
        let (code, stdout, stderr) = run(arguments);
        assert_eq!(stdout, "");
        (code, stderr)
    };
    let (code, text) = fails(&["run", "--library", &library, "true"]);
    assert!(code == 125 && text.contains("no configuration"), "{text}");
    let (code, text) = fails(&["run", "--library", "/nonexistent.so", "--config", &config, "true"]);
    assert!(code == 125 && text.contains("/nonexistent.so"), "{text}");
    let (code, text) = fails(&["run", "--library", &library, "--config", "/nonexistent.json", "true"]);
    assert!(code == 125 && text.contains("/nonexistent.json"), "{text}");
    let broken = write(folder.path(), "broken.json", "[]");
    let (code, text) = fails(&["run", "--library", &library, "--config", &broken, "true"]);
    assert!(code == 125 && text.contains("expected an object of sections"), "{text}");
    let (code, text) = fails(&["run", "--library", &library, "--config", &config, "/nonexistent/program"]);
    assert!(code == 127 && text.contains("/nonexistent/program"), "{text}");
    let (code, text) = fails(&["run", "--library", &library, "--config", &config, &config]);
    assert!(code == 126 && text.contains("shop.json"), "{text}");
    let blank = folder.path().join("a b");
    fs::create_dir(&blank).unwrap();
    let library = write(&blank, "libmysqlclient_ms.so", "");
    let (code, text) = fails(&["run", "--library", &library, "--config", &config, "true"]);
    assert!(code == 125 && text.contains("cannot preload"), "{text}");
}

/// What a program that calls one function of the client looks like.
const CALLER: &str = "char *mysql_get_client_info(void); int main(void) { return mysql_get_client_info()[0]; }";

fn cc(folder: &Path, arguments: &[&str]) {
    let output = Command::new("cc").current_dir(folder).args(["-w"]).args(arguments).output().unwrap();
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A library with this soname, one function, and this version.
fn fake_client(folder: &Path, soname: &str, version: &str) {
    fs::write(folder.join("fake.c"), "char *mysql_get_client_info(void) { return \"x\"; }").unwrap();
    fs::write(folder.join("fake.map"), format!("{version} {{ global: *; }};")).unwrap();
    let named = format!("-Wl,-soname,{soname}");
    cc(folder, &["-shared", "-fPIC", "fake.c", "-o", soname, &named, "-Wl,--version-script=fake.map"]);
}

/// A folder with programs of every kind, a configuration, and a library with its soname folder.
struct Ward {
    folder: tempfile::TempDir,
    config: String,
    library: String,
}

impl Ward {
    fn new() -> Ward {
        let folder = tempfile::tempdir().unwrap();
        let rules =
            GOOD.replace(r#"{"shop": {"#, r#"{"shop": {"match": [{"host": "db", "user": "u"}, {"port": 3307}], "#);
        let config = write(folder.path(), "shop.json", &rules);
        let library = write(folder.path(), "libmysqlclient_ms.so", "");
        fs::create_dir(folder.path().join("sonames")).unwrap();
        write(&folder.path().join("sonames"), "libmariadb.so.3", "");
        fs::write(folder.path().join("caller.c"), CALLER).unwrap();
        Ward { folder, config, library }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles `caller.c`.
    fn caller(&self, name: &str, arguments: &[&str]) -> String {
        cc(self.path(), &[&["caller.c", "-o", name], arguments].concat());
        self.path().join(name).to_str().unwrap().to_owned()
    }

    fn ask(&self, what: &[&str]) -> (i32, String) {
        let start = ["doctor", "--library", &self.library, "--config", &self.config];
        let (code, stdout, stderr) = run(&[&start, what].concat());
        assert_eq!(stderr, "", "{what:?}");
        (code, stdout)
    }

    fn is_well(&self, what: &[&str], expected: &str) {
        let (code, told) = self.ask(what);
        assert!(
            code == 0 && told.contains(expected) && told.contains("\nverdict: routed"),
            "{what:?}: {expected:?} in\n{told}"
        );
    }

    fn is_ill(&self, what: &[&str], expected: &str) {
        let (code, told) = self.ask(what);
        assert!(code == 1 && told.ends_with("\nverdict: not routed\n"), "{what:?}: {told}");
        assert!(
            told.lines().any(|line| line.starts_with("problem: ") && line.contains(expected)),
            "{expected:?} in\n{told}"
        );
    }
}

#[test]
fn doctor_finds_programs_well_that_use_a_library_that_this_one_stands_in_for() {
    let ward = Ward::new();
    let program = ward.caller("linked", &["-lmariadb"]);
    ward.is_well(&[&program], "calls 1 functions of libmariadb.so.3 (");
    ward.is_well(
        &[&program],
        "good: section shop (masters: 1, slaves: 1): for connects to the host \"shop\", or fit host=db user=u or port=3307\n",
    );
    // By a script; by a driver; by a library of its own.
    let script = write(ward.path(), "script", &format!("#! {program} -w\n"));
    ward.is_well(&[&script], &format!("script is a script for {program}\n"));
    cc(ward.path(), &["-shared", "-fPIC", "-Dmain=other", "caller.c", "-o", "driver.so", "-lmariadb"]);
    let driver = ward.path().join("driver.so").to_str().unwrap().to_owned();
    ward.is_well(&["sh", &driver], "driver.so calls 1 functions of libmariadb.so.3 (");
    // The folder of the originals' names would not do, preloading does.
    fake_client(ward.path(), "libmysqlclient.so.21", "libmysqlclient_21.0");
    let place = ward.path().to_str().unwrap();
    let rpath = format!("-Wl,-rpath,{place},--disable-new-dtags");
    let program = ward.caller("fixed", &["libmysqlclient.so.21", &rpath]);
    ward.is_well(&[&program], "has a run path that comes ahead of the soname folder, to ");
    let runpath = format!("-Wl,-rpath,{place},--enable-new-dtags");
    let program = ward.caller("runpath", &["libmysqlclient.so.21", &runpath]);
    let (code, told) = ward.ask(&[&program]);
    assert!(code == 0 && !told.contains("run path"), "{told}");
}

#[test]
fn doctor_says_why_programs_would_not_be_routed() {
    let ward = Ward::new();
    let place = ward.path().to_str().unwrap().to_owned();
    let runpath = format!("-Wl,-rpath,{place},--enable-new-dtags");
    fake_client(ward.path(), "libmysqlclient.so.20", "libmysqlclient_20");
    let program = ward.caller("old", &["libmysqlclient.so.20", &runpath]);
    ward.is_ill(&[&program], "mysql_get_client_info@libmysqlclient_20 for one");

    fs::write(ward.path().join("own.c"), "int mysql_real_connect(void) { return 0; } int main(void) { return 0; }")
        .unwrap();
    cc(ward.path(), &["own.c", "-o", "own"]);
    let own = ward.path().join("own").to_str().unwrap().to_owned();
    ward.is_ill(&[&own], "contains a client library of its own");
    cc(ward.path(), &["own.c", "-static", "-o", "static"]);
    let fixed = ward.path().join("static").to_str().unwrap().to_owned();
    ward.is_ill(&[&fixed], "is linked statically");
    fs::write(
        ward.path().join("speaks.c"),
        "char *a[] = {\"mysql_native_password\", \"caching_sha2_password\"}; int main(int c, char **v) { return a[c & 1][0]; }",
    )
    .unwrap();
    cc(ward.path(), &["speaks.c", "-s", "-o", "speaks"]);
    let speaks = ward.path().join("speaks").to_str().unwrap().to_owned();
    ward.is_ill(&[&speaks], "speaks the protocol itself");

    let program = ward.caller("linked", &["-lmariadb"]);
    fs::set_permissions(&program, PermissionsExt::from_mode(0o4755)).unwrap();
    ward.is_ill(&[&program], "set-user-id");
    fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    ward.is_ill(&["sh"], "is a shell (ask about the program that it starts)");
    fs::write(ward.path().join("nothing.c"), "int main(void) { return 0; }").unwrap();
    cc(ward.path(), &["nothing.c", "-o", "nothing"]);
    let nothing = ward.path().join("nothing").to_str().unwrap().to_owned();
    ward.is_ill(&[&nothing], "uses no client library");
    fs::write(ward.path().join("opens.c"), "void *dlopen(char *, int); int main(void) { return dlopen(0, 1) == 0; }")
        .unwrap();
    cc(ward.path(), &["opens.c", "-o", "opens"]);
    let opens = ward.path().join("opens").to_str().unwrap().to_owned();
    ward.is_ill(&[&opens], "loads libraries at run time, and no driver is known");
    ward.is_ill(&[&opens, &own], "contains a client library of its own");

    // Where only the soname folder helps.
    let php = ward.path().join("php8.2");
    fs::copy(&nothing, &php).unwrap();
    let php = php.to_str().unwrap();
    let driver = |name: &str, arguments: &[&str]| {
        cc(ward.path(), &[&["-shared", "-fPIC", "-Dmain=other", "caller.c", "-o", name], arguments].concat());
        ward.path().join(name).to_str().unwrap().to_owned()
    };
    ward.is_well(&[php, &driver("pdo_mysql.so", &["-lmariadb"])], "are reached by LD_LIBRARY_PATH=");
    fake_client(ward.path(), "libmysqlclient.so.21", "libmysqlclient_21.0");
    let rpath = format!("-Wl,-rpath,{place},--disable-new-dtags");
    let fixed = driver("fixed.so", &["libmysqlclient.so.21", &rpath]);
    ward.is_ill(&[php, &fixed], "has a run path that comes ahead of the soname folder");
    fs::write(ward.path().join("mysqlnd.c"), "char a[] = \"mysqlnd_plugin_register\";").unwrap();
    cc(ward.path(), &["-shared", "-fPIC", "mysqlnd.c", "-o", "mysqlnd.so"]);
    ward.is_ill(&[php, &format!("{place}/mysqlnd.so")], "is mysqlnd, PHP's own client");
    fs::remove_dir_all(ward.path().join("sonames")).unwrap();
    ward.is_ill(&[php, &format!("{place}/pdo_mysql.so")], "there is no soname folder");
}

#[test]
fn doctor_looks_at_directives_and_configuration() {
    let ward = Ward::new();
    let program = ward.caller("linked", &["-lmariadb"]);
    let ask = |variables: &[(&str, &str)]| {
        let mut command = tool();
        command.args(["doctor", "--library", &ward.library, &program]).env_remove("MYSQLND_MS_ENABLE");
        let (code, stdout, _) = out(&command.envs(variables.iter().copied()).output().unwrap());
        (code, stdout)
    };
    let (code, told) = ask(&[]);
    assert!(code == 1 && told.contains("problem: mysqlnd_ms.enable is off (MYSQLND_MS_ENABLE=1"), "{told}");
    assert!(told.contains("problem: no configuration is named (MYSQLND_MS_CONFIG_FILE"), "{told}");
    let good = [("MYSQLND_MS_ENABLE", "1"), ("MYSQLND_MS_CONFIG_FILE", ward.config.as_str())];
    assert_eq!(ask(&good).0, 0);
    for (text, expected) in [
        ("[]", "problem: "),
        ("{}", "has no section"),
        (r#"{"shop": {"master": []}}"#, "problem: connects to section shop fail: "),
    ] {
        let broken = write(ward.path(), "broken.json", text);
        let (code, told) = ask(&[good[0], ("MYSQLND_MS_CONFIG_FILE", &broken)]);
        assert!(code == 1 && told.contains(expected), "{text}: {told}");
    }
    let (code, told) = ask(&[good[0], good[1], ("MYSQLND_MS_CONFIG_DIR", "/etc/shops/")]);
    assert!(code == 1 && told.contains("config_dir is not served yet"), "{told}");
    let (code, stdout, stderr) = run(&["doctor", "/nonexistent/program"]);
    assert!(code == 2 && stdout.is_empty() && stderr.contains("there is no program /nonexistent/program"), "{stderr}");
    let (code, _, stderr) = run(&["doctor", &ward.config]);
    assert!(code == 2 && stderr.contains("neither a program nor a library nor a script"), "{stderr}");
}

#[test]
fn status_asks_every_node() {
    for family in harness::families() {
        let cluster = harness::shared(family);
        let folder = tempfile::tempdir().unwrap();
        let node = |index: usize| {
            let endpoint = cluster.endpoint(index);
            format!(r#""host": "{}", "port": {}"#, endpoint.host, endpoint.port)
        };
        let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let config = write(
            folder.path(),
            "shop.json",
            &format!(
                r#"{{"shop": {{"master": {{"source": {{{}}}}}, "slave": {{"r1": {{{}}}}}}},
                    "half": {{"master": {{"source": {{{}, "user": "nobody", "password": "x"}}}},
                              "slave": {{"gone": {{"host": "127.0.0.1", "port": {nobody}, "state": "drain"}}}}}}}}"#,
                node(0),
                node(1),
                node(0)
            ),
        );
        let password = write(folder.path(), "password", &format!("{}\n", harness::APP_PASSWORD));
        let ask = |more: &[&str]| {
            let start = ["status", "--config", &config, "--user", harness::APP_USER, "--password-file", &password];
            let (code, stdout, stderr) = run(&[&start, more].concat());
            assert_eq!(stderr, "", "{family}");
            (code, stdout)
        };
        let version = cluster.sql(0, "SELECT @@version").unwrap().scalar().to_owned();
        let (code, table) = ask(&["--section", "shop"]);
        let words: Vec<Vec<&str>> = table.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!((code, words.len()), (0, 5), "{family}: {table}");
        assert_eq!(words[4], ["board:", "none"]);
        assert_eq!(words[0], ["section", "shop"]);
        assert_eq!(words[1][..4], ["node", "role", "address", "reachable"]);
        assert_eq!(
            (&words[2][..2], &words[2][3..8]),
            (&["source", "source"][..], &["yes", &version, "no", "none", "-"][..])
        );
        assert_eq!(
            (words[3][..2].to_vec(), words[3][3], words[3][6]),
            (vec!["r1", "replica"], "yes", "running"),
            "{table}"
        );

        let (code, text) = ask(&["--json"]);
        let told: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(code, 1, "{family}: a node does not answer");
        let replica = &told[0]["nodes"][1];
        assert_eq!((&replica["node"], &replica["role"]), (&"r1".into(), &"replica".into()), "{text}");
        for key in ["reachable", "read_only", "replicates", "io_running", "sql_running"] {
            assert_eq!(replica[key], true, "{family}: {key} in {text}");
        }
        assert!(replica["lag_seconds"].is_u64() && replica["uptime_seconds"].is_u64(), "{text}");
        let source = &told[0]["nodes"][0];
        assert_eq!((&source["read_only"], &source["replicates"]), (&false.into(), &false.into()), "{text}");
        assert!(source["gtid"].as_str().is_some_and(|gtid| !gtid.is_empty()), "{text}");
        let half = &told[1]["nodes"];
        assert_eq!((&half[0]["reachable"], &half[0]["errno"]), (&false.into(), &1045.into()), "{text}");
        assert_eq!((&half[1]["errno"], &half[1]["state"]), (&2003.into(), &"drain".into()), "{text}");

        let (code, table) = ask(&["--section", "half"]);
        assert!(code == 1 && table.contains("error 1045") && table.contains("error 2003"), "{table}");
    }
}
