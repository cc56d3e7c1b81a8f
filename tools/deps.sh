#!/bin/sh
# Install the packages of packages.txt that are missing. Usage: tools/deps.sh GROUP ...
set -eu
cd "$(dirname "$0")/.."

wanted=
for group in "$@"; do
    wanted="$wanted $(awk -v group="$group" '$1 == group { print $2 }' packages.txt)"
done

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "deps: this is no Debian; needed, under Debian's names:" $wanted >&2
    exit 0
fi

installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' 2>/dev/null | awk '$1 == "installed" { print $2 }')
missing=
for package in $wanted; do
    if ! printf '%s\n' "$installed" | grep -qxF "$package"; then
        missing="$missing $package"
    fi
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then
    as_root=sudo
else
    echo "deps: packages are missing and installing them needs root; run as root:" >&2
    echo "    apt-get install$missing" >&2
    exit 1
fi

echo "deps: installing$missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
quiet() {
    if ! $as_root env DEBIAN_FRONTEND=noninteractive "$@" >"$log" 2>&1; then
        cat "$log" >&2
        echo "deps: '$*' failed; missing:$missing" >&2
        exit 1
    fi
}
quiet apt-get -q update
quiet apt-get -q install -y --no-install-recommends $missing
