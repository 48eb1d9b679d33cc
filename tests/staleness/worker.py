"""Writes counters and reads them back, for tests/staleness.rs: an unchanged MySQLdb program.

    worker.py ID SECONDS USER PASSWORD DATABASE       writes and reads
    worker.py peer USER PASSWORD DATABASE             reads for another process what that tells it to

Prints for each way of reading: name, reads, violations, errors; a line for each violation; and what errors came.
"""
import collections
import subprocess
import sys
import time

import MySQLdb


# Errors and how often each came.
ERRORS = collections.Counter()


class Handle:
    """A connection to a section, which is made again when it was lost."""

    def __init__(self, section, account):
        self.section, self.account, self.connection = section, account, None

    def run(self, sql):
        """The rows. An error gives the connection up."""
        try:
            if self.connection is None:
                user, password, database = self.account
                self.connection = MySQLdb.connect(
                    host=self.section, user=user, password=password, database=database, autocommit=True)
            cursor = self.connection.cursor()
            cursor.execute(sql)
            rows = cursor.fetchall()
            cursor.close()
            return rows
        except MySQLdb.Error as error:
            ERRORS[f"{sql.split()[0]} {self.section} {error}"] += 1
            try:
                if self.connection is not None:
                    self.connection.close()
            except MySQLdb.Error:
                pass
            self.connection = None
            raise


class Way:
    """One way of reading: how often, how often wrongly."""

    def __init__(self, name, row):
        self.name, self.row = name, row
        self.attempt = self.acknowledged = self.reads = self.violations = self.errors = 0

    def write(self, handle):
        self.attempt += 1
        try:
            handle.run(f"UPDATE seen SET n = {self.attempt} WHERE id = {self.row}")
            self.acknowledged = self.attempt
            return True
        except MySQLdb.Error:
            self.errors += 1
            return False

    def check(self, seen):
        self.reads += 1
        if not self.acknowledged <= seen <= self.attempt:
            self.violations += 1
            print(f"violation {self.name} row {self.row}: {seen} of {self.acknowledged} to {self.attempt}", flush=True)

    def read(self, handle):
        try:
            self.check(int(handle.run(f"SELECT n FROM seen WHERE id = {self.row}")[0][0]))
            return True
        except MySQLdb.Error:
            self.errors += 1
            return False


class Watch(Way):
    """Reads of what another handle writes, which must not go back in time."""

    def __init__(self, name, row, handles, lasting):
        super().__init__(name, row)
        self.handles, self.lasting, self.last, self.turn = handles, lasting, 0, 0

    def read(self):
        self.turn += 1
        handle = self.handles[self.turn % len(self.handles)]
        if handle.connection is None and not self.lasting:
            # A new handle has seen nothing.
            self.last = 0
        try:
            seen = int(handle.run(f"SELECT n FROM seen WHERE id = {self.row}")[0][0])
        except MySQLdb.Error:
            self.errors += 1
            return
        self.reads += 1
        if seen < self.last:
            self.violations += 1
            print(f"violation {self.name} row {self.row}: {seen} behind {self.last} at {time.time():.6f}", flush=True)
        self.last = max(self.last, seen)


def peer(account):
    handle = Handle("host", account)
    for line in sys.stdin:
        try:
            print(int(handle.run(f"SELECT n FROM seen WHERE id = {int(line)}")[0][0]), flush=True)
        except MySQLdb.Error:
            print("error", flush=True)


def main(number, seconds, account):
    own, one, other, writer = (Handle(name, account) for name in ("handle", "process", "process", "host"))
    reader = subprocess.Popen(
        [sys.executable, __file__, "peer", *account], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    handle, process, host = (Way(name, number * 10 + at) for at, name in enumerate(("handle", "process", "host")))
    forward = Watch("forward", handle.row, [Handle("forward", account)], False)
    onward = Watch("onward", handle.row, [Handle("onward", account) for _ in range(2)], True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        handle.write(own)
        if own.connection is None:
            # A new handle is promised nothing that another one wrote.
            handle.acknowledged = 0
        if not handle.read(own):
            handle.acknowledged = 0
        for _ in range(2):
            forward.read()
            onward.read()
        process.write(one)
        process.read(other)
        host.write(writer)
        reader.stdin.write(f"{host.row}\n")
        reader.stdin.flush()
        answer = reader.stdout.readline().strip()
        if answer == "error":
            host.errors += 1
        else:
            host.check(int(answer))
    reader.stdin.close()
    reader.wait()
    for text, count in ERRORS.items():
        print(f"note {count} times {text}", flush=True)
    for way in (handle, process, host, forward, onward):
        print(f"way {way.name} {way.reads} {way.violations} {way.errors}", flush=True)


if sys.argv[1] == "peer":
    peer(sys.argv[2:])
else:
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:])
