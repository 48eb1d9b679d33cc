"""What every part of the conformance run shares: folders, commands, servers.

Must not know any suite. Nothing here prints but through `say`, so that the
table on standard output stays clean; progress goes to standard error.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("CONFORMANCE_CACHE", ROOT / ".cache" / "conformance"))

# One test program that hangs must not stop the run; the slowest needs about
# 20 s with the originals on a busy machine.
UNIT_SECONDS = 180


class NeedsMore(Exception):
    """Something that has to be there is not; the text says what to do."""


def say(text):
    print(f"conformance: {text}", file=sys.stderr, flush=True)


def sh(argv, cwd=None, env=None, log=None, check=True):
    """Run a build step quietly; on failure its output is the error."""
    merged = dict(os.environ, **(env or {}))
    done = subprocess.run(
        [str(a) for a in argv], cwd=cwd, env=merged, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
    )
    if log:
        Path(log).write_text(done.stdout)
    if check and done.returncode != 0:
        tail = "\n".join(done.stdout.splitlines()[-25:])
        raise NeedsMore(f"`{' '.join(map(str, argv))}` ended with {done.returncode}:\n{tail}")
    return done.stdout


def run_limited(argv, cwd, env, seconds=UNIT_SECONDS):
    """Run a test program in a process group of its own.

    Returns (exit code or None when the time was over, stdout, stderr); the
    whole group is gone when this returns.
    """
    proc = subprocess.Popen(
        [str(a) for a in argv], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        start_new_session=True,
    )
    try:
        out, err = proc.communicate(timeout=seconds)
        code = proc.returncode
    except subprocess.TimeoutExpired:
        os.killpg(proc.pid, signal.SIGKILL)
        out, err = proc.communicate()
        code = None
    try:
        os.killpg(proc.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return code, out, err


def install(packages):
    """Install the Debian packages of the list that this machine lacks."""
    missing = []
    for name in packages:
        state = subprocess.run(
            ["dpkg-query", "-W", "-f", "${db:Status-Status}", name],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        ).stdout
        if state != "installed":
            missing.append(name)
    if not missing:
        return
    become = [] if os.geteuid() == 0 else ["sudo"]
    say("installing " + " ".join(missing))
    env = {"DEBIAN_FRONTEND": "noninteractive"}
    argv = become + ["apt-get", "install", "-y", "--no-install-recommends", *missing]
    try:
        sh(argv, env=env)
    except NeedsMore:
        sh(become + ["apt-get", "update"], env=env)
        sh(argv, env=env)


class Server:
    """The primary of the cluster this process was started beside (MS_*)."""

    def __init__(self):
        env = os.environ
        try:
            self.family = env["MS_FAMILY"]
            self.host = env["MS_NODE0_HOST"]
            self.port = int(env["MS_NODE0_PORT"])
            self.socket = env["MS_NODE0_SOCKET"]
            self.user = env["MS_ADMIN_USER"]
            self.password = env["MS_ADMIN_PASSWORD"]
            self.database = env["MS_DB"]
        except KeyError as gone:
            raise NeedsMore(f"{gone} is not set: this part runs under `cluster run`") from None
        self.mysql_prefix = env.get("MYSQL_PREFIX")


class Library:
    """A client library to run under: the one the suite was built against, or ours."""

    def __init__(self, name, preload=None):
        self.name = name
        self.preload = preload

    def environment(self, extra=None):
        env = {
            key: value
            for key, value in os.environ.items()
            # A caller's routing or client settings are not part of the question.
            if not key.startswith(("MYSQLND_MS_", "MYSQL_", "MYSQL2", "DBI_", "DBD_"))
            and key not in ("LD_PRELOAD", "TESTDB")
        }
        env.update(extra or {})
        env["PERL_USE_UNSAFE_INC"] = "1"
        if self.preload:
            env["LD_PRELOAD"] = str(self.preload)
        return env


def installed(library):
    """A folder in which `make install` has put everything, with this library of ours."""
    prefix = fresh(CACHE / "installed")
    sh(["make", "--no-print-directory", "install", f"PREFIX={prefix}", "DESTDIR="], cwd=ROOT)
    shutil.copy(library.preload, prefix / "lib" / "libmysqlclient_ms.so")
    return prefix


def fresh(folder):
    """An empty folder of this name."""
    folder = Path(folder)
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder
