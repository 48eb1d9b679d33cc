#!/usr/bin/env python3
"""Runs the test suites of real client drivers with the original client library and
with ours preloaded, on a server of each family, and compares test by test.

  run.py [--suite NAME]... [--family mariadb|mysql]... [--library FILE]
         [--originals-only] [--suggest] [--keep-output DIR]

Standard output gets one table and every test that differs; progress goes to
standard error. Exit code 1 when a test that passes with the original does not
with ours and is not in expected.list, when a listed one passes, or when a suite
could not be built or run. Suites that no package registry has run when
CONFORMANCE_SRC names a folder that holds their trees (mysql2,
mariadb-connector-c).
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import json
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from base import ROOT, Library, NeedsMore, Server, install, say  # noqa: E402
from results import FAIL, OK, Expected, counts, differences  # noqa: E402
from suites import all_suites  # noqa: E402

FAMILIES = ("mariadb", "mysql")

# What the originals pass (measured; one point below where a test depends on the
# load of the machine). A run that passes fewer did not really run the suite.
FLOOR = {
    ("dbd-mysql", "mariadb"): 2205, ("dbd-mysql", "mysql"): 2214,
    ("dbd-mariadb", "mariadb"): 3581, ("dbd-mariadb", "mysql"): 3586,
    ("mysqlclient", "mariadb"): 182, ("mysqlclient", "mysql"): 182,
    ("mysqlclient-mysql-abi", "mariadb"): 182, ("mysqlclient-mysql-abi", "mysql"): 182,
    ("mysql2", "mariadb"): 339, ("mysql2", "mysql"): 336,
    ("connector-c", "mariadb"): 334, ("connector-c", "mysql"): 309,
    ("mysql_client_test", "mariadb"): 274, ("mysql_client_test", "mysql"): 295,
}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--suite", action="append", help="only this suite (may repeat)")
    parser.add_argument("--family", action="append", choices=FAMILIES, help="only this server")
    parser.add_argument("--library", help="our library (default: the release build)")
    parser.add_argument("--originals-only", action="store_true", help="do not run ours")
    parser.add_argument("--suggest", action="store_true", help="print lines for expected.list")
    parser.add_argument("--keep-output", help="folder for each unit's output")
    parser.add_argument("--cluster", default=os.environ.get("MS_CLUSTER"),
                        help="the harness's `cluster` program (default: built by cargo)")
    parser.add_argument("--unit", action="append", help="only units of which the name contains this")
    parser.add_argument("--inner", help=argparse.SUPPRESS)
    return parser.parse_args()


def target_dir():
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))


def our_library(args):
    if args.originals_only:
        return None
    path = Path(args.library or target_dir() / "release" / "libmysqlclient_ms.so").resolve()
    if not path.exists():
        raise NeedsMore(f"{path} is not there: `cargo build --release` first, or --originals-only")
    return Library("ours", path)


def unit_tables(suite, unit, server, library, args):
    """The unit with one library; keeps its output when asked to."""
    table, output = suite.run(unit, server, library)
    if args.keep_output:
        folder = Path(args.keep_output) / server.family / suite.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / (re.sub(r"[^\w.-]", "_", unit) + f".{library.name}")).write_text(output)
    return table


def tell(server, suite, unit, base, mine, ours):
    say(f"{server.family} {suite.name} {unit}: original {'/'.join(map(str, counts(base)))}"
        + (f", ours {'/'.join(map(str, counts(mine)))}" if ours else ""))


def one_suite(suite, server, ours, expected, args):
    """Run one suite with both libraries; returns what the table needs."""
    suite.configure(server)
    original = Library("original")
    bound = None
    if ours:
        bound = suite.bound(ours)
        if bound == 0:
            raise NeedsMore(f"{suite.name}: the loader bound no client function to {ours.preload}")
    base_all, ours_all, unstable = {}, {}, []
    for unit in suite.units(server):
        if args.unit and not any(part in unit for part in args.unit):
            continue
        base = unit_tables(suite, unit, server, original, args)
        mine = unit_tables(suite, unit, server, ours, args) if ours else {}
        if ours and differences(base, mine):
            # A test that is not even stable with the original tells nothing.
            again = unit_tables(suite, unit, server, original, args)
            for name, _, _ in differences(base, again):
                unstable.append(name)
                base.pop(name, None)
                mine.pop(name, None)
        base_all.update(base)
        ours_all.update(mine)
        if not suite.terse:
            tell(server, suite, unit, base, mine, ours)
    if suite.terse:
        tell(server, suite, "all", base_all, ours_all, ours)
    report = {"suite": suite.name, "family": server.family, "against": suite.original,
              "original": counts(base_all), "failed_original":
              [n for n, s in base_all.items() if s == FAIL], "unstable": unstable}
    if ours:
        report.update(ours=counts(ours_all), bound=bound, worse=[], listed=[], wrongly_listed=[],
                      better=[])
        for name, a, b in differences(base_all, ours_all):
            if b == OK:
                report["better"].append([name, a, b])
            else:
                reason = expected.reason(suite.name, server.family, name)
                report["listed" if reason else "worse"].append([name, a, b, reason])
        for name, status in ours_all.items():
            if status == OK and expected.reason(suite.name, server.family, name):
                report["wrongly_listed"].append(name)
    return report


def inner(args):
    """Beside a running cluster: all suites on its primary; reports go to a file."""
    server, ours = Server(), our_library(args)
    expected = Expected(Path(__file__).with_name("expected.list"))
    reports = []
    for suite in all_suites():
        if args.suite and suite.name not in args.suite:
            continue
        suite.ours = ours
        try:
            install(suite.packages)
            if not suite.build():
                say(f"{suite.name}: left out, nobody gave its sources")
                reports.append({"suite": suite.name, "family": server.family, "absent": True})
                continue
            reports.append(one_suite(suite, server, ours, expected, args))
        except NeedsMore as lacking:
            say(f"{suite.name}: {lacking}")
            reports.append({"suite": suite.name, "family": server.family, "error": str(lacking)})
    Path(args.inner).write_text(json.dumps(reports))


def cluster_program(args):
    if args.cluster:
        return [args.cluster]
    built = subprocess.run(["cargo", "build", "-q", "-p", "harness", "--bin", "cluster"], cwd=ROOT)
    path = target_dir() / "debug" / "cluster"
    if built.returncode != 0 or not path.exists():
        raise NeedsMore("the cluster harness could not be built")
    return [str(path)]


def outer(args):
    ours = our_library(args)
    cluster = cluster_program(args)
    reports, broken = [], []
    for family in args.family or FAMILIES:
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "reports.json"
            argv = [*cluster, "run", "--family", family, "--replicas", "0", "--",
                    sys.executable, __file__, *sys.argv[1:], "--inner", str(file)]
            if ours:
                argv += ["--library", str(ours.preload)]
            code = subprocess.run(argv).returncode
            if file.exists():
                reports += json.loads(file.read_text())
            if code != 0:
                broken.append(f"{family}: the run ended with {code}")
    return show(reports, broken, bool(ours), args)


def show(reports, broken, with_ours, args):
    """Print table and differences; the exit code."""
    triple = lambda t: "/".join(map(str, t))
    print(f"{'suite':<22} {'server':<8} {'built against':<21} {'original':>14} {'ours':>14} {'worse':>6}")
    print(f"{'':<22} {'':<8} {'':<21} {'passed/failed/skipped':>29}")
    bad = list(broken)
    for r in reports:
        if r.get("absent"):
            print(f"{r['suite']:<22} {r['family']:<8} not run: no sources (CONFORMANCE_SRC)")
            continue
        if r.get("error"):
            bad.append(f"{r['family']} {r['suite']}: {r['error']}")
            print(f"{r['suite']:<22} {r['family']:<8} COULD NOT RUN")
            continue
        ours = triple(r["ours"]) if with_ours else "-"
        worse = len(r["worse"]) if with_ours else "-"
        print(f"{r['suite']:<22} {r['family']:<8} {r['against']:<21} {triple(r['original']):>14} "
              f"{ours:>14} {worse:>6}")
    for r in reports:
        if r.get("absent") or r.get("error"):
            continue
        floor = FLOOR.get((r["suite"], r["family"]), 0)
        if not args.unit and r["original"][0] + len(r["unstable"]) < floor:
            bad.append(f"{r['family']} {r['suite']}")
            print(f"  {r['family']} {r['suite']}: only {r['original'][0]} of {floor} tests pass with the original")
        head = f"{r['family']} {r['suite']}"
        for name in r["failed_original"]:
            print(f"  {head}: {name}: fails with the original")
        for name in r["unstable"]:
            print(f"  {head}: {name}: not stable with the original, left out")
        if not with_ours:
            continue
        for name, a, b in r["better"]:
            print(f"  {head}: {name}: {a} with the original, {b} with ours")
        for name, a, b, reason in r["listed"]:
            print(f"  {head}: {name}: {b}, not expected yet ({reason})")
        for name, a, b, _ in r["worse"]:
            bad.append(f"{head}: {name}")
            print(f"  {head}: {name}: {a} with the original, {b} with ours  <== WORSE")
        for name in r["wrongly_listed"]:
            bad.append(f"{head}: {name}")
            print(f"  {head}: {name}: passes, but expected.list has it  <== TAKE IT OUT")
        if args.suggest and r["worse"]:
            print("  lines for expected.list (each needs a reason):")
            for name, _, _, _ in r["worse"]:
                print(f"    {r['suite']} | {r['family']} | {name} | ?")
    for line in broken:
        print(line)
    print(f"conformance: {'FAILED, ' + str(len(bad)) + ' not as they must be' if bad else 'ok'}")
    return 1 if bad else 0


def main():
    args = arguments()
    try:
        if args.inner:
            inner(args)
            return 0
        return outer(args)
    except NeedsMore as lacking:
        say(str(lacking))
        return 1


if __name__ == "__main__":
    sys.exit(main())
