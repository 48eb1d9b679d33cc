#!/bin/bash
# Puts a MySQL server, its client programs, its client library and its headers into a folder of their own.
#
#   tests/harness/get-mysql.sh [PREFIX]      default: $MYSQL_PREFIX, else $CACHE/mysql, else .cache/mysql here
#
# Debian has MySQL in its suite "sid" only; suite.sh says how it gets here without touching the system.
#
# The programs need that suite's C library, so PREFIX/bin has one small script for each, which starts it with
# the loader in PREFIX: PREFIX/bin/mysqld, PREFIX/bin/mysql, ..., and PREFIX/bin/run PROGRAM ARGS for a program
# built against PREFIX/root/usr/include and PREFIX/root/usr/lib/x86_64-linux-gnu.
#
#   MYSQL_DEBS=DIR    take the packages from DIR and not from a mirror (PREFIX/debs of an earlier run will do)
#   MYSQL_SUITE=NAME  another suite than sid
#
# A second run finds everything there and ends at once. Two runs at the same time: one waits for the other.
# Exit status 0: the server runs; its version is the last line printed.
set -euo pipefail
umask 022

here=$(cd "$(dirname "$0")" && pwd -P)
cache=${CACHE:-$here/../../.cache}
name=get-mysql
prefix=${1:-${MYSQL_PREFIX:-$cache/mysql}}
suite=${MYSQL_SUITE:-sid}
kept=${MYSQL_DEBS:-}
. "$here/suite.sh"
case $prefix in -*) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;; esac

wanted() {
  local library
  # the library's package is named for its soname, which changes with the series
  library=$(apt-cache depends libmysqlclient-dev | awk '$1 == "Depends:" && $2 ~ /^libmysqlclient[0-9]/ { print $2; exit }')
  [ -n "$library" ] || { say "suite $suite has no libmysqlclient-dev"; return 1; }
  echo "mysql-server-core mysql-client-core libmysqlclient-dev $library"
}

ready() { [ -x "$prefix/bin/mysqld" ] && "$prefix/bin/mysql" --no-defaults --version >/dev/null && "$prefix/bin/mysqld" --no-defaults --version 2>/dev/null; }

programs() {
  local program name
cat >"$work/bin/run" <<END
#!/bin/sh
# Starts the program that this file is called as, or the one named first, with the loader of this prefix.
prefix=\${0%/*}/..
root=\$prefix/root/usr
libraries=\$root/lib/x86_64-linux-gnu:\$root/lib/mysql/private
name=\${0##*/}
case \$name in
  run) program=\$1; shift ;;
  mysqld)
    program=\$root/sbin/mysqld
    first=
    # the server wants these first
    case \${1:-} in --no-defaults|--defaults-*|--print-defaults) first=\$1; shift ;; esac
    set -- \${first:+"\$first"} --basedir="\$root" --plugin-dir="\$root/lib/mysql/plugin" \\
      --lc-messages-dir="\$root/share/mysql" --character-sets-dir="\$root/share/mysql/charsets" "\$@" ;;
  *) program=\$root/bin/\$name; [ -x "\$program" ] || program=\$root/sbin/\$name ;;
esac
: "\${LIBMYSQL_PLUGIN_DIR:=\$root/lib/mysql/plugin}"
export LIBMYSQL_PLUGIN_DIR
exec "\$prefix/root/$loader" --library-path "\$libraries\${RUN_LIBRARY_PATH:+:\$RUN_LIBRARY_PATH}" "\$program" "\$@"
END
chmod 755 "$work/bin/run"
ln -s run "$work/bin/mysqld"
for program in "$work"/root/usr/bin/*; do
  name=$(basename "$program")
  [ "$(head -c 4 "$program" | tail -c 3)" != ELF ] || [ -e "$work/bin/$name" ] || ln -s run "$work/bin/$name"
done
}

bring
