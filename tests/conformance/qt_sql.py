"""Qt's QMYSQL driver (linked to libmariadb.so.3) under a program of ours, qt_sql/program.py.

A part of the program is a test. With the original it passes when the program got to the part after it; with ours when it
also printed what it printed with the original.
"""

import re
from pathlib import Path

import results
from base import run_limited
from suites import Suite

PROGRAM = Path(__file__).resolve().parent / "qt_sql" / "program.py"


class QtSql(Suite):
    name = "qt_sql"
    packages = ("python3-pyqt5", "python3-pyqt5.qtsql", "libqt5sql5-mysql")

    def build(self):
        self.tree = PROGRAM.parent
        self.printed = {}
        return True

    def units(self, server):
        return ["program"]

    def run(self, unit, server, library):
        argv = ["/usr/bin/python3", PROGRAM, server.host, str(server.port), server.user, server.password,
                server.database]
        code, out, err = run_limited(argv, self.tree, library.environment(self.extra_environment()))
        parts = re.split(r"^== (.*)$", out, flags=re.M)
        texts = dict(zip(parts[1::2], parts[2::2]))
        finished = list(texts)[:-1]
        table = {name: results.OK for name in finished}
        if library.preload is None:
            self.printed = texts
        else:
            for name in finished:
                if texts[name] != self.printed.get(name):
                    table[name] = results.FAIL
        whole = code == 0 and "end" in texts
        table[f"{unit}:exit"] = results.OK if whole else results.FAIL
        return table, out + err + f"\nended with {code}\n"

    def extra_environment(self):
        # Sets and dictionaries in an order of their own would be another output each time.
        return {"QT_LOGGING_RULES": "*=true", "QT_NO_JOURNALD_LOG": "1", "PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"}

    def probe(self):
        return ["/usr/bin/python3", "-c",
                "from PyQt5.QtCore import QCoreApplication; from PyQt5.QtSql import QSqlDatabase; "
                "app = QCoreApplication(['x']); QSqlDatabase.addDatabase('QMYSQL')"]
