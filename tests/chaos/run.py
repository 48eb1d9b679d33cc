#!/usr/bin/env python3
"""Unchanged programs in Perl, Python and C on a cluster whose nodes are killed, frozen, restarted and promoted at random.

  run.py --library FILE --worker FILE [--time SECONDS] [--seed N] [--semi-sync]

$MS_DIR/control is the cluster's socket for orders, as of `cluster run`; --worker is worker.c, compiled. The same seed gives the
same schedule. README.md says what is checked. The last line is 'N passed, N failed'.
"""

import argparse
import json
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import check

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILY = os.environ["MS_FAMILY"]
NODES = range(int(os.environ["MS_NODES"]))
# A program whose statement takes longer hangs: all limits of the configuration together are a fraction of it.
STUCK = 60


def order(*words):
    """One order to the cluster; its answer."""
    line = " ".join(str(word) for word in words).replace("\\", "\\\\").replace("\n", "\\n")
    with socket.socket(socket.AF_UNIX) as control:
        control.connect(os.path.join(os.environ["MS_DIR"], "control"))
        control.sendall(line.encode() + b"\n")
        answer = b"".join(iter(lambda: control.recv(65536), b"")).decode(errors="replace")
    verdict, _, text = answer.partition("\n")
    if verdict != "ok":
        raise RuntimeError(f"{line[:80]}: {text.strip() or 'no answer'}")
    return text


def sql(node, text):
    return [line.split("\t") for line in order("sql", node, text).splitlines()]


def whoami(node):
    """Makes the one row that differs from node to node."""
    return f"DELETE FROM test.whoami; INSERT INTO test.whoami VALUES ({node})"


def setup():
    values = ", ".join(f"({number}, {number * 7})" for number in range(1, 101))
    order("sql", 0, "CREATE TABLE test.written (id BIGINT AUTO_INCREMENT PRIMARY KEY, worker INT, seq INT, kind CHAR(1), "
          "KEY (worker, seq)) ENGINE=InnoDB; CREATE TABLE test.account (worker INT PRIMARY KEY, n INT) ENGINE=InnoDB; "
          "CREATE TABLE test.fixed (id INT PRIMARY KEY, v INT) ENGINE=InnoDB; CREATE TABLE test.whoami (n INT) ENGINE=InnoDB; "
          f"INSERT INTO test.fixed VALUES {values}; "
          "INSERT INTO test.account VALUES " + ", ".join(f"({worker}, 0)" for worker in range(1, 7)))
    order("wait")
    read_only = "super_read_only" if FAMILY == "mysql" else "read_only"
    for node in NODES:
        order("sql", node, f"SET GLOBAL read_only=OFF; SET sql_log_bin=0; {whoami(node)}")
        if node != 0:
            order("sql", node, f"SET GLOBAL {read_only}=ON")


