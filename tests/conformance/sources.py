"""Gets the suites' sources: Debian source packages, a PyPI sdist, trees that the
caller names by CONFORMANCE_SRC.

Downloads are kept under the cache folder and used again. The machine's own apt
configuration is only read: lists and archives of source packages go into a
private apt folder, since most machines list binary packages only.
"""

import functools
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from base import CACHE, NeedsMore, fresh, say, sh


def _archives():
    """(uri, suites, keyring) of the Debian archives this machine installs from."""
    found = []
    for path in sorted(Path("/etc/apt/sources.list.d").glob("*.sources")):
        entry = {}
        for line in path.read_text().splitlines() + [""]:
            if line.startswith("#"):
                continue
            if not line.strip():
                if entry:
                    found.append((entry.get("uris", ""), entry.get("suites", ""), entry.get("signed-by")))
                entry = {}
                continue
            key, _, value = line.partition(":")
            if value:
                entry[key.strip().lower()] = value.strip()
    lists = [Path("/etc/apt/sources.list")]
    lists += sorted(Path("/etc/apt/sources.list.d").glob("*.list"))
    for path in lists:
        if not path.exists():
            continue
        for line in path.read_text().splitlines():
            words = line.split("#")[0].split()
            if not words or words[0] != "deb":
                continue
            words = words[1:]
            key = None
            if words and words[0].startswith("["):
                while words:
                    word = words.pop(0)
                    if "signed-by=" in word:
                        key = word.split("signed-by=")[1].rstrip("]")
                    if word.endswith("]"):
                        break
            if len(words) >= 2:
                found.append((words[0], words[1], key))
    codename = "bookworm"
    for line in Path("/etc/os-release").read_text().splitlines():
        if line.startswith("VERSION_CODENAME="):
            codename = line.split("=")[1].strip('"')
    plain = [(u, codename, k) for u, s, k in found if codename in s.split()]
    if not plain:
        raise NeedsMore("no Debian archive for this release in the machine's apt sources")
    return plain


def _apt_options(suite=None):
    """apt options for source packages of this release, or of `suite` from the same archives."""
    apt = CACHE / (f"apt-{suite}" if suite else "apt")
    (apt / "lists" / "partial").mkdir(parents=True, exist_ok=True)
    (apt / "cache" / "archives" / "partial").mkdir(parents=True, exist_ok=True)
    lines = []
    for uri, codename, key in _archives():
        mark = f"[signed-by={key}] " if key else ""
        line = f"deb-src {mark}{uri} {suite or codename} main"
        if line not in lines:
            lines.append(line)
    (apt / "sources.list").write_text("\n".join(lines) + "\n")
    options = {
        "Dir::Etc::sourcelist": apt / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": apt / "lists",
        "Dir::Cache": apt / "cache",
        "APT::Sandbox::User": "root" if os.geteuid() == 0 else os.environ.get("USER", "_apt"),
    }
    return [word for key, value in options.items() for word in ("-o", f"{key}={value}")]


def debian_source(package, patched):
    """Unpack the Debian source of `package`; returns its folder.

    With `patched` the Debian patches are wanted and applied. Without, the
    upstream tarball is enough (some archives have lost the Debian part).
    """
    store = CACHE / "download" / package
    orig = list(store.glob("*.orig.tar.*"))
    debian = list(store.glob("*.debian.tar.*"))
    if not orig or (patched and not debian):
        say(f"getting the Debian source of {package}")
        store.mkdir(parents=True, exist_ok=True)
        options = _apt_options()
        sh(["apt-get", *options, "update"])
        sh(["apt-get", *options, "source", "--download-only", package], cwd=store, check=False)
        orig = list(store.glob("*.orig.tar.*"))
        debian = list(store.glob("*.debian.tar.*"))
    if not orig or (patched and not debian):
        raise NeedsMore(f"the archive has no source of {package}; tried `apt-get source {package}`")
    unpacked = fresh(CACHE / "build" / package)
    tree = _unpack(orig[0], unpacked)
    if patched:
        _unpack(debian[0], unpacked, beside=tree)
        series = tree / "debian" / "patches" / "series"
        for name in series.read_text().split():
            sh(["patch", "-p1", "-s", "-i", series.parent / name], cwd=tree)
    return tree


