#!/bin/sh
# Build, check and time everything on a GPU in one call. Usage: bench/gpu.sh [--accuracy] [--help]
# CORPUSCLE=path takes a program that was built already, for machines without the packages of a build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "${CORPUSCLE:-}" ]; then
    build=${BUILD:-$here/../build}
    mkdir -p "$build"
    { cmake -S "$here/.." -B "$build" -DCMAKE_BUILD_TYPE=Release -DCRP_TESTS="${CRP_TESTS:-OFF}" &&
        cmake --build "$build" --parallel; } >"$build/bench.log" 2>&1 || {
        tail -n 30 "$build/bench.log" >&2
        exit 1
    }
    CORPUSCLE=$build/corpuscle
fi
exec python3 "$here/gpu.py" --program "$CORPUSCLE" "$@"
