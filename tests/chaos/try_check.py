#!/usr/bin/env python3
"""Does check.py find what it is there for? Logs of a run that went well are judged, then the same with one thing wrong each.

The last line is 'N of N found'; exit status 1 if anything was missed, or found where nothing is.
"""

import contextlib
import io
import os
import tempfile
from types import SimpleNamespace

import check

# Of worker 1: number, kind, code, place, answer. The crash of the primary is at 50 s; each statement takes one second from
# the second that is its number.
WELL = [
    (1, "i", 0, "-", "-"),
    (2, "r", 0, "-", "1:1"),
    (3, "t", 0, "-", "-"),
    (4, "f", 0, "-", "0:1"),
    (5, "i", 2006, "-", "-"),
    (6, "i", 2013, "-", "-"),
    (7, "t", 2013, "commit", "-"),
    (8, "t", 2013, "inside", "-"),
    (9, "i", 0, "-", "-"),
    (10, "r", 0, "-", "9:1"),
]
# What the servers have: the unknown 6 happened, the unknown 7 did not.
WRITTEN = {(1, "i"): 1, (3, "t"): 1, (6, "i"): 1, (9, "i"): 1}


# The clock of the logs of decisions, less that of the others.
CLOCK = 1000.0


def run(operations=WELL, written=WRITTEN, account=1, semi_sync=False, crashes=(50.0,), stuck=(), code=0, words="", sums=("a", "a"),
        frozen=(), stalls=(), said=(), expected=None):
    """What the checker says of a run, and its exit status."""
    with tempfile.NamedTemporaryFile("w", suffix=".log", delete=False) as log:
        for seq, kind, error, place, answer in operations:
            log.write(f"B {seq} {kind} {seq}.0\nE {seq} {kind} {seq + 1}.0 {error} {place} {answer} words\n")
    with tempfile.NamedTemporaryFile("w", suffix=".decisions", delete=False) as decisions:
        for second, text in said:
            decisions.write(f"{CLOCK + second}\t77\t1\t{text}\n")
    worker = {"number": 1, "log": log.name, "decisions": decisions.name, "name": "worker", "process": SimpleNamespace(returncode=code), "words": words}
    found = {
        "written": [("1", str(seq), kind, str(count)) for (seq, kind), count in written.items()],
        "account": {"1": str(account)},
        "sums": list(sums),
    }
    schedule = SimpleNamespace(semi_sync=semi_sync, crashes=list(crashes), frozen=list(frozen), stalls=list(stalls), clock=CLOCK)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        status = check.judge([worker], list(stuck), schedule, found, expected)
    os.unlink(log.name)
    os.unlink(decisions.name)
    return said.getvalue(), status


def without(*keys):
    return {key: count for key, count in WRITTEN.items() if key not in keys}


def instead(seq, **change):
    fields = ("seq", "kind", "code", "place", "answer")
    return [tuple((dict(zip(fields, line)) | change)[field] for field in fields) if line[0] == seq else line for line in WELL]


# Node 2 is frozen during the read that is number 4 and takes a second.
FROZEN = [(2, 4.2, 4.8)]
SENT = (4.1, "node=n2\trole=replica\treason=plain read\tsql=SELECT 1")
ELSEWHERE = (4.9, "node=n1\trole=replica\treason=plain read\tsql=SELECT 1")
NOT_OPENED = (4.8, "warning\tnode n2 cannot be used: 2013 (HY000): Lost connection")
ASKED = "decision\tnode n2 said nothing within 500 ms"

