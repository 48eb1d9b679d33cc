#!/bin/bash
# Puts a MariaDB server of a newer series than the system's, with its plugins and those of its client library, into a folder
# of their own: what it has and Debian's stable release has not is tested with it (the method parsec).
#
#   tests/harness/get-mariadb.sh [PREFIX]    default: $MARIADB_PREFIX, else $CACHE/mariadb, else .cache/mariadb here
#
# suite.sh says how it gets here without touching the system. PREFIX/bin/mariadbd starts the server with that suite's C
# library, PREFIX/bin/mariadb-install-db makes a data directory.
#
#   MARIADB_DEBS=DIR    take the packages from DIR and not from a mirror (PREFIX/debs of an earlier run will do)
#   MARIADB_SUITE=NAME  another suite than sid
#
# A second run finds everything there and ends at once. Exit status 0: the server runs; its version is the last line printed.
set -euo pipefail
umask 022

here=$(cd "$(dirname "$0")" && pwd -P)
cache=${CACHE:-$here/../../.cache}
name=get-mariadb
prefix=${1:-${MARIADB_PREFIX:-$cache/mariadb}}
suite=${MARIADB_SUITE:-sid}
kept=${MARIADB_DEBS:-}
. "$here/suite.sh"
case $prefix in -*) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;; esac

# The package of the server itself has its plugins and depends on much that no plugin needs.
wanted() { echo "mariadb-server-core libmariadb3 +mariadb-server"; }

ready() { [ -x "$prefix/bin/mariadbd" ] && "$prefix/bin/mariadbd" --no-defaults --version 2>/dev/null; }

programs() {
  cat >"$work/bin/mariadbd" <<END
#!/bin/sh
# Starts the server with the loader of this prefix.
prefix=\$(cd "\${0%/*}/.." && pwd -P)
root=\$prefix/root/usr
first=
# the server wants these first
case \${1:-} in --no-defaults|--defaults-*|--print-defaults) first=\$1; shift ;; esac
exec "\$prefix/root/$loader" --library-path "\$root/lib/x86_64-linux-gnu" "\$root/sbin/mariadbd" \${first:+"\$first"} \\
  --basedir="\$root" --plugin-dir="\$root/lib/mysql/plugin" --lc-messages-dir="\$root/share/mariadb" \\
  --character-sets-dir="\$root/share/mariadb/charsets" "\$@"
END
  cat >"$work/bin/mariadb-install-db" <<'END'
#!/bin/sh
# Makes a data directory as the package's program of this name does, without a test database and anonymous accounts.
set -e
prefix=$(cd "${0%/*}/.." && pwd -P)
share=$prefix/root/usr/share/mariadb
data= options=
for option in "$@"; do
  case $option in
    --datadir=*) data=${option#*=}; options="$options $option" ;;
    --skip-test-db|--auth-root-authentication-method=*) ;;
    *) options="$options $option" ;;
  esac
done
mkdir -p "$data/mysql"
{ printf '%s;\n' "USE mysql" "SET @skip_auth_anonymous=1" "SET @auth_root_socket=NULL"
  cat "$share/mariadb_system_tables.sql" "$share/mariadb_performance_tables.sql" "$share/mariadb_system_tables_data.sql"
} | "$prefix/bin/mariadbd" $options --bootstrap --skip-log-bin --max_allowed_packet=8M --net_buffer_length=16K
END
  chmod 755 "$work"/bin/*
}

bring
