#!/bin/sh
# What the engine's arrangement brings on one core: the plain nested kernel of examples/light/plain against the engine's, both
# compiled for the same instruction set. Usage: bench/plain.sh [x86-64-v2|x86-64-v3|x86-64-v4]; without: x86-64-v3
set -eu
isa=${1:-x86-64-v3}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/build.sh"
build=${BUILD:-$here/../build}/plain-$isa
build_in "$build" test_cross_plain -DCRP_TESTS=ON -DCRP_SHARED=OFF -DCMAKE_C_FLAGS="-march=$isa"
CORPUSCLE_ISA=$isa "$build/tests/test_cross_plain" --time