FAULTS = [
    # what is wrong, the arguments, the check that must say so, words that must be in what it says
    ("a write is lost under semi-synchronous replication", dict(semi_sync=True, written=without((9, "i"))),
     "no acknowledged write is lost", "worker 1, 9 i"),
    ("a write is lost that was begun after the last crash", dict(written=without((9, "i")), crashes=(5.0,)),
     "acknowledged writes are lost by crashes only", "worker 1, 9 i"),
    ("a write is lost and nothing crashed", dict(written=without((9, "i")), crashes=()),
     "acknowledged writes are lost by crashes only", "worker 1, 9 i"),
    ("a write is there twice", dict(written=WRITTEN | {(9, "i"): 2}), "nothing is applied twice", "worker 1, 9 i"),
    ("an unknown write is there twice", dict(written=WRITTEN | {(6, "i"): 2}), "nothing is applied twice", "worker 1, 6 i"),
    ("a write is there that failed as not executed", dict(written=WRITTEN | {(5, "i"): 1}),
     "what failed as not executed was not executed", "worker 1, 5 i"),
    ("a transaction is there that did not get to its COMMIT", dict(written=WRITTEN | {(8, "t"): 1}, account=2),
     "what failed as not executed was not executed", "worker 1, 8 t"),
    ("a row is there that nobody wrote", dict(written=WRITTEN | {(77, "i"): 1}), "nothing is there that nobody wrote", "77"),
    ("half of a transaction is there", dict(account=2), "transactions are there as a whole", "worker 1"),
    ("a session does not see its write", dict(operations=instead(10, answer="9:0")), "every session reads what it wrote", "worker 1, 10 r"),
    ("an answer is wrong", dict(operations=instead(4, answer="3:1")), "every answer is right", "worker 1, 4 f"),
    ("an error is of no kind", dict(operations=instead(5, code=2027)), "every error is of the three kinds", "worker 1, 5 i"),
    ("a handle is stuck", dict(stuck=("worker 1 for 70 s",)), "no handle is stuck", "70 s"),
    ("a program crashed", dict(code=-11), "every program ends well and says nothing", "-11"),
    ("a program prints something", dict(words="Use of uninitialized value"), "every program ends well and says nothing", "uninitialized"),
    ("nodes differ", dict(sums=("a", "b")), "the nodes have the same data", "b"),
    ("a read on a healthy node waits while another one is frozen", dict(frozen=FROZEN, said=[ELSEWHERE]),
     "no read on healthy nodes waits for a frozen one", "worker 1, 4 f"),
    ("one read waits for the role of a frozen node, and the next one again",
     dict(frozen=[(2, 1.5, 4.8)], said=[(2.6, ASKED), (4.6, ASKED)]),
     "the roles of a frozen node are asked for once in a while only", "worker 1, 4 f"),
    ("another write is lost than the one that no replica had", dict(written=without((9, "i")), expected={(1, 3)}),
     "exactly the writes that no replica had are named as lost", "(1, 9)"),
    ("no write was lost that should have been", dict(expected=set()),
     "exactly the writes that no replica had are named as lost", "there was none"),
]


def main():
    missed = []
    text, status = run()
    if status or "FAILED" in text:
        missed.append(f"a run that went well is refused:\n{text}")
    # Asynchronous replication loses what the primary had not sent: named, and no fault.
    text, status = run(written=without((9, "i"), (3, "t")), account=0)
    names = [line.strip() for line in text.splitlines() if line.strip().startswith("lost:")]
    if status or names != ["lost: worker 1, number 3", "lost: worker 1, number 9"]:
        missed.append(f"lost writes are not named, or a fault: {names}\n{text}")
    for what, arguments in [
        ("the write that no replica had is lost", dict(written=without((9, "i")), expected={(1, 9)})),
        ("a read is sent to a frozen node", dict(frozen=FROZEN, said=[SENT, ELSEWHERE])),
        ("a read cannot connect to a frozen node", dict(frozen=FROZEN, said=[NOT_OPENED, ELSEWHERE])),
        ("a read waits for the role of a frozen node", dict(frozen=FROZEN, said=[(4.6, ASKED), ELSEWHERE])),
        ("the machine stood still", dict(frozen=FROZEN, said=[ELSEWHERE], stalls=[(4.3, 4.7)])),
    ]:
        text, status = run(**arguments)
        if status:
            missed.append(f"{what}: a fault:\n{text}")
    for what, arguments, verdict, words in FAULTS:
        text, status = run(**arguments)
        lines = text.splitlines()
        at = next((number for number, line in enumerate(lines) if line.startswith("FAILED") and verdict in line), None)
        named = at is not None and any(words in line for line in lines[at:at + 4])
        if status != 1 or not named:
            missed.append(f"{what}: not found by '{verdict}'\n{text}")
    for text in missed:
        print(text)
    print(f"{len(FAULTS) + 7 - len(missed)} of {len(FAULTS) + 7} found")
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
