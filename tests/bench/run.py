#!/usr/bin/env python3
"""Measures our library beside both originals: one C program loads each by dlopen, in
turn, against the same MySQL server over its Unix socket, and does the same work.

  run.py [--library FILE] [--originals-only] [--report-only] [--only WORK]... [--json FILE]

Instructions are counted by callgrind as the difference between two runs of
different length, so start-up cancels out and the numbers repeat. Wall and CPU time
are shown as ratios only and never judged. Exit code 1 when a line
is over its bound by more than 25 %, or could not be measured.
Everything runs under the loader of the MySQL prefix, so that libmysqlclient loads.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SLACK = 1.25
LIBRARIES = ("Connector/C", "libmysqlclient", "ours")

# work, text, N and 2N (or more) of the two counted runs, bound (None: only shown)
INSTRUCTIONS = [
    ("select1", "SELECT 1, store, fetch, free", 500, 1500, 2700),
    ("stored", "one row of a stored result, with lengths", 5000, 15000, 300),
    ("unbuffered", "one row of an unbuffered result, with lengths", 5000, 15000, 300),
    ("execute", "execute of a prepared point select, store, fetch", 500, 1500, 2900),
    ("prepared_rows", "one row of a prepared, stored result", 5000, 15000, 300),
    ("connect", "connect, SELECT 1, close", 20, 60, 40000),
    ("escape", "escape 1 MiB of utf8mb4, 1 % special characters", 2, 6, 2_000_000),
]
# work, text, N and 2N: at most as many as the faster original
CHANNELS = [
    ("select1@tls", "SELECT 1 over TLS", 200, 600),
    ("stored@tls", "one row of a stored result over TLS", 5000, 15000),
    ("select1@zlib", "SELECT 1 over zlib", 200, 600),
    ("stored@zlib", "one row of a stored result over zlib", 5000, 15000),
    ("select1@zstd", "SELECT 1 over zstd", 200, 600),
    ("stored@zstd", "one row of a stored result over zstd", 5000, 15000),
]
# Connector/C has zstd in a plugin that Debian does not have.
LACKS = {("Connector/C", "zstd")}
NOT_YET = [
    "connect from the pool (at most 8,000)",
    "escape 1 MiB of gbk or sjis (at most 12 M)",
]
ROUTING = [
    ("same_text", "routing a text seen before adds", 500, 1500, 1000),
    ("new_text", "routing a new text of 200 bytes adds", 500, 1500, 8000),
]
# Takes another node for every read: those of one handle open all of them, and each is decided on anew.
ROUND_ROBIN = {"filters": {"roundrobin": []}}
TIMES = [("select1", 3000), ("stored", 20000), ("unbuffered", 20000), ("execute", 3000), ("prepared_rows", 20000),
         ("connect", 200), ("escape", 20)]
MEMORY_ROWS = 200000
ROUNDS = 5


class Bench:
    """The compiled program, the libraries and the way to run them."""

    def __init__(self, args, scratch):
        self.args, self.scratch = args, scratch
        prefix = os.environ.get("MYSQL_PREFIX")
        if not prefix:
            raise SystemExit("bench: MYSQL_PREFIX is not set: run under `cluster run --family mysql`")
        self.lib = Path(prefix) / "root/usr/lib/x86_64-linux-gnu"
        self.program = scratch / "bench"
        source = Path(__file__).with_name("bench.c")
        subprocess.run(["cc", "-O2", "-Wall", "-o", self.program, source, "-ldl"], check=True)
        found = subprocess.run(["mariadb_config", "--libs"], stdout=subprocess.PIPE, text=True, check=True)
        folder = re.search(r"-L(\S+)", found.stdout)
        self.paths = {
            "Connector/C": Path(folder.group(1) if folder else "/usr/lib") / "libmariadb.so.3",
            "libmysqlclient": self.lib / "libmysqlclient.so.24",
        }
        if not args.originals_only:
            self.paths["ours"] = Path(args.library).resolve()
        self.loader = [self.lib / "ld-linux-x86-64.so.2", "--library-path",
                       f"{self.lib}:{prefix}/root/usr/lib/mysql/private"]
        self.trouble = []

    def command(self, library, work, n):
        return [str(a) for a in (*self.loader, self.program, self.paths[library], work, n)]

    def run(self, argv, env=None):
        clean = {k: v for k, v in os.environ.items() if not k.startswith("MYSQLND_MS_")}
        return subprocess.run([str(a) for a in argv], env={**clean, **(env or {})},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=300)

    def measure(self, what, library, work, n, before=(), env=None):
        """Output of one run, or None, with the reason kept."""
        try:
            done = self.run([*before, *self.command(library, work, n)], env)
        except subprocess.TimeoutExpired:
            self.trouble.append(f"{library}, {what}: took more than 300 s")
            return None
        if done.returncode != 0:
            last = [l for l in done.stderr.splitlines() if l and not l.startswith("==")][-1:]
            self.trouble.append(f"{library}, {what}: ended with {done.returncode} {' '.join(last)}")
            return None
        return done

    def instructions(self, library, work, few, many, env=None):
        """Instructions of one operation."""
        counted = []
        for n in (few, many):
            out = self.measure(work, library, work, n,
                               ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"), env)
            found = out and re.search(r"Collected : (\d+)", out.stderr)
            if not found:
                return None
            counted.append(int(found.group(1)))
        return (counted[1] - counted[0]) / (many - few)

    def value(self, library, work, n, key, env=None):
        out = self.measure(work, library, work, n, env=env)
        found = out and re.search(rf"\b{key}=(\S+)", out.stdout)
        return float(found.group(1)) if found else None

    def syscalls(self, library, few=100, many=300):
        """System calls of one SELECT 1, by name."""
        counted = []
        for n in (few, many):
            log = self.scratch / "strace"
            if not self.measure("system calls", library, "select1", n, ("strace", "-f", "-o", log)):
                return None
            names = re.findall(r"^\d+ +(\w+)\(", log.read_text(errors="replace"), re.M)
            counted.append(collections.Counter(names))
        per = {name: (counted[1][name] - counted[0][name]) / (many - few) for name in counted[1]}
        return {name: value for name, value in per.items() if value > 0.005}

    def best_times(self, work, n):
        """Best wall and CPU seconds of each library, taken in turn."""
        best = {}
        for _ in range(ROUNDS):
            for library in self.paths:
                out = self.measure(f"times of {work}", library, work, n)
                if not out:
                    continue
                wall = float(re.search(r"wall=(\S+)", out.stdout).group(1))
                cpu = float(re.search(r"cpu=(\S+)", out.stdout).group(1))
                old = best.get(library, (wall, cpu))
                best[library] = (min(old[0], wall), min(old[1], cpu))
        return best


def table_of_rows():
    """Make the table that the work reads: 6 columns, about 100 bytes a row."""
    sql = """DROP TABLE IF EXISTS bench_rows;
        CREATE TABLE bench_rows (id INT PRIMARY KEY, c1 VARCHAR(40), c2 INT, c3 VARCHAR(40),
                                 c4 DECIMAL(10,2), c5 DATETIME, c6 DOUBLE INVISIBLE);
        SET SESSION cte_max_recursion_depth = 100000;
        INSERT INTO bench_rows (id, c1, c2, c3, c4, c5, c6) WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i+1 FROM n WHERE i < 19999)
          SELECT i, REPEAT(CHAR(97 + i % 26), 20 + i % 11), i * 7, REPEAT('v', 15 + i % 16), i / 3,
                 '2024-01-01 00:00:00', i / 7 FROM n;"""
    env = os.environ
    client = Path(env["MYSQL_PREFIX"]) / "bin" / "mysql"
    # The password goes by the environment: the client warns about one on its command line.
    subprocess.run([client, "--no-defaults", f"-u{env['MS_USER']}", "-S", env["MS_NODE0_SOCKET"],
                    env["MS_DB"], "-e", sql], check=True, env={**env, "MYSQL_PWD": env["MS_PASSWORD"]})


def routed_environment(scratch, replicas=1, **keys):
    """Settings that route `bench` to one section with this server in all roles, and with these keys."""
    env = os.environ
    node = {"host": "localhost", "socket": env["MS_NODE0_SOCKET"], "user": env["MS_USER"],
            "password": env["MS_PASSWORD"], "db": env["MS_DB"]}
    config = scratch / f"bench-{replicas}-{'-'.join(keys)}.json"
    slaves = {f"s{n}": node for n in range(replicas)}
    config.write_text(json.dumps({"bench": {"master": {"m": node}, "slave": slaves, **keys}}))
    config.chmod(0o600)
    return {"MYSQLND_MS_ENABLE": "1", "MYSQLND_MS_CONFIG_FILE": str(config), "BENCH_HOST": "bench"}


def number(value):
    if value is None:
        return "failed"
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


class Table:
    """Lines of (text, value of each library, bound) and their verdicts."""

    def __init__(self, with_ours):
        self.with_ours, self.over, self.lines = with_ours, [], []
        print(f"{'':<50} {'Connector/C':>14} {'libmysqlclient':>14} {'ours':>14} {'bound':>11}")

    def line(self, text, values, bound, judged=True, shown=None):
        ours = values.get("ours")
        verdict = ""
        if self.with_ours and bound is not None:
            if ours is None:
                verdict, bad = "NOT MEASURED", judged
            else:
                bad = judged and ours > bound * SLACK
                verdict = "" if ours <= bound else f"over by {100 * (ours / bound - 1):.0f} %"
            if bad:
                self.over.append(text)
        cells = [number(values[k]) if k in values else "-" for k in LIBRARIES]
        print(f"{text:<50} {cells[0]:>14} {cells[1]:>14} {cells[2]:>14} "
              f"{shown or (number(bound) if bound is not None else ''):>11}  {verdict}".rstrip(), flush=True)
        self.lines.append({"text": text, "bound": bound, **values})


def measure_all(args):
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        bench = Bench(args, Path(folder))
        table_of_rows()
        wanted = lambda work: not args.only or work in args.only
        table = Table("ours" in bench.paths)
        print("instructions per operation")
        for work, text, few, many, bound in INSTRUCTIONS:
            if wanted(work):
                table.line(text, {l: bench.instructions(l, work, few, many) for l in bench.paths}, bound)
        for work, text, few, many in CHANNELS:
            if wanted(work) or (args.only and "channels" in args.only):
                having = [l for l in bench.paths if (l, work.partition("@")[2]) not in LACKS]
                values = {l: bench.instructions(l, work, few, many) for l in having}
                least = min((v for l, v in values.items() if l != "ours" and v), default=None)
                table.line(text, values, least, shown=least and f"{number(least)}")
        for text in NOT_YET:
            print(f"{text:<50} not yet")
        if "ours" in bench.paths:
            print("what routing adds, instructions per statement")
            scratch = Path(folder)
            ways = [("", True, routed_environment(scratch)),
                    (" (round robin)", False, routed_environment(scratch, **ROUND_ROBIN))]
            for work, text, few, many, bound in ROUTING:
                plain = bench.instructions("ours", work, few, many) if wanted("routing") else None
                for way, judged, env in ways if wanted("routing") else ():
                    ours = bench.instructions("ours", work, few, many, env)
                    added = None if plain is None or ours is None else ours - plain
                    table.line(text + way, {"ours": added}, bound, judged)
        if wanted("memory"):
            print(f"peak memory of a stored result of {MEMORY_ROWS:,} rows, kB")
            for key, text, share in (("stored_kb", "after storing", 0.65), ("fetched_kb", "after fetching all rows", 0.9)):
                values = {l: bench.value(l, "memory", MEMORY_ROWS, key) for l in bench.paths}
                least = min((v for l, v in values.items() if l != "ours" and v), default=None)
                table.line(text, values, least and least * share, shown=f"{share} x")
        if wanted("handle"):
            table.line("an unconnected handle, bytes",
                       {l: bench.value(l, "handle", 1000, "handle_bytes") for l in bench.paths}, 4096)
        if wanted("routed_handle") and "ours" in bench.paths:
            value = bench.value("ours", "routed_handle", 50, "handle_bytes", routed_environment(Path(folder), 2, **ROUND_ROBIN))
            table.line("a routed handle with three open nodes, bytes", {"ours": value}, 65536)
        if wanted("syscalls"):
            print("system calls per SELECT 1")
            calls = {l: bench.syscalls(l) for l in bench.paths}
            send = {"sendto", "write", "sendmsg", "writev"}
            receive = {"recvfrom", "read", "recvmsg", "readv"}
            wait = {"poll", "ppoll", "select", "pselect6"}
            for text, names, bound in (("sending", send, 1), ("receiving", receive, 1), ("waiting", wait, 1)):
                table.line(text, {l: c and sum(v for n, v in c.items() if n in names) for l, c in calls.items()}, bound)
            other = {l: c and sum(v for n, v in c.items() if n not in send | receive | wait) for l, c in calls.items()}
            table.line("any other", other, 0.01)
            for l, c in calls.items():
                print(f"  {l}: " + (", ".join(f"{n} {v:.2f}" for n, v in sorted(c.items())) if c else "failed"))
        if wanted("times") and "ours" in bench.paths:
            print(f"time of ours, as a share of the original's (best of {ROUNDS}; not judged)")
            print(f"{'':<50} {'Connector/C':>14} {'':>5} {'libmysqlclient':>14}")
            for work, n in TIMES:
                best = bench.best_times(work, n)
                cells = []
                for original in ("Connector/C", "libmysqlclient"):
                    if "ours" in best and original in best:
                        cells.append("wall {:.2f} cpu {:.2f}".format(
                            *(best["ours"][k] / max(best[original][k], 1e-9) for k in (0, 1))))
                    else:
                        cells.append("failed")
                print(f"{work:<50} {cells[0]:>20} {cells[1]:>20}")
    for text in bench.trouble:
        print(f"bench: {text}")
    if args.json:
        Path(args.json).write_text(json.dumps(table.lines))
    if table.over:
        print("bench: over the bound by more than 25 %: " + "; ".join(table.over))
    return 1 if table.over and not args.report_only else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--library", help="our library (default: the release build)")
    parser.add_argument("--originals-only", action="store_true")
    parser.add_argument("--report-only", action="store_true", help="exit 0 whatever the bounds say")
    parser.add_argument("--only", action="append", help="a work, or channels, memory, handle, routed_handle, syscalls, routing, times")
    parser.add_argument("--json", help="also write the lines to this file")
    parser.add_argument("--cluster", default=os.environ.get("MS_CLUSTER"), help="the harness's `cluster` program")
    parser.add_argument("--inner", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    args.library = args.library or str(target / "release" / "libmysqlclient_ms.so")
    for tool in ("valgrind", "strace", "cc", "mariadb_config"):
        if not shutil.which(tool):
            raise SystemExit(f"bench: needs {tool} (packages valgrind, strace, gcc, libmariadb-dev)")
    if not args.originals_only and not Path(args.library).exists():
        raise SystemExit(f"bench: {args.library} is not there: cargo build --release, or --originals-only")
    if args.inner:
        return measure_all(args)
    cluster = args.cluster
    if not cluster:
        subprocess.run(["cargo", "build", "-q", "-p", "harness", "--bin", "cluster"], cwd=ROOT, check=True)
        cluster = str(target / "debug" / "cluster")
    argv = [cluster, "run", "--family", "mysql", "--replicas", "0", "--", sys.executable, __file__,
            *sys.argv[1:], "--inner"]
    return subprocess.run(argv).returncode


if __name__ == "__main__":
    sys.exit(main())
