#!/bin/bash
# Puts a MySQL server, its client programs, its client library and its headers into a folder of their own.
#
#   tests/harness/get-mysql.sh [PREFIX]      default: $MYSQL_PREFIX, else $CACHE/mysql, else .cache/mysql here
#
# Debian has MySQL in its suite "sid" only. The packages are fetched from the mirror that this machine's apt
# uses already, checked against Debian's keyring, and unpacked below PREFIX/root. Nothing of the system is
# touched: apt works in a folder of its own, no package is installed, no script of a package is run.
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

say() { echo "get-mysql: $*" >&2; }
fail() { say "$*"; exit 1; }

here=$(cd "$(dirname "$0")" && pwd -P)
. "$here/apt.sh"
cache=${CACHE:-$here/../../.cache}
prefix=${1:-${MYSQL_PREFIX:-$cache/mysql}}
suite=${MYSQL_SUITE:-sid}
case $prefix in -*) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;; esac

[ "$(uname -m)" = x86_64 ] || fail "only x86-64 is served"
for tool in apt-get apt-cache apt-config dpkg-deb flock tar; do
  command -v $tool >/dev/null || fail "needs $tool"
done

mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd -P)

ready() { [ -x "$prefix/bin/mysqld" ] && "$prefix/bin/mysqld" --no-defaults --version 2>/dev/null; }

# a prefix that somebody may only read is taken as it is
if [ -e "$prefix/complete" ] || [ ! -w "$prefix" ]; then ready && exit 0; fi
exec 9>"$prefix/lock"
flock 9
if [ -e "$prefix/complete" ]; then ready && exit 0; fi

work=$prefix/work
rm -rf "$work" "$prefix/complete"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT

# What is needed of the packages that the four we want depend on: the libraries.
# (perl and the like serve scripts only; they would be most of the download.)
choose() {
  local wanted closure library
  # the library's package is named for its soname, which changes with the series
  library=$(apt-cache depends libmysqlclient-dev | awk '$1 == "Depends:" && $2 ~ /^libmysqlclient[0-9]/ { print $2; exit }')
  [ -n "$library" ] || { say "suite $suite has no libmysqlclient-dev"; return 1; }
  wanted="mysql-server-core mysql-client-core libmysqlclient-dev $library"
  closure=$(apt-get install -qq -y --print-uris $wanted 2>"$work/closure.log" | awk '{ print $2 }' | sed 's/_.*//') ||
    { tail -n 5 "$work/closure.log" >&2; say "apt finds no way to have $wanted in $suite today; MYSQL_DEBS=DIR takes packages of an earlier run"; return 1; }
  apt-cache show --no-all-versions $closure | awk -v wanted=" $wanted " '
    $1 == "Package:" { name = $2 }
    $1 == "Section:" && (index(wanted, " " name " ") || $2 == "libs" && name !~ /^(perl-|libperl|libdb5|libgdbm|libcrypt|gcc-.*-base|openssl-provider|libc-gconv)/) { print name }' | sort -u
}

download() {
  apt-get update -qq >"$work/update.log" 2>&1 || { tail -n 5 "$work/update.log" >&2; return 1; }
  choose >"$work/packages" || return 1
  say "fetching $(wc -l <"$work/packages") packages of $suite"
  rm -rf "$work/debs"
  mkdir "$work/debs"
  (cd "$work/debs" && apt-get download -qq $(cat "$work/packages") >"$work/download.log" 2>&1) ||
    { tail -n 5 "$work/download.log" >&2; return 1; }
}

if [ -n "${MYSQL_DEBS:-}" ]; then
  ls "$MYSQL_DEBS"/mysql-server-core_*.deb >/dev/null 2>&1 || fail "MYSQL_DEBS=$MYSQL_DEBS has no mysql-server-core package"
  say "taking the packages in $MYSQL_DEBS"
  mkdir "$work/debs"
  cp "$MYSQL_DEBS"/*.deb "$work/debs/"
else
  say "reading the package list of $suite"
  private_apt "$work" "$suite"
  for pause in 5 15 30 stop; do
    if download; then break; fi
    [ $pause != stop ] || fail "the mirror does not give what is needed"
    say "trying again in $pause s"
    sleep $pause
  done
  unset APT_CONFIG
fi

say "unpacking $(ls "$work"/debs/*.deb | wc -l) packages"
mkdir -p "$work"/root/usr/{bin,sbin,lib,lib64}
for folder in bin sbin lib lib64; do ln -s usr/$folder "$work/root/$folder"; done
for package in "$work"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$package" |
    tar -x -f - -C "$work/root" --no-same-owner --keep-directory-symlink \
      --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='./usr/share/lintian' ||
    fail "$(basename "$package") cannot be unpacked"
done
loader=$(cd "$work/root" && ls usr/lib64/ld-linux-x86-64.so.2 usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2 2>/dev/null | head -n 1 || true)
[ -n "$loader" ] || fail "the packages have no loader"

mkdir "$work/bin"
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

rm -rf "$prefix/root" "$prefix/bin" "$prefix/debs"
mv "$work/root" "$work/bin" "$work/debs" "$prefix/"
"$prefix/bin/mysqld" --no-defaults --version >/dev/null || fail "the server does not start"
"$prefix/bin/mysql" --no-defaults --version >/dev/null || fail "the client does not start"
: >"$prefix/complete"
ready
