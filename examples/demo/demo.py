"""What mysqlclient-ms is for, shown on a real primary with two replicas. `make demo` runs it, below `cluster run`.

The same unchanged programs run twice, without and with the library. Where each statement ran is read from the general
logs of the three servers, never from the library; its own reason, from its decision log, stands beside it.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PRIMARY, FIRST, SECOND = range(3)
NODES = ("primary", "replica 1", "replica 2")
# What an application may run on a replica: reads, and the settings of its session.
HARMLESS = re.compile(r"\s*(SELECT|SHOW|EXPLAIN|DESCRIBE|WITH|SET|USE)\b", re.IGNORECASE)
SETTING = re.compile(r"\s*(SET|USE)\b(?!\s+autocommit\s*=\s*0)", re.IGNORECASE)
# What the library may ask of its own accord: settings, what a server's settings are, and ahead of a read whether the replica
# has what the session wrote.
QUESTION = r"SELECT (MASTER_GTID_WAIT|WAIT_FOR_EXECUTED_GTID_SET|1-GTID_SUBSET)\(|SELECT @@GLOBAL\.gtid_"
OWN = re.compile(SETTING.pattern + rf"|\s*SELECT\s+@@[\w.@, ]+$|\s*({QUESTION})", re.IGNORECASE)
READ = re.compile(r"\s*(SELECT|SHOW|EXPLAIN|DESCRIBE|WITH)\b", re.IGNORECASE)
TRANSACTION = re.compile(r"\s*(BEGIN|START\s+TRANSACTION|SET\s+autocommit\s*=\s*0)\b", re.IGNORECASE)
TRANSACTION_END = re.compile(r"\s*(COMMIT|ROLLBACK|SET\s+autocommit\s*=\s*1)\b", re.IGNORECASE)


class Failure(Exception):
    """Something that ends the demo, in words."""


class Paint:
    """Colour, on a terminal only."""

    def __init__(self):
        on = sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb" and not os.environ.get("NO_COLOR")
        self.codes = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33"} if on else {}

    def __call__(self, style, text):
        code = self.codes.get(style)
        return f"\033[{code}m{text}\033[0m" if code else text


paint = Paint()


class Cluster:
    """The servers that `cluster run` has started for us."""

    def __init__(self):
        env = os.environ
        self.folder, self.program, self.family = env["MS_DIR"], env["MS_CTL"], env["MS_FAMILY"]
        self.nodes = [(env[f"MS_NODE{n}_HOST"], int(env[f"MS_NODE{n}_PORT"])) for n in range(3)]

    def order(self, *words):
        done = subprocess.run([self.program, "ctl", self.folder, *words], capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise Failure(f"cluster ctl {words[0]}: {done.stderr.strip()}")
        return done.stdout

    def log(self, node):
        """Every statement that the application sent to the node so far: [text]."""
        lines = [line.split("\t", 3) for line in self.order("log", str(node)).splitlines()]
        return [unescape(line[3]) for line in lines if len(line) == 4 and line[2] in ("Query", "Execute")]

    def fresh_shop(self):
        rows = "(1,'tea',3,50),(2,'coffee',5,40),(3,'cup',7,30),(4,'pot',19,20),(5,'sugar',2,90),(6,'spoon',1,70)"
        self.order(
            "sql", "0",
            "DROP TABLE IF EXISTS test.item, test.sale; "
            "CREATE TABLE test.item (id INT PRIMARY KEY, name VARCHAR(20), price INT, stock INT) ENGINE=InnoDB; "
            f"INSERT INTO test.item VALUES {rows}",
        )
        self.order("wait")


def unescape(text):
    return re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)


class Program:
    """One unchanged program: its name, how it is started, what it needs."""

    def __init__(self, name, command):
        self.name, self.command = name, command


def programs(folder):
    """The programs that can run here, the C ones built into `folder`; what cannot run is said and left out."""
    found = []

    def interpreted(name, interpreter, probe, file):
        if shutil.which(interpreter) and subprocess.run([interpreter, *probe], capture_output=True).returncode == 0:
            found.append(Program(name, [interpreter, os.path.join(HERE, file)]))
        else:
            print(f"{name}: not on this machine, left out")

    interpreted("Perl, DBD::mysql", "perl", ["-MDBD::mysql", "-e1"], "shop.pl")
    # Debian's own Python is the one that has the package
    python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else "python3"
    interpreted("Python, MySQLdb", python, ["-c", "import MySQLdb"], "shop.py")
    interpreted("Ruby, mysql2", "ruby", ["-rmysql2", "-e1"], "shop.rb")

    def compiled(name, output, flags, runner):
        binary = os.path.join(folder, output)
        command = [os.environ.get("CC", "cc"), "-Wall", "-O1", os.path.join(HERE, "shop.c"), "-o", binary, *flags]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise Failure(f"{name} does not compile:\n{done.stderr}")
        found.append(Program(name, [*runner, binary]))

    config = shutil.which("mariadb_config")
    if config:
        flags = subprocess.run([config, "--include", "--libs"], capture_output=True, text=True, check=True).stdout.split()
        compiled("C, Connector/C", "shop-mariadb", flags, [])
    else:
        print("C, Connector/C: no mariadb_config (libmariadb-dev) on this machine, left out")
    prefix = os.environ.get("MYSQL_PREFIX", "")
    include, libraries = f"{prefix}/root/usr/include", f"{prefix}/root/usr/lib/x86_64-linux-gnu"
    if prefix and os.path.exists(f"{include}/mysql/mysql.h"):
        flags = [f"-I{include}", f"-I{include}/mysql", f"-L{libraries}", "-lmysqlclient", "-Wl,--allow-shlib-undefined"]
        compiled("C, libmysqlclient", "shop-mysql", flags, [os.path.abspath(f"{prefix}/bin/run")])
    else:
        print("C, libmysqlclient: left out; DEMO_SERVER=mysql brings MySQL's library")
    return found


class Run:
    """One run of a program and what each server was asked in it."""

    def __init__(self, cluster, program, extra, log=None):
        cluster.fresh_shop()
        before = [len(cluster.log(node)) for node in range(3)]
        environment = dict(os.environ, LC_ALL="C.UTF-8", **extra)
        for name, value in zip(("HOST", "PORT"), cluster.nodes[PRIMARY]):
            environment[f"SHOP_{name}"] = str(value)
        for name in ("USER", "PASSWORD", "DB"):
            environment[f"SHOP_{name}"] = os.environ[f"MS_{name}"]
        done = subprocess.run(
            program.command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=60
        )
        self.code, self.output, self.complaint = done.returncode, done.stdout, done.stderr.strip()
        self.seen = [cluster.log(node)[count:] for node, count in enumerate(before)]
        self.decisions = read_decisions(log) if log else []


def read_decisions(file):
    """The decision log: [(statement, node, reason)], in order. Lines of other kinds have no `reason=`."""
    decisions = []
    if os.path.exists(file):
        with open(file, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                fields = dict(part.split("=", 1) for part in line.rstrip("\n").split("\t") if "=" in part)
                if "reason" in fields and "sql" in fields:
                    decisions.append((unescape(fields["sql"]), fields.get("node", ""), fields["reason"]))
    return decisions


def take_reason(decisions, statement):
    """The reason of the next decision on this statement; drops it and what is before it."""
    for index, (text, _, reason) in enumerate(decisions):
        if key(statement).startswith(key(text.removesuffix("…"))):
            del decisions[: index + 1]
            return reason
    return ""


def key(statement):
    """What two spellings of one statement have in common: Connector/C commits with COMMIT, libmysqlclient with commit."""
    return " ".join(statement.split()).casefold()


def squeeze(text, width):
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


class Table:
    """One program's statements, in the order in which the one server got them without the library."""

    def __init__(self, without, with_):
        self.rows = []  # (statement, names of the nodes it ran on, reason)
        self.counts = [0, 0, 0]
        self.wrong = []
        left = [[(key(text), text) for text in seen] for seen in with_.seen]
        decisions = list(with_.decisions)
        in_transaction = False
        for statement in without.seen[PRIMARY]:
            places = []
            for node in range(3):
                at = next((i for i, (same, _) in enumerate(left[node]) if same == key(statement)), None)
                # a setting goes to every node that is used, everything else to one
                if at is not None and (not places or SETTING.match(statement)):
                    del left[node][at]
                    self.counts[node] += 1
                    places.append(node)
            if TRANSACTION.match(statement):
                in_transaction = True
            elif TRANSACTION_END.match(statement):
                in_transaction = False
            for node in places:
                if node != PRIMARY and (not HARMLESS.match(statement) or (in_transaction and READ.match(statement))):
                    self.wrong.append(f"{NODES[node]}: {statement}")
            self.rows.append((statement, places, take_reason(decisions, statement)))
        # what the servers were asked beyond that is the library's own set-up, and may be nothing else
        self.own = [[text for _, text in rest] for rest in left]
        # a read that met a replica which was not as far yet was asked again elsewhere
        again = {row[0] for row in self.rows if HARMLESS.match(row[0]) and READ.match(row[0])}
        for node in range(3):
            strange = [text for text in self.own[node] if not OWN.match(text) and text not in again]
            self.wrong += [f"{NODES[node]}, not the program's: {text}" for text in strange]

    def show(self):
        width = min(max(shutil.get_terminal_size((120, 40)).columns, 100), 160)
        first = width - 58
        print(paint("dim", f"  {'statement':{first}} {'without':9} {'with':9} why, in the library's words"))
        for statement, places, reason in self.rows:
            where = "all three" if len(places) == 3 else "+".join(NODES[node] for node in places) or "not sent"
            style = "dim" if not places else "green" if places[0] != PRIMARY else ""
            print(f"  {squeeze(statement, first):{first}} {NODES[PRIMARY]:9} {paint(style, f'{where:9}')} {squeeze(reason, 60)}")
        for node, own in enumerate(self.own):
            for text in own:
                print(paint("dim", f"  {squeeze(text, first):{first}} {'-':9} {NODES[node]:9} the library's own"))
        for wrong in self.wrong:
            print(paint("red", f"  WRONG  {squeeze(wrong, width - 10)}"))


