# Read by the benchmarks (not run by itself): how they build what they measure.

# build_in FOLDER TARGET OPTION...: configure and build a target; of the log only the end, and only where it fails.
build_in() {
    build_folder=$1 build_target=$2
    shift 2
    mkdir -p "$build_folder"
    { cmake -S "$here/.." -B "$build_folder" -DCMAKE_BUILD_TYPE=Release "$@" &&
        cmake --build "$build_folder" --parallel --target "$build_target"; } >"$build_folder/bench.log" 2>&1 || {
        tail -n 30 "$build_folder/bench.log" >&2
        exit 1
    }
}

# build_program: set CORPUSCLE to the program, built unless it is given.
build_program() {
    if [ -z "${CORPUSCLE:-}" ]; then
        build_in "${BUILD:-$here/../build}" all -DCRP_TESTS="${CRP_TESTS:-OFF}"
        CORPUSCLE=${BUILD:-$here/../build}/corpuscle
    fi
}
