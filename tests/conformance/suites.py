"""The suites: how each is built against an original library, and how one of its
units (a test file or program) is run against a server with a given library.

A suite never looks at results of another one and does not compare: it only
returns {test: status} tables.
"""

import os
import shutil
import subprocess
from pathlib import Path

import results
from base import CACHE, NeedsMore, fresh, install, run_limited, sh
from sources import debian_source, named_tree, pypi_sdist

MYSQLCLIENT = "2.3.2"


def mysql_loader(prefix):
    """What has to stand in front of a program that loads the MYSQL_PREFIX's libraries: it brings its own C library."""
    lib = Path(prefix) / "root" / "usr" / "lib"
    own = lib / "x86_64-linux-gnu"
    return [own / "ld-linux-x86-64.so.2", "--library-path", f"{own}:{lib}/mysql/private"]


class Suite:
    """One test suite bound to one client library."""

    name = ""
    packages = ()
    # Which original the suite is built against, as printed.
    original = "libmariadb.so.3"
    # Hundreds of units of one test each: progress is told for the whole suite only.
    terse = False
    # Our library, for a suite that is built against it too; None when it does not run.
    ours = None

    def build(self):
        """Get and build; False when nobody has given us the sources."""
        raise NotImplementedError

    def configure(self, server):
        """Point the suite at this server."""

    def units(self, server):
        raise NotImplementedError

    def run(self, unit, server, library):
        """{test: status} of one unit."""
        raise NotImplementedError

    def probe(self):
        """Arguments of a short program that loads the client library."""
        raise NotImplementedError

    def bound(self, library):
        """How many client functions the loader bound to `library.preload`.

        Nothing else shows that a preloaded file was really used.
        """
        env = library.environment(self.extra_environment())
        env.update(LD_DEBUG="bindings", LD_BIND_NOW="1")
        done = subprocess.run(
            [str(a) for a in self.command(library, self.probe())], cwd=self.tree, env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, errors="replace",
        )
        target = f"to {library.preload} [0]: normal symbol `"
        hits = {line.split("`")[1].split("'")[0] for line in done.stdout.splitlines() if target in line}
        return len({h for h in hits if h.startswith(("mysql_", "mariadb_"))})

    def extra_environment(self):
        return {}

    def command(self, library, argv):
        return argv


class PerlDbd(Suite):
    """DBD::mysql and DBD::MariaDB: one unit per file of t/; `server_prepare` adds that to the tests' data source."""

    common = ("gcc", "make", "patch", "perl", "libdbi-perl", "libmariadb-dev",
              "libdevel-checklib-perl", "libtest-deep-perl", "libproc-processtable-perl",
              "libtest-distmanifest-perl", "libnet-ssleay-perl", "dpkg-dev", "mariadb-client")

    def __init__(self, name, package, driver, patched, server_prepare=False):
        self.name = name + ("-prepare" if server_prepare else "")
        self.package, self.driver, self.patched, self.server_prepare = package, driver, patched, server_prepare
        self.packages = self.common

    def build(self):
        self.tree = debian_source(self.package, self.patched)
        self._makefile([])
        sh(["make"], cwd=self.tree, env={"PERL_USE_UNSAFE_INC": "1"})
        return True

    def _makefile(self, extra):
        sh(["perl", "Makefile.PL", "--mysql_config=mariadb_config", *extra], cwd=self.tree,
           env={"PERL_USE_UNSAFE_INC": "1"})

    def configure(self, server):
        for old in (self.tree / "t").glob("*.mtest"):
            old.unlink()
        self._makefile([f"--testdb={server.database}", f"--testhost={server.host}",
                        f"--testport={server.port}", f"--testuser={server.user}",
                        f"--testpassword={server.password}"])
        if self.server_prepare:
            (settings,) = (self.tree / "t").glob("*.mtest")
            text = settings.read_text()
            word = "mariadb" if self.driver == "MariaDB" else "mysql"
            head, end, tail = text.rpartition("} 1;")
            settings.write_text(f'{head}$::test_dsn .= ";{word}_server_prepare=1";\n{end}{tail}')

    def units(self, server):
        return sorted(str(p.relative_to(self.tree)) for p in (self.tree / "t").glob("*.t"))

    def run(self, unit, server, library):
        code, out, err = run_limited(["perl", *self._inc(), unit], self.tree, library.environment())
        return results.tap(unit, code, out), out + err

    def _inc(self):
        return ["-Iblib/lib", "-Iblib/arch", "-I."]

    def probe(self):
        return ["perl", *self._inc(), f"-MDBD::{self.driver}", "-e", "1"]


