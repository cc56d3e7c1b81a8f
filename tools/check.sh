#!/bin/sh
# Build and run the tests. Usage: tools/check.sh BUILD [quick|long]
# The last line is "N passed, N failed, N skipped"; the exit code is 0 only if nothing failed.
set -u
cd "$(dirname "$0")/.."
build=$1
tier=${2:-quick}
passed=0 failed=0 skipped=0
mkdir -p "$build"
export LSAN_OPTIONS="suppressions=$PWD/tools/lsan.supp:print_suppressions=0"

finish() {
    printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"
    [ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
    exit
}

build_failed() {
    echo "check: the build in $1 failed" >&2
    failed=$((failed + 1))
}

# configure and build: folder, cmake arguments
compile() {
    folder=$1
    shift
    mkdir -p "$folder"
    log=$folder/build.log
    cmake -S . -B "$folder" -G Ninja "$@" >"$log" 2>&1 && ninja -C "$folder" >>"$log" 2>&1 && return 0
    tail -n 60 "$log" >&2
    build_failed "$folder"
    return 1
}

# number of tests in a JUnit attribute: file, attribute
count_of() {
    sed -n "s/^.*[[:space:]]$2=\"\([0-9]*\)\".*/\1/p" "$1" | head -n 1
}

# run tests: folder, ctest arguments
run_tests() {
    folder=$1
    shift
    junit=$PWD/$folder/junit.xml
    rm -f "$junit"
    ctest --test-dir "$folder" -j2 --output-on-failure --no-tests=error --output-junit "$junit" "$@"
    if [ ! -s "$junit" ]; then
        echo "check: ctest in $folder did not run" >&2
        failed=$((failed + 1))
        return
    fi
    flat=$folder/junit.flat
    tr '\n' ' ' <"$junit" | sed 's/<testcase.*//' >"$flat"
    n_all=$(count_of "$flat" tests)
    n_failed=$(count_of "$flat" failures)
    n_skipped=$(($(count_of "$flat" skipped) + $(count_of "$flat" disabled)))
    failed=$((failed + n_failed))
    skipped=$((skipped + n_skipped))
    passed=$((passed + n_all - n_failed - n_skipped))
}

CORPUSCLE_NVRTC=${CORPUSCLE_NVRTC:-$(tools/nvrtc.sh "$build")}
if [ -n "$CORPUSCLE_NVRTC" ]; then
    export CORPUSCLE_NVRTC
else
    unset CORPUSCLE_NVRTC
fi

if [ "$tier" = long ]; then
    export CRP_TEST_LONG=1
fi
compile "$build" -DCMAKE_BUILD_TYPE=Release -DCRP_TESTS=ON -DCRP_WERROR=ON && run_tests "$build"
# The same integers from another compiler; its fuzz targets replay their corpus.
compile "$build/clang" -DCMAKE_C_COMPILER=clang -DCRP_TESTS=ON -DCRP_FUZZ=ON -DCRP_SHARED=OFF \
    -DCRP_DIVERGENCE=OFF &&
    run_tests "$build/clang" -L '^(golden|cross|fuzz)$'
# Reads and writes out of bounds, leaks, undefined arithmetic.
compile "$build/asan" -DCMAKE_BUILD_TYPE=Debug -DCRP_SANITIZE=address,undefined -DCRP_TESTS=ON -DCRP_SHARED=OFF \
    -DCRP_DIVERGENCE=OFF &&
    run_tests "$build/asan" -L '^(unit|cli|fuzz)$' -E cli_readme
finish
