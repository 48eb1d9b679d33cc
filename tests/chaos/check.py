"""What must hold of a chaos run, judged by the workers' logs and the servers' data. See README.md."""

from collections import Counter, defaultdict

# Nothing was executed: no connection that the statement could have gone to.
CONNECT = {2000, 2002, 2003, 2006}
UNKNOWN = 2013
# Seconds: the shortest of all limits of time in run.py's configuration. A statement that waits for another node than its own
# waits for as long at least.
SHORTEST_LIMIT = 0.5
# Seconds: a handle asks servers for their roles again after so long; one statement waits for the answers.
ROLES_EVERY = 5
# DBD::mysql's own number for a BEGIN that failed: it hides what the library said.
DRIVER = {21}


class Operation:
    """One line pair of a worker's log."""

    def __init__(self, worker, begin, end):
        self.worker = worker["number"]
        self.seq, self.kind, self.begun = int(begin[1]), begin[2], float(begin[3])
        self.ended, self.code, self.place, self.answer, self.text = None, UNKNOWN, "-", "-", ""
        if end:
            self.ended, self.code, self.place, self.answer = float(end[3]), int(end[4]), end[5], end[6]
            self.text = end[7] if len(end) > 7 else ""
        # What the library logged meanwhile.
        self.said = []

    def writes(self):
        return self.kind in "it"

    def acknowledged(self):
        return self.code == 0

    def unknown(self):
        """Whether it may have been executed. A transaction that did not get to its COMMIT was not."""
        return self.code == UNKNOWN and self.place != "inside"

    def __str__(self):
        return f"worker {self.worker}, {self.seq} {self.kind}: {self.code} {self.place} {self.answer} {self.text}"


def read(worker):
    with open(worker["log"], encoding="utf-8", errors="replace") as file:
        lines = [line.rstrip("\n").split(" ", 7) for line in file]
    operations = []
    for at, line in enumerate(lines):
        if line[0] == "B":
            following = lines[at + 1] if at + 1 < len(lines) else None
            operations.append(Operation(worker, line, following))
    return operations


def add_what_was_said(operations, worker, clock):
    """Gives the operations of one worker the lines of its log of decisions; `clock`: that log's clock less the workers'."""
    lines = []
    with open(worker["decisions"], encoding="utf-8", errors="replace") as file:
        for line in file:
            time, _, text = line.rstrip("\n").partition("\t")
            lines.append((float(time) - clock, text))
    # Of several threads or handles one line may be a moment late.
    lines.sort(key=lambda line: line[0])
    at = 0
    for operation in operations:
        while at < len(lines) and lines[at][0] < operation.begun:
            at += 1
        while at < len(lines) and (operation.ended is None or lines[at][0] <= operation.ended):
            operation.said.append(lines[at][1])
            at += 1


class Freezes:
    """Which statements ran while a node was frozen, and what they had to do with it."""

    def __init__(self, frozen):
        self.frozen = frozen

    def during(self, operation):
        """The freezes that a statement met."""
        return [freeze for freeze in self.frozen if operation.ended and freeze[1] <= operation.ended and operation.begun <= freeze[2]]

    def meets(self, operation, node):
        """It was sent there, or was to be."""
        return any(f"\tnode=n{node}\t" in text or f"node n{node} cannot be used" in text for text in operation.said)

    def asks(self, operation, node):
        """Somebody asked the node what it is, and waited for that."""
        return any(f"node n{node} said nothing" in text for text in operation.said)

    def is_on_healthy_nodes(self, operation):
        return all(not self.meets(operation, node) for node, _, _ in self.during(operation))

    def waits_for_roles(self, operations):
        """Reads on healthy nodes that waited for what a frozen one is, but for the one that is due."""
        last, faults = {}, []
        for o in operations:
            asked = [node for node, _, _ in self.during(o) if self.asks(o, node)]
            if asked and o.kind in "fr" and self.is_on_healthy_nodes(o):
                if o.begun - last.get(o.worker, -ROLES_EVERY) < ROLES_EVERY:
                    faults.append(o)
                last[o.worker] = o.begun
        return faults


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))] * 1000 if values else float("nan")