class Mysqlclient(Suite):
    """MySQLdb of PyPI; one unit, since it needs seconds only."""

    packages = ("python3-venv", "python3-dev", "gcc", "libmariadb-dev", "pkg-config")

    def __init__(self, mysql_abi=False):
        self.mysql_abi = mysql_abi
        self.name = "mysqlclient" + ("-mysql-abi" if mysql_abi else "")
        self.original = "libmysqlclient.so.24" if mysql_abi else "libmariadb.so.3"

    def build(self):
        env = {}
        if self.mysql_abi:
            self.prefix = os.environ.get("MYSQL_PREFIX")
            if not self.prefix:
                return False
            root = Path(self.prefix) / "root" / "usr"
            self.lib = root / "lib" / "x86_64-linux-gnu"
            env["MYSQLCLIENT_CFLAGS"] = f"-I{root}/include -I{root}/include/mysql -std=c99"
            env["MYSQLCLIENT_LDFLAGS"] = (
                f"-L{self.lib} -l:libmysqlclient.so.24 -Wl,--allow-shlib-undefined")
        tree = pypi_sdist("mysqlclient", MYSQLCLIENT)
        if self.mysql_abi:
            renamed = tree.parent.parent / self.name
            if renamed.exists():
                shutil.rmtree(renamed)
            shutil.copytree(tree, renamed)
            tree = renamed
        self.tree = tree
        self.venv = CACHE / f"venv-{self.name}"
        if not (self.venv / "bin" / "pytest").exists():
            sh(["/usr/bin/python3", "-m", "venv", self.venv])
            sh([self.venv / "bin" / "pip", "install", "-q", "pytest"])
        sh([self.venv / "bin" / "pip", "install", "-q", "--force-reinstall", "--no-deps",
            "--no-cache-dir", "."], cwd=tree, env=env)
        return True

    def configure(self, server):
        self.defaults = self.tree / "conformance.cnf"
        self.defaults.write_text(
            f"[MySQLdb-tests]\nhost={server.host}\nport={server.port}\nuser={server.user}\n"
            f"password={server.password}\ndatabase={server.database}\n"
            "default-character-set=utf8mb4\n")

    def units(self, server):
        return ["tests"]

    def command(self, library, argv):
        if not self.mysql_abi:
            return argv
        return [*mysql_loader(self.prefix), *argv]

    def run(self, unit, server, library):
        env = library.environment({"TESTDB": str(self.defaults), **self.extra_environment()})
        argv = [self.venv / "bin" / "python", "-m", "pytest", "-v", "-rA", "-p", "no:cacheprovider",
                "--color=no", unit]
        code, out, err = run_limited(self.command(library, argv), self.tree, env)
        return results.pytest_lines(out), out + err

    def extra_environment(self):
        # The original of the MySQL family has mysql_native_password in a plugin file.
        if not self.mysql_abi:
            return {}
        return {"LIBMYSQL_PLUGIN_DIR": f"{self.prefix}/root/usr/lib/mysql/plugin"}

    def probe(self):
        return [self.venv / "bin" / "python", "-c", "import MySQLdb"]


class Mysql2(Suite):
    """mysql2's spec from the caller's tree; one unit per spec file."""

    name = "mysql2"
    packages = ("ruby", "ruby-dev", "ruby-rspec", "gcc", "make", "libmariadb-dev")

    def build(self):
        tree = named_tree("mysql2")
        if tree is None:
            return False
        self.tree = tree
        work = fresh(CACHE / "build" / "mysql2-ext")
        sh(["ruby", tree / "ext" / "mysql2" / "extconf.rb"], cwd=work)
        sh(["make"], cwd=work)
        shutil.copy(work / "mysql2.so", tree / "lib" / "mysql2" / "mysql2.so")
        return True

    def configure(self, server):
        # The spec asks for TLS files under fixed names; without them it leaves those examples out.
        one = (f"  host: {server.host}\n  port: {server.port}\n  username: {server.user}\n"
               f"  password: {server.password}\n")
        (self.tree / "spec" / "configuration.yml").write_text(
            f"root:\n{one}  database: {server.database}\n\nuser:\n{one}  database: mysql2_test\n")
        group = (f"host={server.host}\nport={server.port}\nuser={server.user}\n"
                 f"password={server.password}\n")
        (self.tree / "spec" / "my.cnf").write_text(f"[root]\n{group}\n[client]\n{group}")
        client = ["mariadb", "--no-defaults", "-h", server.host, "-P", str(server.port),
                  f"-u{server.user}", f"-p{server.password}"]
        sh([*client, "-e", "CREATE DATABASE IF NOT EXISTS mysql2_test"])

    def units(self, server):
        return sorted(str(p.relative_to(self.tree)) for p in (self.tree / "spec").rglob("*_spec.rb"))

    def run(self, unit, server, library):
        env = library.environment(self.extra_environment())
        argv = ["rspec", "-I", "lib", "-I", "spec", "--order", "defined", "--format", "json", unit]
        code, out, err = run_limited(argv, self.tree, env)
        table = results.rspec_json(out)
        if code is None or not table:
            table[f"{unit}:exit"] = results.FAIL
        return table, out + err

    def extra_environment(self):
        return {"MYSQL2_TEST": "1"}

    def probe(self):
        return ["ruby", "-I", "lib", "-e", "require 'mysql2'"]


