#!/bin/bash
# Brings the programs of tests/real_programs into a folder of their own, as this machine's apt sources have them. Nothing
# is installed and nothing is started: the packages, and the libraries that this machine lacks for them, are unpacked.
#
#   tests/real_programs/get-programs.sh [FOLDER]    default: $PROGRAMS_PREFIX, else $CACHE/programs, else .cache/programs
#
# It makes FOLDER/root, which looks like a system's root. A second run finds everything there and ends at once. Two runs
# at the same time: one waits for the other. Exit status 0: every program is there, with its libraries.
set -euo pipefail
umask 022
export LC_ALL=C

say() { echo "get-programs: $*" >&2; }
fail() { say "$*"; exit 1; }

here=$(cd "$(dirname "$0")" && pwd -P)
prefix=${1:-${PROGRAMS_PREFIX:-${CACHE:-$here/../../.cache}/programs}}
case $prefix in -*) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;; esac

# The packages. A mail server excludes another one: two lists, for apt to look at one by one.
lists=(
  "mydumper postfix postfix-mysql dovecot-core dovecot-mysql pdns-server pdns-backend-mysql freeradius freeradius-config
   freeradius-mysql freeradius-utils rsyslog rsyslog-mysql lua5.4 lua-sql-mysql tcl8.6 mysqltcl tcl8.6-tdbc
   tcl8.6-tdbc-mysql proftpd-core proftpd-mod-mysql lighttpd lighttpd-modules-mysql monitoring-plugins-standard
   collectd-core mumble-server libqt5sql5-mysql libpam-mysql pamtester r-base-core r-cran-dbi
   r-cran-rmysql proot"
  "exim4-base exim4-daemon-heavy"
)
# Of what apt would install with them: scripts for installing, and what only R's graphics need.
needless='^(adduser|cron|cron-daemon-common|dbconfig-common|debconf|fontconfig|fontconfig-config|fonts-.*|init-system-helpers|
  libc-bin|libc6|libcairo2|libdatrie1|libfontconfig1|libfreetype6|libfribidi0|libgl1|libglvnd0|libglx.*|libgraphite2-3|libharfbuzz0b|libice6|
  libpango.*|libpixman-1-0|libpng16-16|libsm6|libthai.*|libtiff6|libtk8.6|libwebp7|libx11.*|libxau6|libxcb.*|libxdmcp6|libxext6|
  libxft2|libxrender1|libxss1|libxt6|lsb-base|netbase|passwd|pci.ids|perl|sed|shared-mime-info|ssl-cert|sysvinit-utils|tk8.6|
  tzdata|ucf|unzip|x11-.*|xdg-utils|zip)$'
# What the tests start or load.
files="usr/bin/mydumper usr/bin/myloader usr/sbin/postmap usr/lib/postfix/postfix-mysql.so usr/sbin/dovecot usr/bin/doveadm
  usr/lib/dovecot/auth usr/sbin/pdns_server usr/bin/pdnsutil
  usr/lib/x86_64-linux-gnu/pdns/libgmysqlbackend.so usr/sbin/exim4 usr/sbin/freeradius usr/bin/radclient
  usr/lib/freeradius/rlm_sql_mysql.so usr/sbin/rsyslogd usr/lib/x86_64-linux-gnu/rsyslog/ommysql.so usr/bin/lua5.4
  usr/bin/tclsh8.6 usr/sbin/proftpd usr/lib/proftpd/mod_sql_mysql.so usr/sbin/lighttpd
  usr/lib/lighttpd/mod_vhostdb_mysql.so usr/lib/nagios/plugins/check_mysql_query
  usr/sbin/collectd usr/lib/collectd/mysql.so usr/sbin/murmurd
  usr/lib/x86_64-linux-gnu/qt5/plugins/sqldrivers/libqsqlmysql.so usr/lib/x86_64-linux-gnu/security/pam_mysql.so
  usr/bin/pamtester usr/lib/R/bin/exec/R usr/lib/R/site-library/RMySQL/libs/RMySQL.so usr/bin/proot"

[ "$(uname -m)" = x86_64 ] || fail "only x86-64 is served"
for tool in apt-get dpkg-deb flock ldd sha256sum tar; do
  command -v $tool >/dev/null || fail "needs $tool"
done

