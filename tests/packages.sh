#!/bin/sh
# Installs the Debian packages that a target of the Makefile needs and that this machine lacks, and says which.
#
#   tests/packages.sh build|demo|test|conformance|bench|fuzz
#
# As root, or with sudo. None of these packages starts a service: the servers are mariadb-server-core, programs only.
# On a system without apt it only says what is needed.
set -eu

servers="mariadb-server-core mariadb-client-core"
drivers="libdbd-mysql-perl python3-mysqldb ruby-mysql2"
build="gcc libc6-dev make"
case ${1:-} in
  build) needed="$build" ;;
  demo) needed="$build $servers $drivers libmariadb-dev python3" ;;
  test) needed="$build $servers $drivers libmariadb-dev libdbd-mariadb-perl sysbench valgrind python3 php-cli php-dev dpkg-dev" ;;
  conformance)
    needed="$build g++ $servers $drivers libmariadb-dev libdbd-mariadb-perl libdbi-perl libdevel-checklib-perl
      libtest-deep-perl libproc-processtable-perl libtest-distmanifest-perl dpkg-dev pkg-config python3-dev python3-venv python3-pip zlib1g-dev libssl-dev" ;;
  bench) needed="$build $servers libmariadb-dev sysbench valgrind strace python3" ;;
  fuzz) needed="$build g++" ;;
  *) sed -n '2,/^set -/{/^set -/!s/^# \{0,1\}//p}' "$0"; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "packages: no apt here; 'make $1' needs what Debian calls: $needed"
  exit 0
fi

missing=
for package in $needed; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null || true) in
    "install ok installed") ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null || { echo "packages: 'make $1' needs these packages, and root to install them:$missing" >&2; exit 1; }
  as_root=sudo
fi
echo "packages: 'make $1' needs and this machine lacks:$missing"
echo "packages: installing them with apt-get"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
trap 'exit 1' HUP INT TERM
try() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >>"$log" 2>&1 </dev/null; }
for pause in 5 20 stop; do
  # an update that half fails (a mirror of somebody else's packages, say) may still know all that is needed
  try update || true
  # shellcheck disable=SC2086
  if try install -y --no-install-recommends $missing; then exit 0; fi
  [ "$pause" = stop ] || { echo "packages: that failed, trying again in $pause s"; sleep "$pause"; }
done
tail -n 20 "$log" >&2
echo "packages: apt-get could not install:$missing" >&2
exit 1
