#!/bin/bash
# Puts the test scripts of both servers' own test suites into a folder.
#
#   tests/oracle/get-suites.sh [FOLDER]      default: $CACHE/oracle, else .cache/oracle here
#
# FOLDER/mariadb has those of Debian's mariadb-test-data (this release's), FOLDER/mysql those of mysql-testsuite (suite sid).
# The packages come from the mirror that this machine's apt uses already, are checked against Debian's keyring, and are not
# kept: only the files *.test in them are. Nothing is installed and nothing of them is ever committed.
#
#   SUITES_DEBS=DIR   take the packages from DIR and not from a mirror
#
# A second run finds everything there and ends at once.
set -euo pipefail
umask 022

say() { echo "get-suites: $*" >&2; }
fail() { say "$*"; exit 1; }

here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/../harness/apt.sh"
folder=${1:-${CACHE:-$here/../../.cache}/oracle}
case $folder in -*) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;; esac
for tool in apt-get apt-config dpkg-deb flock tar; do
  command -v $tool >/dev/null || fail "needs $tool"
done

mkdir -p "$folder"
folder=$(cd "$folder" && pwd -P)
exec 9>"$folder/lock"
flock 9
work=$folder/work
trap 'rm -rf "$work"' EXIT

release() { (. /etc/os-release && echo "${VERSION_CODENAME:-stable}"); }

# PACKAGE SUITE: the package's file in $work.
fetch() {
  local package=$1 suite=$2 pause
  if [ -n "${SUITES_DEBS:-}" ]; then
    cp "$SUITES_DEBS/$package"_*.deb "$work/" || fail "SUITES_DEBS=$SUITES_DEBS has no $package"
    return
  fi
  say "fetching $package of $suite"
  private_apt "$work" "$suite"
  for pause in 5 15 30 stop; do
    if apt-get update -qq >"$work/update.log" 2>&1 && (cd "$work" && apt-get download -qq "$package" >"$work/download.log" 2>&1); then
      unset APT_CONFIG
      return
    fi
    [ $pause != stop ] || { tail -n 5 "$work"/*.log >&2; fail "the mirror does not give $package"; }
    say "trying again in $pause s"
    sleep $pause
  done
}

# NAME PACKAGE SUITE
get() {
  local name=$1
  [ ! -e "$folder/$name/complete" ] || return 0
  rm -rf "$work" "${folder:?}/$name"
  mkdir -p "$work/files"
  fetch "$2" "$3"
  dpkg-deb --fsys-tarfile "$work/$2"_*.deb | tar -x -f - -C "$work/files" --no-same-owner --wildcards '*.test' ||
    fail "$2 cannot be unpacked"
  # the folder that the suites count their own names from
  mv "$(find "$work/files" -type d -name mysql-test | head -n 1)" "$folder/$name" || fail "$2 has no folder mysql-test"
  : >"$folder/$name/complete"
}

get mariadb mariadb-test-data "$(release)"
get mysql mysql-testsuite sid
say "$(find "$folder/mariadb" -name '*.test' | wc -l) scripts of MariaDB, $(find "$folder/mysql" -name '*.test' | wc -l) of MySQL in $folder"
