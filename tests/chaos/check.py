"""What must hold of a chaos run, judged by the workers' logs and the servers' data. See README.md."""

from collections import Counter, defaultdict

# Nothing was executed: no connection that the statement could have gone to.
CONNECT = {2000, 2002, 2003, 2006}
UNKNOWN = 2013
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


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))] * 1000 if values else float("nan")


def judge(workers, stuck, schedule, found):
    verdicts = []

    def check(what, faults):
        verdicts.append(not faults)
        print(f"{'ok    ' if not faults else 'FAILED'} {what}" + (f": {len(faults)}" if faults else ""), flush=True)
        for fault in faults[:10]:
            print(f"         {fault}")

    operations = [operation for worker in workers for operation in read(worker)]
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
    seen = [(o, *map(int, o.answer.split(":"))) for o in operations if o.kind == "r" and o.acknowledged()]
    check("every session reads what it wrote", [o for o, seq, count in seen if count != 1 and (o.worker, seq) not in gone])
    check("every answer is right", [o for o in operations if o.kind == "f" and o.acknowledged() and not o.answer.startswith("0:")])
    check("the nodes have the same data", [] if all(sums == found["sums"][0] for sums in found["sums"]) else found["sums"])

    reads = [o for o in operations if o.kind == "f" and o.acknowledged() and o.answer[2:] in ("0", "1", "2")]
    for node in sorted({int(o.answer[2:]) for o in reads}):
        there = [o for o in reads if int(o.answer[2:]) == node]
        during = [o.ended - o.begun for o in there if any(
            frozen != node and begun <= o.ended and o.begun <= ended for frozen, begun, ended in schedule.frozen)]
        calm = [o.ended - o.begun for o in there if not any(begun <= o.ended and o.begun <= ended for _, begun, ended in schedule.frozen)]
        print(f"       node {node}: {len(there)} reads; p99 {percentile(calm, 0.99):.1f} ms, median {percentile(calm, 0.5):.1f} ms; "
              f"while another node is frozen {percentile(during, 0.99):.1f} ms, {percentile(during, 0.5):.1f} ms ({len(during)})")
    longest = max((o for o in operations if o.ended), key=lambda o: o.ended - o.begun)
    print(f"       longest: {longest.ended - longest.begun:.1f} s ({longest})")
    print(f"{sum(verdicts)} passed, {len(verdicts) - sum(verdicts)} failed")
    return 0 if all(verdicts) else 1
