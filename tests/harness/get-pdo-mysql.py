#!/usr/bin/env python3
"""Builds PHP's pdo_mysql against Connector/C, for the example in PHP: Debian's own is built against PHP's mysqlnd, and no library
can take that one's place.

  get-pdo-mysql.py [FOLDER]      default: $CACHE/pdo_mysql, else .cache/pdo_mysql here

The source is Debian's source package of the PHP that is installed (or a tree of CONFORMANCE_SRC), fetched as the conformance
suites fetch theirs. FOLDER/pdo_mysql.so is made; a second run finds it there and ends at once.
"""

import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(os.environ.get("CACHE") or ROOT / ".cache") / "pdo_mysql"
os.environ.setdefault("CONFORMANCE_CACHE", str(FOLDER / "work"))
sys.path.insert(0, str(ROOT / "tests" / "conformance"))

from base import fresh, sh  # noqa: E402
from sources import debian_parts, named_parts  # noqa: E402

PARTS = ["ext/pdo", "ext/pdo_mysql"]


def main():
    made = FOLDER / "pdo_mysql.so"
    if made.is_file():
        return
    version = sh(["php-config", "--version"]).split(".")
    source = named_parts("php-src", PARTS) or debian_parts(f"php{version[0]}.{version[1]}", PARTS)
    if source is None:
        raise SystemExit("get-pdo-mysql: PHP's source is not to be had")
    FOLDER.mkdir(parents=True, exist_ok=True)
    tree = fresh(FOLDER / "tree")
    for part in PARTS:
        shutil.copytree(source / part, tree / part)
    work = tree / "ext" / "pdo_mysql"
    sh(["phpize"], cwd=work)
    sh(["./configure", f"--with-pdo-mysql={shutil.which('mariadb_config')}"], cwd=work)
    sh(["make"], cwd=work)
    shutil.copy(work / "modules" / "pdo_mysql.so", made.with_suffix(".new"))
    made.with_suffix(".new").rename(made)
    shutil.rmtree(tree)


main()
