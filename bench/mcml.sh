#!/bin/sh
# Side by side with original MCML on one core of this machine. Usage: MCML_SRC=folder bench/mcml.sh [--help]
# MCML_SRC holds the C sources of MCML 1.2.x, which you download (omlc.org/software/mc); nothing of it is kept here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/build.sh"
build_program
exec python3 "$here/mcml.py" --program "$CORPUSCLE" "$@"