def configuration(folder):
    """What a careful administrator would write."""
    nodes = {f"n{n}": {"host": os.environ[f"MS_NODE{n}_HOST"], "port": int(os.environ[f"MS_NODE{n}_PORT"])} for n in NODES}
    section = {
        "match": [dict(nodes["n0"], user=os.environ["MS_USER"])],
        "master": {"n0": nodes["n0"]},
        "slave": {name: node for name, node in nodes.items() if name != "n0"},
        "filters": {"roundrobin": {}},
        "failover": {"strategy": "loop_before_master", "remember_failed": True},
        "discover": "read_only",
        "probe_ms": 500,
        "timeouts": {"connect": 1000, "read": 3000, "write": 3000},
        "wait_for_primary_ms": 10000,
        "retry_reads": True,
    }
    path = os.path.join(folder, "chaos.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"chaos": section}, file)
    os.chmod(path, 0o600)
    return path


def start_workers(arguments, folder):
    environment = dict(os.environ, LD_PRELOAD=os.path.abspath(arguments.library), MYSQLND_MS_ENABLE="1",
                       MYSQLND_MS_CONFIG_FILE=configuration(folder))
    # Debian's, which has the driver
    programs = [
        ["perl", os.path.join(HERE, "worker.pl"), "mysql"],
        ["perl", os.path.join(HERE, "worker.pl"), "MariaDB"],
        ["/usr/bin/python3", os.path.join(HERE, "worker.py")],
        ["/usr/bin/python3", os.path.join(HERE, "worker.py")],
        [os.path.abspath(arguments.worker)],
        [os.path.abspath(arguments.worker)],
    ]
    place = [os.environ["MS_NODE0_HOST"], os.environ["MS_NODE0_PORT"], os.environ["MS_USER"], os.environ["MS_PASSWORD"], "test"]
    workers = []
    for number, program in enumerate(programs, start=1):
        log = os.path.join(folder, f"worker{number}.log")
        errors = open(os.path.join(folder, f"worker{number}.err"), "w+", encoding="utf-8", errors="replace")
        command = [*program, *place, str(number), str(arguments.seed * 100 + number), log, os.path.join(folder, "stop")]
        decisions = os.path.join(folder, f"worker{number}.decisions")
        process = subprocess.Popen(command, env=dict(environment, MYSQLND_MS_LOG=f"decision:{decisions}"),
                                   stdin=subprocess.DEVNULL, stdout=errors, stderr=errors)
        name = " ".join(os.path.basename(word) for word in program)
        workers.append({"number": number, "name": name, "log": log, "decisions": decisions, "process": process,
                        "errors": errors})
    return workers


def open_since(worker):
    """When the statement was begun that the worker has not ended; None when it has none."""
    try:
        with open(worker["log"], "rb") as file:
            file.seek(max(0, os.path.getsize(worker["log"]) - 2000))
            last = [line.split() for line in file.read().decode(errors="replace").splitlines() if line][-1:]
    except OSError:
        return None
    return float(last[0][3]) if last and last[0][0] == "B" and len(last[0]) > 3 else None


def watch(workers, over, stuck):
    while not over.wait(1):
        for worker in workers:
            since = open_since(worker)
            if since and time.monotonic() - since > STUCK and worker["process"].poll() is None:
                stuck.append(worker["name"])
                worker["process"].kill()


def watch_for_stalls(over, stalls):
    """Times in which the machine let nobody work."""
    last = time.monotonic()
    while not over.wait(0.01):
        now = time.monotonic()
        if now - last > 0.1:
            stalls.append((last, now))
        last = now


class Schedule:
    """What happens to the nodes. All dice are thrown by one generator, whatever the servers answer."""

    def __init__(self, seed, semi_sync):
        self.dice = random.Random(seed)
        self.semi_sync = semi_sync
        self.began = time.monotonic()
        self.frozen = []
        self.crashes = []
        self.stalls = []
        # The log of decisions has the time of day.
        self.clock = time.time() - time.monotonic()

    def say(self, text):
        print(f"  {time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    def primary(self):
        return int(order("primary"))

    def replicas(self):
        primary = self.primary()
        return [node for node in NODES if node != primary]

    def pause(self, least, most):
        time.sleep(self.dice.uniform(least, most))

    def received(self, node):
        """How far a replica has got: the sum of the last numbers of every server."""
        texts = order("received", node) + "," + order("position", node)
        last = {}
        for part in texts.replace("\n", ",").split(","):
            if FAMILY == "mariadb":
                found = re.match(r"\s*(\d+)-\d+-(\d+)", part)
            else:
                found = re.match(r"\s*([0-9a-f-]{36}):.*?(\d+)$", part)
            if found:
                last[found[1]] = max(last.get(found[1], 0), int(found[2]))
        return sum(last.values())

    def promote_after_crash(self, old, when):
        self.crashes.append(when)
        best = max(self.replicas(), key=self.received)
        self.say(f"node {best} is promoted")
        order("promote", best)
        self.pause(0.2, 2)
        # it may have what nobody else has
        order("rebuild", old, whoami(old))
        self.say(f"node {old} is a new replica")

    def freeze_replica(self):
        node = self.dice.choice(self.replicas())
        self.say(f"replica {node} freezes")
        order("freeze", node)
        begun = time.monotonic()
        self.pause(1, 5)
        self.frozen.append((node, begun, time.monotonic()))
        order("thaw", node)

    def freeze_primary(self):
        node = self.primary()
        self.say(f"primary {node} freezes")
        order("freeze", node)
        begun = time.monotonic()
        self.pause(0.5, 4)
        self.frozen.append((node, begun, time.monotonic()))
        order("thaw", node)

    def kill_replica(self):
        node = self.dice.choice(self.replicas())
        self.say(f"replica {node} is killed")
        order("kill", node)
        self.pause(0.2, 2)
        order("restart", node)

    def restart_replica(self):
        node = self.dice.choice(self.replicas())
        self.say(f"replica {node} restarts")
        order("restart", node)

    def kill_primary_and_restart(self):
        node = self.primary()
        self.say(f"primary {node} is killed, and comes back")
        order("kill", node)
        self.pause(0.2, 2)
        order("restart", node)

    def kill_primary_and_promote(self):
        node = self.primary()
        self.say(f"primary {node} is killed")
        when = time.monotonic()
        order("kill", node)
        self.pause(0.2, 2)
        self.promote_after_crash(node, when)

    def freeze_primary_and_promote(self):
        node = self.primary()
        self.say(f"primary {node} freezes for good")
        order("freeze", node)
        begun = time.monotonic()
        self.pause(0.5, 3)
        when = time.monotonic()
        # nobody promotes another one while this one could come back
        order("kill", node)
        self.frozen.append((node, begun, when))
        self.promote_after_crash(node, when)

    def promote_in_peace(self):
        node = self.dice.choice(self.replicas())
        self.say(f"node {node} is promoted while the primary lives")
        order("promote", node)

    def stop_primary_and_promote(self):
        node = self.primary()
        self.say(f"primary {node} is shut down")
        when = time.monotonic()
        order("stop", node)
        self.promote_after_crash(node, when)

    def lose(self, seconds, stop):
        """The primary dies with acknowledged writes that no replica has received; these, as (worker, number)."""
        time.sleep(seconds / 2)
        for node in self.replicas():
            sql(node, "STOP SLAVE IO_THREAD" if FAMILY == "mariadb" else "STOP REPLICA IO_THREAD")
        self.say("the replicas receive nothing more")
        time.sleep(seconds / 2)
        stop()
        primary = self.primary()
        rows = lambda node: {tuple(map(int, row)) for row in sql(node, "SELECT worker, seq FROM test.written")}
        written = rows(primary)
        self.say(f"primary {primary} is killed")
        when = time.monotonic()
        order("kill", primary)
        self.promote_after_crash(primary, when)
        return written - rows(self.primary())

    def run(self, seconds):
        acts = [self.freeze_replica, self.freeze_replica, self.freeze_primary, self.kill_replica, self.restart_replica,
                self.kill_primary_and_restart, self.kill_primary_and_promote, self.freeze_primary_and_promote,
                self.promote_in_peace, self.stop_primary_and_promote]
        order_of_acts = []
        while time.monotonic() - self.began < seconds:
            # every kind once, in a new order, before any comes again
            order_of_acts = order_of_acts or self.dice.sample(acts, len(acts))
            self.pause(0.5, 2)
            order_of_acts.pop()()
        self.say("peace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--library", required=True)
    parser.add_argument("--worker", required=True)
    parser.add_argument("--time", type=float, default=60, help="seconds (default 60)")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--semi-sync", action="store_true", help="the servers acknowledge what a replica has")
    parser.add_argument("--keep", help="a folder for the workers' logs (default: one that is removed)")
    parser.add_argument("--lose", action="store_true", help="no schedule: the primary dies with writes that no replica has")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(1, 1_000_000)
    mode = "semi-synchronous" if arguments.semi_sync else "asynchronous"
    print(f"{FAMILY}, {mode} replication, {arguments.time:g} s, CHAOS_SEED={arguments.seed}", flush=True)
    setup()
    with tempfile.TemporaryDirectory() as folder:
        folder = arguments.keep or folder
        os.makedirs(folder, exist_ok=True)
        workers = start_workers(arguments, folder)
        over, stuck = threading.Event(), []
        watcher = threading.Thread(target=watch, args=(workers, over, stuck))
        watcher.start()
        schedule = Schedule(arguments.seed, arguments.semi_sync)
        stalls = threading.Thread(target=watch_for_stalls, args=(over, schedule.stalls))
        stalls.start()

        def stop():
            open(os.path.join(folder, "stop"), "w").close()
            for worker in workers:
                worker["process"].wait()

        expected = None
        try:
            if arguments.lose:
                expected = schedule.lose(arguments.time, stop)
            else:
                schedule.run(arguments.time)
                time.sleep(1)
                stop()
        finally:
            over.set()
            watcher.join()
            stalls.join()
            for worker in workers:
                worker["process"].kill()
        for worker in workers:
            worker["errors"].seek(0)
            worker["words"] = worker["errors"].read().strip()
        order("wait")
        primary = schedule.primary()
        found = {
            "written": [tuple(row) for row in sql(primary, "SELECT worker, seq, kind, COUNT(*) FROM test.written GROUP BY 1, 2, 3")],
            "account": dict(sql(primary, "SELECT worker, n FROM test.account")),
            "sums": [sql(node, "CHECKSUM TABLE test.written, test.account, test.fixed") for node in NODES],
        }
        return check.judge(workers, stuck, schedule, found, expected)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