def debian_parts(package, parts, suite=None):
    """The named files and folders of the upstream tarball of a Debian source package; None when no archive has it.

    Archives list versions of which the files are gone already, so every listed version is tried, newest first. The
    tarball, which may be large, is not kept.
    """
    store = CACHE / "download" / f"{package}-parts"
    if not all((store / part).exists() for part in parts):
        say(f"getting the Debian source of {package}")
        shutil.rmtree(store, ignore_errors=True)
        work = fresh(CACHE / "download" / f"{package}-whole")
        options = _apt_options(suite)
        sh(["apt-get", *options, "update"])
        shown = sh(["apt-cache", *options, "showsrc", package], check=False).splitlines()
        versions = [line.split()[1] for line in shown if line.startswith("Version:")]
        by_age = functools.cmp_to_key(lambda a, b: 1 if subprocess.run(
            ["dpkg", "--compare-versions", a, "gt", b]).returncode == 0 else -1)
        for version in sorted(set(versions), key=by_age, reverse=True):
            sh(["apt-get", *options, "source", "--download-only", f"{package}={version}"], cwd=work, check=False)
            found = [path for path in work.glob("*.orig.tar.*") if path.suffix != ".asc"]
            if found:
                sh(["tar", "-xf", found[0], "-C", work, "--wildcards", "--no-wildcards-match-slash",
                    *[f"*/{part}" for part in parts]])
                top = [path for path in work.iterdir() if path.is_dir()]
                if len(top) != 1:
                    raise NeedsMore(f"{found[0].name} does not hold one folder")
                top[0].rename(store)
                break
        shutil.rmtree(work)
        if not store.exists():
            say(f"the archive has no source of {package} any more ({', '.join(versions) or 'no version'})")
            return None
    return store


def named_parts(name, parts):
    """The caller's upstream tree of this name below CONFORMANCE_SRC if it has all `parts`, or None.

    It is not copied: who asks for it must not write there.
    """
    base = os.environ.get("CONFORMANCE_SRC")
    if not base or not all((Path(base) / name / part).exists() for part in parts):
        return None
    return Path(base) / name


def pypi_sdist(name, version):
    """Unpack the source distribution of `name`; returns its folder."""
    store = CACHE / "download" / name
    found = list(store.glob(f"{name}-{version}.tar.gz"))
    if not found:
        say(f"getting {name} {version} from PyPI")
        store.mkdir(parents=True, exist_ok=True)
        venv = CACHE / "fetch-venv"
        if not (venv / "bin" / "pip").exists():
            sh(["/usr/bin/python3", "-m", "venv", venv])
        sh([venv / "bin" / "pip", "download", "--no-deps", "--no-binary", ":all:",
            f"{name}=={version}", "-d", store])
        found = list(store.glob(f"{name}-{version}.tar.gz"))
    if not found:
        raise NeedsMore(f"PyPI gave no source of {name} {version}")
    return _unpack(found[0], fresh(CACHE / "build" / name))


def named_tree(name):
    """The caller's upstream tree of this name below CONFORMANCE_SRC, or None.

    It is copied, so that the caller's folder is never written to.
    """
    base = os.environ.get("CONFORMANCE_SRC")
    if not base:
        return None
    tree = Path(base) / name
    if not tree.is_dir():
        return None
    copy = CACHE / "build" / name
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(tree, copy, symlinks=True)
    return copy


def _unpack(archive, into, beside=None):
    target = beside or into
    with tarfile.open(archive) as tar:
        # `filter` came with 3.12 and with Debian's 3.11; "data" refuses paths that leave the folder.
        if hasattr(tarfile, "data_filter"):
            tar.extractall(target, filter="data")
        else:
            tar.extractall(target)
    if beside:
        return beside
    folders = [p for p in into.iterdir() if p.is_dir()]
    if len(folders) != 1:
        raise NeedsMore(f"{archive.name} does not hold one folder")
    return folders[0]


if __name__ == "__main__":
    sys.exit("run.py is the program")
