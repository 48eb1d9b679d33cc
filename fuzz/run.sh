#!/bin/sh
# Runs each fuzz target (or those named) for a while, on the stable toolchain:
#
#   fuzz/run.sh [SECONDS [TARGET...]]        default: 60 seconds each, all targets
#
# Needs a C++ compiler, for libFuzzer. New inputs are kept in fuzz/corpus (not committed), crashes in fuzz/artifacts.
# Exit status: 0 if no target found anything.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
seconds=${1:-60}
[ $# -eq 0 ] || shift
host=$(rustc -vV | sed -n 's/^host: //p')
target_dir=${CARGO_TARGET_DIR:-$here/target}/fuzz

# Coverage by LLVM's own pass; only for the target, not for build scripts, hence --target.
flags="--cfg fuzzing -Cpasses=sancov-module"
for argument in -sanitizer-coverage-level=4 -sanitizer-coverage-inline-8bit-counters -sanitizer-coverage-pc-table \
    -sanitizer-coverage-trace-compares; do
    flags="$flags -Cllvm-args=$argument"
done
# One codegen unit: the pass's sections must not be thrown away with unused functions.
flags="$flags -Ccodegen-units=1"
echo "fuzz: building"
RUSTFLAGS="$flags" cargo build --quiet --release --manifest-path "$here/Cargo.toml" --target "$host" \
    --target-dir "$target_dir"

[ $# -gt 0 ] || set -- $(sed -n 's/^name = "\(.*\)"/\1/p' "$here/Cargo.toml" | tail -n +2)
status=0
for target; do
    mkdir -p "$here/corpus/$target" "$here/artifacts/$target"
    echo "fuzz: $target, $seconds s"
    if ! "$target_dir/$host/release/$target" -max_total_time="$seconds" -max_len=2048 -timeout=10 -rss_limit_mb=1024 \
        -dict="$here/sql.dict" -artifact_prefix="$here/artifacts/$target/" -print_final_stats=1 \
        "$here/corpus/$target" "$here/seeds/$target" >"$here/corpus/$target.log" 2>&1; then
        status=1
        echo "fuzz: $target FAILED; the end of $here/corpus/$target.log:"
        tail -n 40 "$here/corpus/$target.log"
    else
        grep -E 'stat::(number_of_executed_units|new_units_added|peak_rss_mb)|^Done' "$here/corpus/$target.log"
    fi
done
exit $status
