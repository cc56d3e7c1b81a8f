#!/bin/sh
# What the engine's arrangement brings on one core: the plain nested kernel of examples/light/plain against the engine's, both
# compiled for the same instruction set. Usage: bench/plain.sh [x86-64-v2|x86-64-v3|x86-64-v4]; without: x86-64-v3
set -eu
isa=${1:-x86-64-v3}
here=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:-$here/build}/plain-$isa
mkdir -p "$build"
{ cmake -S "$here" -B "$build" -DCMAKE_BUILD_TYPE=Release -DCRP_TESTS=ON -DCRP_SHARED=OFF -DCMAKE_C_FLAGS="-march=$isa" &&
    cmake --build "$build" --parallel 2 --target test_cross_plain; } >"$build/bench.log" 2>&1 || {
    tail -n 30 "$build/bench.log" >&2
    exit 1
}
CORPUSCLE_ISA=$isa "$build/tests/test_cross_plain" --time
