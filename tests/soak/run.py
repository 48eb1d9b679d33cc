#!/usr/bin/env python3
"""sysbench, unchanged, with the library preloaded, on a primary and two replicas: where did its statements run?

  cluster run --family mariadb|mysql --replicas 2 --general-log -- run.py --library FILE [--time SECONDS] [--threads N]

`make soak` runs it for both families. Judged by the servers' general logs alone:
* with transactions (oltp_read_write): every statement of every transaction is on the primary;
* without (--skip-trx=on): every write is on the primary, at least 95 % of the reads on the replicas, and neither
  replica has less than a quarter of those;
* at any time a replica gets nothing but reads and settings of the session;
* sysbench reports no error, and the servers have the same data in the end.
The last line is 'N passed, N failed'.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

NODES = ("primary", "replica 1", "replica 2")
READ = re.compile(r"\s*SELECT\b", re.IGNORECASE)
# set-up, the program's or the library's: settings, what a server's settings are, and what the library asks a server ahead of a read
QUESTION = r"SELECT (MASTER_GTID_WAIT|WAIT_FOR_EXECUTED_GTID_SET|1-GTID_SUBSET)\(|SELECT @@GLOBAL\.gtid_"
SETTING = re.compile(rf"\s*(SET|USE)\b|\s*SELECT\s+@@[\w.@, ]+$|\s*({QUESTION})", re.IGNORECASE)
BEGIN = re.compile(r"\s*(BEGIN|START\s+TRANSACTION)\b", re.IGNORECASE)
END = re.compile(r"\s*(COMMIT|ROLLBACK)\b", re.IGNORECASE)
TABLES, ROWS = 2, 5000
# of the reads of autocommit statements, at least this part on replicas; of those, at least this on each
READS_ON_REPLICAS, EACH_REPLICA = 0.95, 0.25

results = []


def check(what, good, detail=""):
    results.append(bool(good))
    print(f"{'ok    ' if good else 'FAILED'} {what}{': ' + detail if detail else ''}", flush=True)


def order(*words):
    command = [os.environ["MS_CTL"], "ctl", os.environ["MS_DIR"], *words]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace")
    if done.returncode:
        sys.exit(f"soak: cluster ctl {words[0]}: {done.stderr.strip()}")
    return done.stdout


def seen(node):
    """[(connection, command, text)] of all that the application sent to the node so far."""
    lines = (line.split("\t", 3) for line in order("log", str(node)).splitlines())
    return [(line[0], line[2], line[3]) for line in lines if len(line) == 4]


def sysbench(step, extra=(), environment=None):
    command = [
        "sysbench", "oltp_read_write", "--db-driver=mysql", "--db-ps-mode=disable",
        f"--mysql-host={os.environ['MS_NODE0_HOST']}", f"--mysql-port={os.environ['MS_NODE0_PORT']}",
        f"--mysql-user={os.environ['MS_USER']}", f"--mysql-password={os.environ['MS_PASSWORD']}",
        f"--mysql-db={os.environ['MS_DB']}", f"--tables={TABLES}", f"--table-size={ROWS}", *extra, step,
    ]
    return subprocess.run(
        command, env=dict(os.environ, **(environment or {})), stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def configuration(folder):
    nodes = [{"host": os.environ[f"MS_NODE{n}_HOST"], "port": int(os.environ[f"MS_NODE{n}_PORT"])} for n in range(3)]
    section = {
        "match": [dict(nodes[0], user=os.environ["MS_USER"])],
        "master": {"primary": nodes[0]},
        "slave": {"replica1": nodes[1], "replica2": nodes[2]},
        "filters": {"roundrobin": {}},
    }
    path = os.path.join(folder, "soak.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"soak": section}, file)
    return path


def judge(name, logs, transactions):
    reads, writes, begins = [0, 0, 0], [0, 0, 0], [0, 0, 0]
    strange = []
    for node, log in enumerate(logs):
        for _, command, text in log:
            if command != "Query":
                if node and command not in ("Connect", "Quit", "Init DB", "Reset connection", "Reset Connection"):
                    strange.append(f"{NODES[node]}: {command} {text}")
            elif SETTING.match(text):
                pass
            elif READ.match(text):
                reads[node] += 1
            else:
                writes[node] += 1
                begins[node] += bool(BEGIN.match(text))
                if node:
                    strange.append(f"{NODES[node]}: {text}")
    print(f"       {name}: reads {reads}, writes and transaction control {writes}")
    check(f"{name}: nothing but reads and settings on a replica", not strange, "; ".join(strange[:3]))
    check(f"{name}: the primary has writes", writes[0] > 0)
    if transactions:
        check(f"{name}: the primary has transactions", begins[0] > 0, str(begins[0]))
        check(f"{name}: every read of a transaction is on the primary", reads[0] > 0 and not reads[1] + reads[2])
        inside, outside = {}, 0
        for connection, command, text in logs[0]:
            if command == "Query":
                if BEGIN.match(text):
                    inside[connection] = True
                elif END.match(text):
                    inside[connection] = False
                elif not SETTING.match(text):
                    outside += not inside.get(connection)
        # the statements of a client that lost its place would show up outside of its transaction
        check(f"{name}: no statement of a transaction is outside of it", outside == 0, str(outside) if outside else "")
        return
    total, replicas = sum(reads), reads[1] + reads[2]
    check(f"{name}: the reads are on the replicas", total and replicas >= READS_ON_REPLICAS * total, f"{replicas} of {total}")
    least = min(reads[1], reads[2])
    check(f"{name}: both replicas have their part", replicas and least >= EACH_REPLICA * replicas, f"{reads[1]} and {reads[2]}")


def same_data():
    order("wait")
    tables = ", ".join(f"{os.environ['MS_DB']}.sbtest{n}" for n in range(1, TABLES + 1))
    sums = [order("sql", str(node), f"CHECKSUM TABLE {tables}") for node in range(3)]
    check("the three servers have the same data", sums[0] == sums[1] == sums[2] and "NULL" not in sums[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--time", type=int, default=60, help="seconds for each run (default 60)")
    parser.add_argument("--threads", type=int, default=4)
    arguments = parser.parse_args()
    library = os.path.abspath(arguments.library)
    if not os.path.exists(library):
        sys.exit(f"soak: {library} is not there")
    done = sysbench("prepare")
    if done.returncode:
        sys.exit(f"soak: sysbench prepare fails without the library:\n{done.stdout}{done.stderr}")
    order("wait")
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            "LD_PRELOAD": library,
            "MYSQLND_MS_ENABLE": "1",
            "MYSQLND_MS_CONFIG_FILE": configuration(folder),
        }
        for name, extra, transactions in (("with transactions", [], True), ("without transactions", ["--skip-trx=on"], False)):
            before = [len(seen(node)) for node in range(3)]
            print(f"{os.environ['MS_FAMILY']}, {name}: {arguments.threads} threads for {arguments.time} s", flush=True)
            limits = [f"--threads={arguments.threads}", f"--time={arguments.time}", "--rand-type=uniform"]
            done = sysbench("run", [*extra, *limits], environment)
            check(f"{name}: sysbench ends well", done.returncode == 0, done.stderr.strip()[-300:])
            queries = re.search(r"queries:\s+(\d+)\s+\(([\d.]+) per sec", done.stdout)
            if queries:
                print(f"       {queries[1]} queries, {queries[2]} in a second")
            check(f"{name}: it does not reconnect", re.search(r"reconnects:\s+0\s", done.stdout) is not None)
            judge(name, [seen(node)[count:] for node, count in enumerate(before)], transactions)
            same_data()
    passed = sum(results)
    print(f"{passed} passed, {len(results) - passed} failed")
    return 0 if passed == len(results) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
