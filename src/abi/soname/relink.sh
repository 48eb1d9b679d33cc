#!/bin/sh
# relink.sh STATIC-LIBRARY OUTPUT: makes libmysqlclient_ms.so from libmysqlclient_ms.a, for linkers that refuse the second
# version script of `cargo build` (GNU ld does; rustc uses lld on x86-64 Linux by default). First:
#   cargo rustc --release --lib --crate-type staticlib
# Needs a C compiler ($CC, default cc) and awk.
set -eu
if [ $# -ne 2 ]; then
    echo "usage: $0 libmysqlclient_ms.a libmysqlclient_ms.so" >&2
    exit 2
fi
here=$(cd "$(dirname "$0")" && pwd)
CC=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
awk -v what=nodes -f "$here/exports.awk" "$here/../exports.list" >"$work/nodes.map"
$CC -shared -o "$work/out.so" -Wl,--whole-archive "$1" -Wl,--no-whole-archive \
    -Wl,--version-script="$work/nodes.map" -Wl,-soname,libmysqlclient_ms.so \
    -Wl,--gc-sections -Wl,-z,defs -Wl,-z,nodelete -Wl,-z,relro -Wl,-z,now \
    -lgcc_s -lpthread -lm -ldl -lc
mv "$work/out.so" "$2"
