# Packages of another Debian suite, unpacked into a folder of their own; read by get-mysql.sh and get-mariadb.sh.
#
# The packages are fetched from the mirror that this machine's apt uses already, checked against Debian's keyring, and
# unpacked below PREFIX/root. Nothing of the system is touched: apt works in a folder of its own, no package is installed,
# no script of a package is run.
#
# A script sets `name`, `suite`, `prefix` and `kept` (a folder with packages of an earlier run, or nothing), defines
# `wanted` (prints what is wanted besides the libraries that it needs), `ready` (prints the server's version, or fails)
# and `programs` (fills $work/bin), and calls `bring`.

say() { echo "$name: $*" >&2; }
fail() { say "$*"; exit 1; }

. "$(dirname "${BASH_SOURCE[0]}")/apt.sh"

# What is needed of the packages that the wanted ones depend on: the libraries.
# (perl and the like serve scripts only; they would be most of the download.)
choose() {
  local list extra closure
  list=$(wanted) && [ -n "$list" ] || return 1
  # "+NAME": that package alone, without what it depends on.
  extra=$(tr ' ' '\n' <<<"$list" | sed -n 's/^+//p')
  list=$(tr ' ' '\n' <<<"$list" | grep -v '^+' | tr '\n' ' ')
  closure=$(apt-get install -qq -y --print-uris $list 2>"$work/closure.log" | awk '{ print $2 }' | sed 's/_.*//') ||
    { tail -n 5 "$work/closure.log" >&2; say "apt finds no way to have $list in $suite today; packages of an earlier run would do"; return 1; }
  apt-cache show --no-all-versions $closure | awk -v wanted=" $list " '
    $1 == "Package:" { name = $2 }
    $1 == "Section:" && (index(wanted, " " name " ") || $2 == "libs" && name !~ /^(perl-|libperl|libdb5|libgdbm|libcrypt|gcc-.*-base|openssl-provider|libc-gconv)/ ||
                         name == "libcrypt1" && index(wanted, "mariadb")) { print name }' | sort -u
  [ -z "$extra" ] || echo "$extra"
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

fetch() {
  say "reading the package list of $suite"
  private_apt "$work" "$suite"
  for pause in 5 15 30 stop; do
    if download; then break; fi
    [ $pause != stop ] || fail "the mirror does not give what is needed"
    say "trying again in $pause s"
    sleep $pause
  done
  unset APT_CONFIG
}

unpack() {
  local folder package
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
}

# Brings everything, once: a second run finds it there and ends at once, of two at the same time one waits for the other.
bring() {
  local tool
  [ "$(uname -m)" = x86_64 ] || fail "only x86-64 is served"
  for tool in apt-get apt-cache apt-config dpkg-deb flock tar; do
    command -v $tool >/dev/null || fail "needs $tool"
  done
  mkdir -p "$prefix"
  prefix=$(cd "$prefix" && pwd -P)
  # a prefix that somebody may only read is taken as it is
  if [ -e "$prefix/complete" ] || [ ! -w "$prefix" ]; then ready && exit 0; fi
  exec 9>"$prefix/lock"
  flock 9
  if [ -e "$prefix/complete" ]; then ready && exit 0; fi
  work=$prefix/work
  rm -rf "$work" "$prefix/complete"
  mkdir -p "$work"
  trap 'rm -rf "$work"' EXIT
  if [ -n "$kept" ]; then
    ls "$kept"/*.deb >/dev/null 2>&1 || fail "$kept has no packages"
    say "taking the packages in $kept"
    mkdir "$work/debs"
    cp "$kept"/*.deb "$work/debs/"
  else
    fetch
  fi
  unpack
  mkdir "$work/bin"
  programs
  rm -rf "$prefix/root" "$prefix/bin" "$prefix/debs"
  mv "$work/root" "$work/bin" "$work/debs" "$prefix/"
  ready >/dev/null || fail "the server does not start"
  : >"$prefix/complete"
  ready
}
