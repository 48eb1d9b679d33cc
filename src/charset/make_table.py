#!/usr/bin/env python3
"""Writes table.rs from two running servers.

Usage: make_table.py "COMMAND OF A MYSQL CLIENT" "COMMAND OF A MARIADB CLIENT" > table.rs
as in: make_table.py "mysql -uroot -S /run/my.sock" "mariadb -uroot -S /run/ma.sock"

The newer the servers, the more collations; ids never change their meaning within a family.
"""

import shlex
import subprocess
import sys

MYSQL = "SELECT ID, COLLATION_NAME, CHARACTER_SET_NAME FROM information_schema.COLLATIONS ORDER BY ID"
MARIADB = (
    "SELECT ID, FULL_COLLATION_NAME, CHARACTER_SET_NAME"
    " FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY ORDER BY ID"
)


def ask(client, query):
    command = shlex.split(client) + ["-N", "-B", "-e", query]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = {}
    for line in lines:
        number, name, charset = line.split("\t")[:3]
        rows[int(number)] = (name, charset)
    version = subprocess.run(
        shlex.split(client) + ["-N", "-B", "-e", "SELECT VERSION()"], check=True, capture_output=True, text=True
    ).stdout.strip()
    return version.split("-")[0], rows


def main():
    mysql_version, mysql = ask(sys.argv[1], MYSQL)
    mariadb_version, mariadb = ask(sys.argv[2], MARIADB)
    names, rows, differ = [], [], []
    offset = 0

    def add(name):
        nonlocal offset
        start = offset
        names.append(name)
        offset += len(name) + 1
        return start

    for number in sorted(mysql.keys() | mariadb.keys()):
        name, charset = mysql.get(number) or mariadb[number]
        rows.append((number, charset, add(name)))
    for number in sorted(mysql.keys() & mariadb.keys()):
        if mysql[number] != mariadb[number]:
            assert mysql[number][1] == mariadb[number][1], number
            differ.append((number, mariadb[number][1], add(mariadb[number][0])))
    assert offset < 65536
    print("//! Collations by id. Made by make_table.py from the information_schema of")
    print(f"//! MySQL {mysql_version} and MariaDB {mariadb_version}; do not edit.")
    print()
    print("use super::Row;")
    print()
    print("/// All names, each ended by a NUL. One text instead of many, so that loading the library costs no relocations.")
    print("pub(super) static NAMES: &str = concat!(")
    for name in names:
        print(f'    "{name}\\0",')
    print(");")
    print()

    def table(name, comment, rows):
        print(f"/// {comment}")
        print("#[rustfmt::skip]")
        print(f"pub(super) static {name}: [Row; {len(rows)}] = [")
        for number, charset, start in rows:
            print(f"    Row::new({number}, super::{charset.upper()}, {start}),")
        print("];")

    table("COLLATIONS", "Sorted by id. Where the families differ, MySQL's name.", rows)
    print()
    table("MARIADB_NAMES", "The ids that have another name in MariaDB, sorted.", differ)


main()
