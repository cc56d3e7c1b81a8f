#!/bin/sh
# Side by side with molflowCLI on one core of this machine. Usage: MOLFLOWCLI=program bench/molflow.sh [--help]
# MOLFLOWCLI is molflowCLI 2.9, which you build from its public sources; nothing of it is kept here.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/build.sh"
build_program
exec python3 "$here/molflow.py" --program "$CORPUSCLE" "$@"