def judge(workers, stuck, schedule, found, expected=None):
    """Prints what holds and what does not; 1 if something does not. `expected`: exactly these writes, as (worker, number),
    are to be lost."""
    verdicts = []

    def check(what, faults):
        verdicts.append(not faults)
        print(f"{'ok    ' if not faults else 'FAILED'} {what}" + (f": {len(faults)}" if faults else ""), flush=True)
        for fault in faults[:10]:
            print(f"         {fault}")

    operations = []
    for worker in workers:
        own = read(worker)
        add_what_was_said(own, worker, schedule.clock)
        operations += own
    rows = defaultdict(int)
    for worker, seq, kind, count in found["written"]:
        rows[int(worker), int(seq), kind] = int(count)
    writes = [operation for operation in operations if operation.writes()]
    outcomes = Counter("acknowledged" if w.acknowledged() else "unknown" if w.unknown() else "refused" for w in writes)
    print(f"       {len(operations)} operations, {len(writes)} writes: {dict(outcomes)}")
    for (code, kind, place), count in sorted(Counter((o.code, o.kind, o.place) for o in operations if o.code).items()):
        text = next(o.text for o in operations if (o.code, o.kind, o.place) == (code, kind, place))
        print(f"       error {code} of {kind}{' ' + place if place != '-' else ''}: {count} times, such as '{text[:110]}'")

    check("no handle is stuck", stuck)
    check("every program ends well and says nothing",
          [f"{w['name']}: {w['process'].returncode} {w['words'][-300:]}" for w in workers if w["process"].returncode or w["words"]])
    check("every program has written and read", [w["name"] for w in workers if not any(
        o.acknowledged() and o.worker == w["number"] and o.writes() for o in operations)])
    check("every error is of the three kinds", [o for o in operations if o.code and not (
        o.code in CONNECT or o.code == UNKNOWN or o.code in DRIVER and o.place == "inside" or 1000 <= o.code < 2000 or 3000 <= o.code < 5000)])
    times = lambda w: rows[w.worker, w.seq, w.kind]
    check("nothing is applied twice", [w for w in writes if times(w) > 1])
    check("what failed as not executed was not executed",
          [w for w in writes if not w.acknowledged() and not w.unknown() and times(w)])
    known = {(w.worker, w.seq, w.kind) for w in writes}
    check("nothing is there that nobody wrote", [key for key in rows if key not in known and rows[key]])
    per_worker = Counter()
    for (worker, _, kind), count in rows.items():
        per_worker[worker] += count if kind == "t" else 0
    check("transactions are there as a whole", [f"worker {worker}: {n} and {per_worker[int(worker)]}" for worker, n
                                                in found["account"].items() if int(n) != per_worker[int(worker)]])
    lost = [w for w in writes if w.acknowledged() and not times(w)]
    if schedule.semi_sync:
        check("no acknowledged write is lost", lost)
    else:
        print(f"       {len(lost)} acknowledged writes are lost with their primary")
        for write in lost:
            print(f"       lost: worker {write.worker}, number {write.seq}")
        check("acknowledged writes are lost by crashes only",
              [w for w in lost if not any(w.begun <= crash for crash in schedule.crashes)])
    gone = {(w.worker, w.seq) for w in lost}
    if expected is not None:
        check("exactly the writes that no replica had are named as lost",
              sorted(gone ^ expected) if expected else ["there was none"])
    seen = [(o, *map(int, o.answer.split(":"))) for o in operations if o.kind == "r" and o.acknowledged()]
    check("every session reads what it wrote", [o for o, seq, count in seen if count != 1 and (o.worker, seq) not in gone])
    check("every answer is right", [o for o in operations if o.kind == "f" and o.acknowledged() and not o.answer.startswith("0:")])
    check("the nodes have the same data", [] if all(sums == found["sums"][0] for sums in found["sums"]) else found["sums"])

    freezes = Freezes(schedule.frozen)
    met = [o for o in operations if freezes.during(o)]
    healthy = [o for o in met if freezes.is_on_healthy_nodes(o)]
    stalled = lambda o: any(begun <= o.ended and o.begun <= ended for begun, ended in schedule.stalls)
    check("no read on healthy nodes waits for a frozen one",
          [o for o in healthy if o.kind in "fr" and o.ended - o.begun >= SHORTEST_LIMIT and not stalled(o)
           and not any(freezes.asks(o, node) for node, _, _ in freezes.during(o))])
    check("the roles of a frozen node are asked for once in a while only", freezes.waits_for_roles(operations))
    print(f"       while a node was frozen: {len(met)} statements, {len(met) - len(healthy)} of them sent to it or to be")
    reads = [o for o in operations if o.kind == "f" and o.acknowledged() and o.answer[2:] in ("0", "1", "2")]
    for node in sorted({int(o.answer[2:]) for o in reads}):
        there = [o for o in reads if int(o.answer[2:]) == node]
        during = [o.ended - o.begun for o in there if freezes.during(o) and freezes.is_on_healthy_nodes(o)]
        calm = [o.ended - o.begun for o in there if not freezes.during(o)]
        print(f"       node {node}: {len(there)} reads; p99 {percentile(calm, 0.99):.1f} ms, median {percentile(calm, 0.5):.1f} ms; "
              f"on it alone while another one is frozen {percentile(during, 0.99):.1f} ms, {percentile(during, 0.5):.1f} ms ({len(during)})")
    longest = max((o for o in operations if o.ended), key=lambda o: o.ended - o.begun)
    print(f"       longest: {longest.ended - longest.begun:.1f} s ({longest})")
    print(f"{sum(verdicts)} passed, {len(verdicts) - sum(verdicts)} failed")
    return 0 if all(verdicts) else 1
