"""MySQL's mysql_client_test: each of its tests in a process of its own.

Its sources and the private headers they need come from CONFORMANCE_SRC (mysql-server), or from the Debian source package
of the MYSQL_PREFIX's version. The library under test is never linked in; what the program otherwise takes from MySQL's
static utility libraries is in mysql_client_test/glue.cc.
"""

import os
import re
import shutil
from pathlib import Path

import results
from base import CACHE, NeedsMore, fresh, run_limited, sh
from sources import debian_parts, named_parts
from suites import Suite, mysql_loader

HERE = Path(__file__).resolve().parent / "mysql_client_test"

# What the tree's own build would have found out about Linux on x86-64.
CONFIG = """\
#include <arpa/inet.h>
#include <sys/types.h>
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 8
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOIDP 8
#define MAX_INDEXES 64
#define HAVE_UNISTD_H 1
"""

# Tests that use what another one has left behind.
AFTER = {"client_store_result": ["test_ps_conj_query_block"], "client_use_result": ["test_ps_conj_query_block"]}


class MysqlClientTest(Suite):
    name = "mysql_client_test"
    original = "libmysqlclient.so.24"
    packages = ("g++", "mariadb-client")
    terse = True

    def build(self):
        self.prefix = os.environ.get("MYSQL_PREFIX")
        if not self.prefix:
            return False
        root = Path(self.prefix) / "root" / "usr"
        public = root / "include" / "mysql"
        tree = named_parts("mysql-server", ["testclients", "include"])
        if tree is None:
            version = re.search(r'MYSQL_BASE_VERSION\s+"mysqld-([\d.]+)"', (public / "mysql_version.h").read_text())
            tree = debian_parts(f"mysql-{version.group(1)}", ["testclients", "include"], suite="sid")
        if tree is None:
            return False
        work = fresh(CACHE / "build" / self.name)
        (work / "config").mkdir()
        (work / "config" / "my_config.h").write_text(CONFIG)
        theirs = self._objects(tree, work / "theirs", work / "config", [public, public.parent], public)
        # Our headers must make the very same program of it: then one run stands for both.
        include = Path(__file__).resolve().parents[2] / "include"
        headers = work / "headers"
        shutil.copytree(include, headers)
        (headers / "mysql").symlink_to(".")
        ours = self._objects(tree, work / "ours", work / "config", [headers], include)
        for a, b in zip(theirs, ours):
            if a.read_bytes() != b.read_bytes():
                raise NeedsMore(f"{a.name}: our headers make another program of it than the original's")
        self.tree = work
        self.program = work / "mysql_client_test"
        self.loader = mysql_loader(self.prefix)
        lib = root / "lib" / "x86_64-linux-gnu"
        sh(["g++", *theirs, "-o", self.program, f"-L{lib}", "-l:libmysqlclient.so.24",
            "-Wl,--allow-shlib-undefined"])
        return True

    @staticmethod
    def _objects(tree, work, config, public, names):
        """Compile with these public headers, and the private ones beside them that have no public file of the name."""
        work.mkdir()
        private = work / "private"
        shutil.copytree(tree / "include", private)
        for header in names.glob("*.h"):
            for twin in (private / header.name, private / "mysql" / header.name):
                twin.unlink(missing_ok=True)
        include = [f"-I{path}" for path in (config, *public, private)]
        made = []
        for source in (tree / "testclients" / "mysql_client_test.cc", HERE / "glue.cc"):
            made.append(work / (source.stem + ".o"))
            # -O1 drops what a header defines and nobody uses, so that the objects can be compared.
            sh(["g++", "-std=c++20", "-w", "-O1", "-DNDEBUG", "-DMYSQL_CLIENT", *include, "-c", source, "-o", made[-1]],
               cwd=work)
        return made

    def configure(self, server):
        self.client = ["mariadb", "--no-defaults", "-h", server.host, "-P", str(server.port),
                       f"-u{server.user}", f"-p{server.password}"]
        self._ask("DROP DATABASE IF EXISTS client_test_db")
        self.before = self._state()

    def _ask(self, *statements):
        """The lines of the statements' results; what fails is left out."""
        done = sh([*self.client, "-N", "-B", "-f", "-e", "; ".join(statements)], check=False)
        return [line for line in done.splitlines() if not line.startswith("ERROR")]

    def _state(self):
        """{what: value} of all that tests change for the whole server: accounts, components, global variables."""
        lines = self._ask("SELECT CONCAT('user ', QUOTE(user), '@', QUOTE(host)), '' FROM mysql.user",
                          "SELECT CONCAT('component ', QUOTE(component_urn)), '' FROM mysql.component",
                          "SHOW GLOBAL VARIABLES")
        return dict(line.split("\t", 1) for line in lines if "\t" in line)

    def _clean(self):
        """What a test left behind would make the next ones fail, or itself with the other library."""
        # Some delete accounts from the tables, which the server does not notice by itself.
        left = ["DROP DATABASE IF EXISTS client_test_db", "FLUSH PRIVILEGES"]
        now = self._state()
        for name, value in now.items():
            kind, _, what = name.partition(" ")
            if name not in self.before:
                left.append(f"DROP USER {what}" if kind == "user" else f"UNINSTALL COMPONENT {what}")
            elif value != self.before[name]:
                old = self.before[name]
                literal = old if re.fullmatch(r"-?\d+(\.\d+)?", old) else "'" + old.replace("'", "''") + "'"
                # Some are read-only and change by themselves.
                left.append(f"SET GLOBAL {name} = {literal}")
        self._ask(*left)

    def units(self, server):
        listed = sh(self.command(None, [self.program, "-T"]), env=self.extra_environment()).split()
        return [name for name in listed if name.startswith(("test_", "client_"))]

    def command(self, library, argv):
        return [*self.loader, *argv]

    def run(self, unit, server, library):
        scratch = fresh(self.tree / "var")
        env = library.environment({**self.extra_environment(), "MYSQL_TMP_DIR": str(scratch)})
        argv = [self.program, f"-h{server.host}", f"-P{server.port}", f"-u{server.user}",
                f"-p{server.password}", f"-D{server.database}", f"-v{scratch}", *AFTER.get(unit, []), unit]
        # The slowest needs 8 s with the original.
        code, out, err = run_limited(self.command(library, argv), self.tree, env, seconds=60)
        passed = code == 0 and "!!! SUCCESS !!!" in out
        self._clean()
        ended = "" if passed else f"\n{unit}: ended with {code}\n"
        return {unit: results.OK if passed else results.FAIL}, out + err + ended

    def extra_environment(self):
        return {"LIBMYSQL_PLUGIN_DIR": f"{self.prefix}/root/usr/lib/mysql/plugin"}

    def probe(self):
        return [self.program, "-T"]
