"""Reads test output into {test name: status} and compares two such tables.

Pure: no process is started here. Statuses are "ok", "fail" and "skip"; a test
that one side has not reached is "missing".
"""

import json
import re
from pathlib import Path

OK, FAIL, SKIP, MISSING = "ok", "fail", "skip", "missing"

# Why a test may be listed as not expected yet; nothing else is accepted.
REASONS = {
    "infile": "LOCAL INFILE is off by default",
}

_POINT = re.compile(r"^(not )?ok\b\s*(\d+)?(?:\s*-?\s*(.*))?$")
_PLAN = re.compile(r"^1\.\.(\d+)(?:\s*#\s*skip\b(.*))?", re.I)


def tap(unit, code, out):
    """Top-level TAP points of one program, named `unit:number`.

    The end of the program is a test too: `unit:exit` fails when it did not
    end with 0 or did not run all points of its plan.
    """
    table, number, plan = {}, 0, None
    for line in out.splitlines():
        planned = _PLAN.match(line)
        if planned:
            plan = int(planned.group(1))
            continue
        point = _POINT.match(line)
        if not point:
            continue
        number = int(point.group(2)) if point.group(2) else number + 1
        text = (point.group(3) or "").lower()
        if re.search(r"#\s*skip", text):
            status = SKIP
        elif point.group(1) and not re.search(r"#\s*todo", text):
            status = FAIL
        else:
            status = OK
        # A number comes twice when parent and child both print.
        name, again = f"{unit}:{number}", 1
        while name in table:
            again += 1
            name = f"{unit}:{number}#{again}"
        table[name] = status
    if plan == 0:
        table[f"{unit}:exit"] = SKIP
    else:
        whole = code == 0 and plan is not None and len(table) >= plan
        table[f"{unit}:exit"] = OK if whole else FAIL
    return table


def pytest_lines(out):
    """The `-rA` summary and the verbose lines of pytest."""
    words = {"PASSED": OK, "FAILED": FAIL, "ERROR": FAIL, "SKIPPED": SKIP, "XFAIL": OK, "XPASS": OK}
    table = {}
    for line in out.splitlines():
        verbose = re.match(r"^(tests/\S+?::.+?)\s+(PASSED|FAILED|ERROR|SKIPPED|XFAIL|XPASS)\b", line)
        if verbose and verbose.group(2) in words:
            name, status = verbose.group(1), words[verbose.group(2)]
            if table.get(name) != FAIL:
                table[name] = status
        whole = re.match(r"^SKIPPED \[\d+\] (\S+?):\d+: could not import", line)
        if whole:
            table[whole.group(1)] = SKIP
    return table


def rspec_json(text):
    """rspec's json formatter; names are full descriptions, numbered when they repeat."""
    start = text.find('{"version"')
    if start < 0:
        return {}
    data, _ = json.JSONDecoder().raw_decode(text[start:])
    words = {"passed": OK, "failed": FAIL, "pending": SKIP}
    table, seen = {}, {}
    for example in data["examples"]:
        name = example["full_description"]
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            name += f" #{seen[name]}"
        table[name] = words[example["status"]]
    return table


def phpt_lines(out):
    """The lines of PHP's run-tests.php: `PASS title [ext/x/tests/name.phpt]`; the name is the test."""
    words = {"PASS": OK, "XFAIL": OK, "WARN": OK, "FAIL": FAIL, "BORK": FAIL, "LEAK": FAIL, "SKIP": SKIP}
    # A title may have several lines.
    line = r"^(PASS|XFAIL|WARN|FAIL|BORK|LEAK|SKIP)(?:&\w+)? (?:[^\n]*\n){0,3}?[^\n]*\[(?:\S*/)?(\S+)\.phpt\]"
    return {found.group(2): words[found.group(1)] for found in re.finditer(line, out, re.M)}


class Expected:
    """The committed list of tests that are not expected to pass yet.

    One line each: `suite | family or * | test | reason`; a test may end in a
    range of TAP points (`t/a.t:3-17`). A listed test that passes is an error,
    so that the list can only shrink.
    """

    def __init__(self, path):
        self.entries = {}
        for number, line in enumerate(Path(path).read_text().splitlines(), 1):
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split(" | ")]
            if len(parts) != 4:
                raise ValueError(f"{path}:{number}: expected `suite | family | test | reason`")
            suite, family, test, reason = parts
            if reason not in REASONS:
                raise ValueError(f"{path}:{number}: {reason!r} is none of {', '.join(REASONS)}")
            for name in _range(test):
                self.entries[(suite, family, name)] = reason

    def reason(self, suite, family, test):
        """The listed reason for this test, or None."""
        return self.entries.get((suite, family, test)) or self.entries.get((suite, "*", test))


def _range(test):
    spread = re.match(r"^(.*):(\d+)-(\d+)$", test)
    if not spread:
        return [test]
    unit, first, last = spread.group(1), int(spread.group(2)), int(spread.group(3))
    return [f"{unit}:{n}" for n in range(first, last + 1)]


def counts(table):
    """(passed, failed, skipped); a program's own exit line counts only when it fails."""
    points = {k: v for k, v in table.items() if not k.endswith(":exit")}
    return tuple(sum(1 for v in points.values() if v == want) for want in (OK, FAIL, SKIP))


def differences(original, ours):
    """[(test, status with the original, status with ours)] where they are not the same."""
    names = list(original) + [name for name in ours if name not in original]
    found = []
    for name in names:
        a, b = original.get(name, MISSING), ours.get(name, MISSING)
        if a != b:
            found.append((name, a, b))
    return found
