#!/bin/sh
# Build, check and time everything on a GPU in one call. Usage: bench/gpu.sh [all|light|gas|chem] [options of that part]
# Without a word: light. `all` takes no options. CORPUSCLE=path takes a program that was built already, for machines without
# the packages of a build. The compiler tool has kernels to be built first: bench/gpu_divergence.py.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/build.sh"
part=light
case "${1:-}" in all | light | gas | chem) part=$1 && shift ;; esac
build_program
case "$part" in
light) exec python3 "$here/gpu.py" --program "$CORPUSCLE" "$@" ;;
gas) exec python3 "$here/gpu_gas.py" --program "$CORPUSCLE" "$@" ;;
chem) exec python3 "$here/gpu_chem.py" "$CORPUSCLE" "$@" ;;
esac
failed=0
python3 "$here/gpu.py" --program "$CORPUSCLE" || failed=1
python3 "$here/gpu_gas.py" --program "$CORPUSCLE" || failed=1
python3 "$here/gpu_chem.py" "$CORPUSCLE" || failed=1
exit $failed
