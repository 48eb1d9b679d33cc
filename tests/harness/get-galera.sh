#!/bin/bash
# Puts Debian's Galera library (package galera-4) into a folder of its own, as this machine's apt sources have it: the
# servers of the package mariadb-server-core replicate with it in tests/galera.rs. Nothing is installed.
#
#   tests/harness/get-galera.sh [PREFIX]    default: $GALERA_PREFIX, else $CACHE/galera, else .cache/galera here
#
# A second run finds it there and ends at once. Exit status 0: PREFIX/libgalera_smm.so is there, with its libraries.
set -euo pipefail
umask 022
export LC_ALL=C

say() { echo "get-galera: $*" >&2; }
fail() { say "$*"; exit 1; }

here=$(cd "$(dirname "$0")" && pwd -P)
prefix=${1:-${GALERA_PREFIX:-${CACHE:-$here/../../.cache}/galera}}
case $prefix in -*) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;; esac

for tool in apt-get dpkg-deb flock ldd; do
  command -v $tool >/dev/null || fail "needs $tool"
done
mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd -P)

ready() { [ -e "$prefix/libgalera_smm.so" ] && ! ldd "$prefix/libgalera_smm.so" 2>/dev/null | grep -q 'not found'; }

# a folder that somebody may only read is taken as it is
if ready; then exit 0; fi
[ -w "$prefix" ] || fail "$prefix is not complete, and cannot be written to"
exec 9>"$prefix/lock"
flock 9
if ready; then exit 0; fi

work=$prefix/work
rm -rf "$work"
mkdir "$work"
trap 'rm -rf "$work"' EXIT

download() { (cd "$work" && apt-get download -qq -o APT::Sandbox::User=root galera-4 >download.log 2>&1); }

# As root, or with sudo; else what apt knows already has to do.
refresh() {
  if [ "$(id -u)" = 0 ]; then apt-get update -qq
  elif command -v sudo >/dev/null; then sudo -n apt-get update -qq
  fi >"$work/update.log" 2>&1 || tail -n 3 "$work/update.log" >&2
}

for pause in 0 5 20 stop; do
  if download; then break; fi
  [ $pause != stop ] || { tail -n 5 "$work/download.log" >&2; fail "the mirror does not give galera-4"; }
  say "trying again"
  sleep $pause
  refresh
done
dpkg-deb -x "$work"/galera-4_*.deb "$work/root"
cp -L "$work/root/usr/lib/galera/libgalera_smm.so" "$prefix/libgalera_smm.so.new"
mv "$prefix/libgalera_smm.so.new" "$prefix/libgalera_smm.so"
ready || fail "libraries are missing: $(ldd "$prefix/libgalera_smm.so" | awk '/not found/ { print $1 }' | tr '\n' ' ')"
say "Galera is in $prefix"
