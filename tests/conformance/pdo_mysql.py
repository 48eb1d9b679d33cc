"""PHP's own tests of pdo_mysql: the extension built from PHP's source (not against mysqlnd), loaded into Debian's
php-cli; one unit per .phpt file.

Two suites. In the MariaDB ABI the extension is built against libmariadb's mariadb_config and ours is found in the soname
folder: PHP loads extensions so that they see their own libraries first (RTLD_DEEPBIND), which preloading cannot change. In
the MySQL ABI the original's is built against libmysqlclient and run by the MySQL prefix's loader, and ours is another build:
against the mysql_config that `make install` writes, so that it is linked to our library alone.
"""

import os
import re
import shutil
from pathlib import Path

import results
from base import CACHE, NeedsMore, fresh, installed, run_limited, sh
from sources import debian_parts, named_parts
from suites import Suite, mysql_loader

PARTS = ["ext/pdo", "ext/pdo_mysql", "run-tests.php"]


class PdoMysql(Suite):
    packages = ("php-cli", "php-dev", "libmariadb-dev", "gcc", "make")
    terse = True

    def __init__(self, mysql_abi=False):
        self.mysql_abi = mysql_abi
        self.name = "pdo_mysql" + ("-mysql-abi" if mysql_abi else "")
        self.original = "libmysqlclient.so.24" if mysql_abi else "libmariadb.so.3"

    def build(self):
        self.prefix = os.environ.get("MYSQL_PREFIX")
        if self.mysql_abi and not self.prefix:
            return False
        version = sh(["php-config", "--version"]).split(".")
        source = named_parts("php-src", PARTS)
        if source is None:
            source = debian_parts(f"php{version[0]}.{version[1]}", PARTS)
        if source is None:
            return False
        self.extensions = sh(["php-config", "--extension-dir"]).strip()
        self.tree = fresh(CACHE / "build" / self.name)
        for part in PARTS:
            (self.tree / part).parent.mkdir(parents=True, exist_ok=True)
            if (source / part).is_dir():
                shutil.copytree(source / part, self.tree / part)
            else:
                shutil.copy(source / part, self.tree / part)
        self.php = sh(["php-config", "--php-binary"]).strip()
        self.built = {}
        if self.ours:
            self.install = installed(self.ours)
        if not self.mysql_abi:
            config = shutil.which("mariadb_config")
            self.built["original"] = self.built["ours"] = self._extension("original", config)
            return True
        self.built["original"] = self._extension("original", self._sid_config(), f"-I{self.prefix}/root/usr/include")
        if self.ours:
            config = self.install / "lib" / "mysqlclient-ms" / "bin" / "mysql_config"
            self.built["ours"] = self._extension("ours", config)
        return True

    def _sid_config(self):
        """The prefix's own mysql_config names libraries of which only the shared objects are there."""
        usr = Path(self.prefix) / "root" / "usr"
        config = self.tree / "mysql_config"
        config.write_text(
            "#!/bin/sh\ncase $1 in\n"
            f"  --libs) echo '-L{usr}/lib/x86_64-linux-gnu -lmysqlclient' ;;\n"
            f"  *) exec sh {usr}/bin/mysql_config \"$@\" ;;\nesac\n")
        config.chmod(0o755)
        return config

    def _extension(self, name, config, include=""):
        """Build the extension; returns a folder with it and Debian's other extensions."""
        work = self.tree / f"build-{name}"
        shutil.copytree(self.tree / "ext" / "pdo_mysql", work)
        sh(["phpize"], cwd=work)
        sh(["./configure", f"--with-pdo-mysql={config}"], cwd=work)
        sh(["make", f"EXTRA_INCLUDES={include}"], cwd=work)
        folder = fresh(self.tree / f"extensions-{name}")
        for extension in Path(self.extensions).glob("*.so"):
            (folder / extension.name).symlink_to(extension)
        made = folder / "pdo_mysql.so"
        made.unlink(missing_ok=True)
        made.symlink_to(work / "modules" / "pdo_mysql.so")
        return folder

    def configure(self, server):
        self.settings = {
            "PDO_MYSQL_TEST_DSN": f"mysql:host={server.host};port={server.port};dbname={server.database};charset=utf8mb4",
            "PDO_MYSQL_TEST_USER": server.user, "PDO_MYSQL_TEST_PASS": server.password,
            "PDO_MYSQL_TEST_HOST": server.host, "PDO_MYSQL_TEST_PORT": str(server.port),
            "PDO_MYSQL_TEST_DB": server.database, "PDO_MYSQL_TEST_SOCKET": server.socket,
            "PDO_MYSQL_TEST_CHARSET": "utf8mb4",
        }
        if self.prefix:
            self.settings["LIBMYSQL_PLUGIN_DIR"] = f"{self.prefix}/root/usr/lib/mysql/plugin"
        for name in self.built:
            starter = self.tree / f"php-{name}"
            loader = mysql_loader(self.prefix) if self.mysql_abi and name == "original" else []
            starter.write_text(f"#!/bin/sh\nexec {' '.join(map(str, [*loader, self.php]))} \"$@\"\n")
            starter.chmod(0o755)

    def units(self, server):
        return sorted(path.name for path in (self.tree / "ext" / "pdo_mysql" / "tests").glob("*.phpt"))

    def _environment(self, library):
        env = library.environment()
        env.pop("LD_PRELOAD", None)
        env.update(self.settings)
        if library.preload and not self.mysql_abi:
            env["LD_LIBRARY_PATH"] = str(self.install / "lib" / "mysqlclient-ms")
        return env

    def _options(self, library):
        # No ini file: only these extensions.
        return ["-n", "-d", f"extension_dir={self.built[library.name]}"]

    def run(self, unit, server, library):
        argv = ["php", "-n", "run-tests.php", "-p", self.tree / f"php-{library.name}", "-q", "--no-color",
                "--no-progress", "--show-diff", "--set-timeout", "40", *self._options(library), "-d", "extension=pdo.so",
                "-d", "extension=pdo_mysql.so", f"ext/pdo_mysql/tests/{unit}"]
        code, out, err = run_limited(argv, self.tree, self._environment(library))
        table = results.phpt_lines(out)
        if not table:
            table[f"{unit}:exit"] = results.FAIL
        return table, out + err

    def bound(self, library):
        """Of the client libraries that PHP has loaded with the extension, ours; none of the originals may be there."""
        argv = [self.php, *self._options(library), "-d", "extension=pdo.so", "-d", "extension=pdo_mysql.so", "-r",
                'readfile("/proc/self/maps");']
        code, out, err = run_limited(argv, self.tree, self._environment(library))
        loaded = set(re.findall(r"\S+/lib(?:mysqlclient|mariadb)[^/\s]*", out))
        strange = [path for path in loaded if not path.startswith(f"{self.install}/")]
        if code != 0 or strange:
            raise NeedsMore(f"{self.name}: our build runs with {', '.join(strange) or err}")
        return len(loaded)
