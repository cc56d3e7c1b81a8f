#!/bin/sh
# Rays a second on one core beside Embree 3 (libembree-dev, which nothing else needs): the rays of molecules in tubes and in a
# chamber. Prints a table. Usage: bench/embree.sh [RAYS]; without: 2e6
set -eu
rays=${1:-2e6}
here=$(cd "$(dirname "$0")" && pwd)
. "$here/build.sh"
if [ ! -f /usr/include/embree3/rtcore.h ] && [ -z "${EMBREE:-}" ]; then
    echo "bench/embree.sh: Embree 3 is not here: install libembree-dev, or set EMBREE to its folder" >&2
    exit 2
fi
build=${BUILD:-$here/../build}
build_in "$build" crp_core -DCRP_TESTS="${CRP_TESTS:-OFF}"
flags="-std=gnu11 -O3 -march=x86-64-v3 -mtune=haswell -fopenmp -ffp-contract=off -fno-math-errno -fno-trapping-math"
libraries="$(pkg-config --libs yaml-0.1 expat libzip) -lhdf5_serial_hl -lhdf5_serial -lm -ldl -lpthread"
embree=${EMBREE:+-I$EMBREE/include -L$EMBREE/lib -Wl,-rpath,$EMBREE/lib}
cc $flags -I"$here/../src" -I"$here/../include" -I"$here/../kernel" -I/usr/include/hdf5/serial $embree "$here/embree.c" \
    "$build/libcrp_core.a" $libraries -lembree3 -o "$build/embree"
grep -m1 "model name" /proc/cpuinfo | sed 's/.*: //'
echo "MRays/s on one core; share of rays that hit another facet than our tree finds; share that hit nothing"
echo "| model | primitives | rays | records | other | missed | tree | other | missed | Embree, fast | other | missed | robust | other | missed |"
echo "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|"
run() { ${PIN:-taskset -c 0} "$build/embree" "$@"; }
run "$rays" gas-tube length_over_radius=100 sides=100
run "$rays" gas-tube length_over_radius=100 sides=1000
run "$rays" gas-chamber bodies=27 segments=40
run "$rays" gas-chamber bodies=104 segments=100
