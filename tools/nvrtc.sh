#!/bin/sh
# Print the path of an NVRTC library, for the test that compiles the GPU kernels; nothing if the system's own will be
# found. Where there is none it is fetched from PyPI into the build folder (about 100 MB). Usage: tools/nvrtc.sh BUILD
set -u
build=$(cd "$1" && pwd) || exit 0

for pattern in /usr/local/cuda*/lib*/libnvrtc.so.1* /usr/local/cuda*/targets/*/lib/libnvrtc.so.1* \
               /usr/lib/*/libnvrtc.so.1* /opt/cuda/lib*/libnvrtc.so.1*; do
    [ -e "$pattern" ] && exit 0
done
[ -n "${CORPUSCLE_NVRTC:-}" ] && exit 0

find_fetched() {
    find "$build/nvrtc" -name 'libnvrtc.so.1*' 2>/dev/null | head -n 1
}
if [ -z "$(find_fetched)" ]; then
    echo "nvrtc: no CUDA toolkit here; fetching NVRTC from PyPI" >&2
    if ! /usr/bin/python3 -m pip install --quiet --no-deps --target "$build/nvrtc" nvidia-cuda-nvrtc >&2; then
        echo "nvrtc: could not be fetched: the test of the CUDA kernels will be SKIPPED" >&2
        exit 0
    fi
fi
find_fetched