def configuration(cluster, folder):
    """The mysqlnd_ms file: who connects to the primary as the shop's user is served by the whole cluster."""
    node = lambda n: {"host": cluster.nodes[n][0], "port": cluster.nodes[n][1]}
    section = {
        "match": [{"host": cluster.nodes[PRIMARY][0], "port": cluster.nodes[PRIMARY][1], "user": os.environ["MS_USER"]}],
        "master": {"primary": node(PRIMARY)},
        "slave": {"replica1": node(FIRST), "replica2": node(SECOND)},
        "filters": {"roundrobin": {}},
        "server_charset": "utf8mb4",
    }
    path = os.path.join(folder, "shop.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"shop": section}, file, indent=2)
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--library", required=True, help="the built libmysqlclient_ms.so")
    arguments = parser.parse_args()
    library = os.path.abspath(arguments.library)
    if not os.path.exists(library):
        raise Failure(f"{library} is not there: run make build")
    if "MS_DIR" not in os.environ:
        raise Failure("start me with 'make demo' (or below 'cluster run --general-log')")
    began = time.monotonic()
    cluster = Cluster()
    folder = os.path.join(cluster.folder, "demo")
    os.mkdir(folder)
    print(paint("bold", f"A primary and two replicas of {cluster.family}; each program below is unchanged and knows the primary only."))
    found = programs(folder)
    config = configuration(cluster, folder)
    print("The library is told by one file (and MYSQLND_MS_ENABLE=1, MYSQLND_MS_CONFIG_FILE, LD_PRELOAD):")
    with open(config, encoding="utf-8") as file:
        print(paint("dim", "  " + json.dumps(json.load(file))))
    summary, failed = [], []
    for number, program in enumerate(found):
        print()
        print(paint("bold", program.name) + paint("dim", "   " + " ".join(map(os.path.basename, program.command))))
        without = Run(cluster, program, {})
        if without.code:
            raise Failure(f"{program.name} fails without the library:\n{without.complaint}")
        if without.seen[FIRST] or without.seen[SECOND]:
            raise Failure(f"{program.name} reached a replica without the library")
        log = os.path.join(folder, f"decisions-{number}")
        with_ = Run(
            cluster,
            program,
            {
                "LD_PRELOAD": library,
                "MYSQLND_MS_ENABLE": "1",
                "MYSQLND_MS_CONFIG_FILE": config,
                "MYSQLND_MS_LOG": f"decision:{log}",
            },
            log,
        )
        if with_.code:
            print(f"  without: all {len(without.seen[PRIMARY])} statements on the primary")
            print(paint("red", f"  with: the program fails (status {with_.code}): {squeeze(with_.complaint, 200)}"))
            failed.append(program.name)
            continue
        table = Table(without, with_)
        table.show()
        same = without.output == with_.output
        print(f"  its output is {'the same' if same else paint('red', 'NOT the same')}: {without.output.splitlines()[-1]}")
        if not same or table.wrong:
            failed.append(program.name)
        summary.append((program.name, len(without.seen[PRIMARY]), table.counts, len(table.wrong)))
    print()
    print(paint("bold", "Where the servers say the statements ran"))
    head = ("program", "without: primary", "with: primary", "replica 1", "replica 2", "wrong")
    print(paint("dim", "  {:20} {:>16} {:>14} {:>10} {:>10} {:>6}".format(*head)))
    for name, total, counts, wrong in summary:
        print("  {:20} {:>16} {:>14} {:>10} {:>10} {:>6}".format(name, total, *counts, wrong))
    print(f"wrong: a write or a statement of a transaction on a replica. Took {time.monotonic() - began:.0f} s.")
    idle = [name for name, _, counts, _ in summary if not counts[FIRST] or not counts[SECOND]]
    for name in idle:
        print(paint("red", f"{name}: a replica got nothing to do"))
    if failed:
        raise Failure("failed: " + ", ".join(failed))
    return 1 if idle else 0


if __name__ == "__main__":
    try:
        sys.stdout.reconfigure(line_buffering=True)
        sys.exit(main())
    except Failure as failure:
        print(f"demo: {failure}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)
