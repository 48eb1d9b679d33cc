#!/bin/sh
# build.sh LIBDIR OUTDIR: makes the soname folder OUTDIR for LIBDIR/libmysqlclient_ms.so (see README.md here).
# Needs a C compiler with GNU as and ld, or clang with lld ($CC, default cc), and awk.
set -eu
if [ $# -ne 2 ]; then
    echo "usage: $0 FOLDER-OF-libmysqlclient_ms.so OUTPUT-FOLDER" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
list=$here/../exports.list
lib=$(cd "$1" && pwd)/libmysqlclient_ms.so
[ -f "$lib" ] || { echo "$0: $lib is missing: run cargo build --release" >&2; exit 1; }
mkdir -p "$2/link"
out=$(cd "$2" && pwd)
CC=${CC:-cc}
arch=$($CC -dumpmachine)
arch=${arch%%-*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

gen() { awk -v what="$1" -v file="$2" -v arch="$arch" -f "$here/exports.awk" "$list" >"$work/$2.$3"; }

for soname in libmysqlclient.so.21 libmysqlclient.so.24 libmariadb.so.3; do
    gen asm "$soname" s
    gen map "$soname" map
    # $ORIGIN is for the loader.
    # shellcheck disable=SC2016
    $CC -shared -nostdlib -o "$work/$soname" "$work/$soname.s" \
        -Wl,--version-script="$work/$soname.map" -Wl,-soname,"$soname" -Wl,--no-as-needed "$lib" \
        -Wl,--enable-new-dtags -Wl,-rpath,'$ORIGIN:$ORIGIN/..' -Wl,-z,now -Wl,-z,defs
    mv "$work/$soname" "$out/$soname"
done
for family in mysql:libmysqlclient.so mariadb:libmariadb.so; do
    name=link-${family%%:*}
    gen asm "$name" s
    gen map "$name" map
    $CC -shared -nostdlib -o "$work/$name" "$work/$name.s" \
        -Wl,--version-script="$work/$name.map" -Wl,-soname,libmysqlclient_ms.so
    mv "$work/$name" "$out/link/${family#*:}"
done
# The small files look beside themselves and one folder up.
if [ "$(dirname "$out")" != "$(dirname "$lib")" ]; then
    ln -sf "$lib" "$out/libmysqlclient_ms.so"
fi
