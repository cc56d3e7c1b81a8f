#!/bin/sh
# Side by side with original MCML on one core of this machine. Usage: MCML_SRC=folder bench/mcml.sh [--help]
# MCML_SRC holds the C sources of MCML 1.2.x, which you download (omlc.org/software/mc); nothing of it is kept here.
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
exec python3 "$here/mcml.py" --program "$CORPUSCLE" "$@"
