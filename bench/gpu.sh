#!/bin/sh
# Build, check and time everything on a GPU in one call. Usage: bench/gpu.sh [--accuracy] [--help]
# CORPUSCLE=path takes a program that was built already, for machines without the packages of a build.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/build.sh"
build_program
exec python3 "$here/gpu.py" --program "$CORPUSCLE" "$@"