class ConnectorC(Suite):
    """unittest/libmariadb of Connector/C from the caller's tree, linked with the stock library."""

    name = "connector-c"
    packages = ("gcc", "libmariadb-dev", "libc6-dev")
    # These need symbols that no shared library exports.
    unlinkable = ("basic-t", "charset", "dyncol")
    # Not programs, or run by hand with other credentials, or in need of prepared certificates.
    left_out = ("getopt", "ma_getopt", "ssl", "t_conc173")
    # What the tree's own build would have found out about Linux on x86-64.
    config = """\
#include <sys/types.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>
#include <stdint.h>
#define SOCKET_SIZE_TYPE socklen_t
#define SIZEOF_CHARP 8
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_SHORT 2
#define SIZEOF_SIZE_T 8
#define HAVE_UCHAR 1
#define HAVE_UINT 1
#define HAVE_ULONG 1
#define HAVE_INT8 1
#define HAVE_UINT8 1
#define HAVE_INT16 1
#define HAVE_UINT16 1
#define HAVE_INT32 1
#define HAVE_UINT32 1
#define HAVE_INT64 1
#define HAVE_UINT64 1
#define HAVE_SOCKET 1
#define HAVE_UNISTD_H 1
#define HAVE_STDINT_H 1
#define HAVE_STDLIB_H 1
#define HAVE_STRING_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_FCNTL_H 1
#define HAVE_SIGNAL_H 1
#define HAVE_STDDEF_H 1
#define HAVE_LIMITS_H 1
#define HAVE_LONG_LONG 1
typedef unsigned char uchar;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef int8_t int8;
typedef uint8_t uint8;
typedef int16_t int16;
typedef uint16_t uint16;
typedef int32_t int32;
typedef uint32_t uint32;
typedef int64_t int64;
typedef uint64_t uint64;
#define MARIADB_DEFAULT_CHARSET "latin1"
"""

    def build(self):
        tree = named_tree("mariadb-connector-c")
        if tree is None:
            return False
        self.tree = tree / "unittest" / "libmariadb"
        self.bin = fresh(CACHE / "build" / "connector-c-bin")
        (self.bin / "ma_config.h").write_text(self.config)
        flags = sh(["mariadb_config", "--cflags"]).split()
        self.programs = []
        for source in sorted(self.tree.glob("*.c")):
            name = source.stem
            if name in self.unlinkable or name in self.left_out:
                continue
            sh(["gcc", "-w", "-O1", "-DLIBMARIADB", f"-I{self.bin}", "-I../mytap",
                "-I.", *flags, "-I../../include", source, "ma_getopt.c", "../mytap/tap.c",
                "-o", self.bin / name, "-lmariadb", "-lm", "-lpthread"], cwd=self.tree)
            self.programs.append(name)
        return True

    def units(self, server):
        return self.programs

    def run(self, unit, server, library):
        env = library.environment({
            "MARIADB_CC_TEST": "1", "MYSQL_TEST_HOST": server.host,
            "MYSQL_TEST_PORT": str(server.port), "MYSQL_TEST_USER": server.user,
            "MYSQL_TEST_PASSWD": server.password, "MYSQL_TEST_DB": server.database,
            "MYSQL_TEST_SOCKET": server.socket,
        })
        code, out, err = run_limited([self.bin / unit], self.tree, env)
        return results.tap(unit, code, out), out + err

    def probe(self):
        return [self.bin / "misc", "-?"]


def all_suites():
    # They need Suite.
    from mysql_client_test import MysqlClientTest
    from pdo_mysql import PdoMysql
    from qt_sql import QtSql

    return [
        PerlDbd("dbd-mysql", "libdbd-mysql-perl", "mysql", True),
        PerlDbd("dbd-mariadb", "libdbd-mariadb-perl", "MariaDB", False),
        PerlDbd("dbd-mysql", "libdbd-mysql-perl", "mysql", True, server_prepare=True),
        PerlDbd("dbd-mariadb", "libdbd-mariadb-perl", "MariaDB", False, server_prepare=True),
        Mysqlclient(),
        Mysqlclient(mysql_abi=True),
        Mysql2(),
        ConnectorC(),
        MysqlClientTest(),
        PdoMysql(),
        PdoMysql(mysql_abi=True),
        QtSql(),
    ]
