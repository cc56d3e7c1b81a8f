#!/bin/sh
# Install into a fresh prefix, then build and run programs against what lies there: by pkg-config (C11, C17, C++17) and
# by find_package, from a prefix that was moved; then the programs of docs/capi. Usage: test_install.sh BUILD CC CXX
set -eu
build=$1 cc=$2 cxx=$3
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/first" >"$scratch/install.log" || { cat "$scratch/install.log"; exit 1; }
mv "$scratch/first" "$scratch/prefix"
prefix=$scratch/prefix
cd "$scratch"

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name corpuscle.pc)")
export PKG_CONFIG_PATH
flags=$(pkg-config --cflags corpuscle)
libs=$(pkg-config --libs corpuscle)
lib=$(dirname "$(find "$prefix" -name libcorpuscle.so)")
strict="-Wall -Wextra -Wpedantic -Werror"

"$cc" -std=c11 $strict $flags "$here/run_model.c" -o c11 $libs -lm
"$cc" -std=c17 $strict $flags "$here/run_model.c" -o c17 $libs -lm
"$cxx" -std=c++17 $strict $flags -x c++ "$here/run_model.c" -x none -o cxx17 $libs
for program in c11 c17 cxx17; do
    LD_LIBRARY_PATH=$lib ./$program "$here/../../examples/light/skin7.mci" >$program.out
    cmp c11.out $program.out
done

mkdir app
cat >app/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.22)
project(app C)
find_package(corpuscle REQUIRED)
add_executable(app $here/run_model.c)
target_link_libraries(app PRIVATE corpuscle::corpuscle m)
END
cmake -S app -B app/build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" >cmake.log || { cat cmake.log; exit 1; }
cmake --build app/build >>cmake.log || { cat cmake.log; exit 1; }
app/build/app "$here/../../examples/light/skin7.mci" >app.out
cmp c11.out app.out

# Every program in the pages of the C API compiles as it stands and runs.
n_pages=0
for page in "$here"/../../docs/capi/*.md; do
    name=$(basename "$page" .md)
    awk '/^```c$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >"page_$name.c"
    "$cc" -std=c11 $strict $flags "page_$name.c" -o "page_$name" $libs || { echo "$page: does not compile" >&2; exit 1; }
    case $name in
        status | context) set -- ;;
        *) set -- "$here/../../examples/light/skin7.mci" ;;
    esac
    LD_LIBRARY_PATH=$lib "./page_$name" "$@" >"page_$name.out" 2>&1 || { cat "page_$name.out" >&2; exit 1; }
    n_pages=$((n_pages + 1))
done
[ "$n_pages" -ge 6 ]

# The program of the prefix is the one that was built, and the library shows nothing but crp_.
"$prefix/bin/corpuscle" --version | grep -q '^corpuscle '
if nm -D --defined-only "$lib/libcorpuscle.so" | awk '$2 ~ /[TDB]/ { print $3 }' | grep -v '^crp_'; then
    echo "the shared library exports these names without crp_" >&2
    exit 1
fi