mkdir -p "$prefix"
prefix=$(cd "$prefix" && pwd -P)
stamp=$(sha256sum <"$here/get-programs.sh")

# All files there, and none of them lacks a library on this machine (the folder may come from another one).
whole() {
  local root=$1 file lacking
  for file in $files; do
    [ -e "$root/$file" ] || { say "$file is missing"; return 1; }
  done
  lacking=$(cd "$root" && LD_LIBRARY_PATH=$(libraries "$root") ldd $files 2>/dev/null | awk '/not found/ { print $1 }' | sort -u)
  [ -z "$lacking" ] || { say "libraries are missing:" $lacking; return 1; }
}

# Where the libraries are; the tests say the same (fetched.rs).
libraries() {
  local usr=$1/usr/lib
  echo "$usr/x86_64-linux-gnu:$usr:$usr/postfix:$usr/dovecot:$usr/dovecot/modules/old-stats:$usr/freeradius:$usr/R/lib:$usr/x86_64-linux-gnu/blas:$usr/x86_64-linux-gnu/lapack"
}

ready() { [ "$(cat "$prefix/complete" 2>/dev/null)" = "$stamp" ] && whole "$prefix/root"; }

# a folder that somebody may only read is taken as it is
if ready; then exit 0; fi
[ -w "$prefix" ] || fail "$prefix is not complete, and cannot be written to"
exec 9>"$prefix/lock"
flock 9
if ready; then exit 0; fi

work=$prefix/work
rm -rf "$work" "$prefix/complete"
mkdir -p "$work/debs" "$work/root"
trap 'rm -rf "$work"' EXIT

# The packages of the lists, and of their dependencies what is not on this machine.
choose() {
  local list
  for list in "${lists[@]}"; do
    printf '%s\n' $list
    apt-get install -qq -y --no-install-recommends --print-uris $list 2>"$work/choose.log" |
      awk '$2 ~ /\.deb$/ { sub(/_.*/, "", $2); print $2 }' || { tail -n 5 "$work/choose.log" >&2; return 1; }
  done | sort -u | grep -vE "${needless//[$'\n' ]/}"
}

download() {
  choose >"$work/packages" || return 1
  say "fetching $(wc -l <"$work/packages") packages"
  (cd "$work/debs" && apt-get download -qq -o APT::Sandbox::User=root $(cat "$work/packages") >"$work/download.log" 2>&1) ||
    { tail -n 5 "$work/download.log" >&2; return 1; }
}

# As root, or with sudo; else what apt knows already has to do.
refresh() {
  if [ "$(id -u)" = 0 ]; then apt-get update -qq
  elif command -v sudo >/dev/null; then sudo -n apt-get update -qq
  fi >"$work/update.log" 2>&1 || tail -n 3 "$work/update.log" >&2
}

for pause in 0 5 20 stop; do
  if download; then break; fi
  [ $pause != stop ] || fail "the mirror does not give what is needed"
  say "trying again"
  sleep $pause
  refresh
done

say "unpacking $(du -ch "$work"/debs/*.deb | awk 'END { print $1 }')"
mkdir -p "$work"/root/usr/{bin,sbin,lib,lib64}
for folder in bin sbin lib lib64; do ln -s usr/$folder "$work/root/$folder"; done
for package in "$work"/debs/*.deb; do
  dpkg-deb --fsys-tarfile "$package" |
    tar -x -f - -C "$work/root" --no-same-owner --keep-directory-symlink \
      --exclude='./usr/share/doc' --exclude='./usr/share/man' --exclude='./usr/share/locale' --exclude='./usr/share/lintian' \
      --exclude='./usr/share/snmp' --exclude='./usr/share/icons' ||
    fail "$(basename "$package") cannot be unpacked"
done
# links to files of the system mean those of this root (R's configuration)
find "$work/root" -type l -lname '/*' | while read -r link; do
  target=$(readlink "$link")
  [ ! -e "$work/root$target" ] || ln -sfrn "$work/root$target" "$link"
done
# nobody's rights change by starting one of these
find "$work/root" -type f -perm /6000 -exec chmod ug-s {} +
whole "$work/root" || fail "the programs are not whole"
rm -rf "$prefix/root"
mv "$work/root" "$prefix/root"
echo "$stamp" >"$prefix/complete"
say "the programs are in $prefix"
