#!/bin/sh
# From an empty Debian 12 or 13 to a running program: ./bootstrap.sh [make target, default run]
set -eu
cd "$(dirname "$0")"

if ! command -v make >/dev/null || ! python3 -c 'import ensurepip' 2>/dev/null; then
    if [ "$(id -u)" -ne 0 ]; then
        echo "bootstrap: please run: sudo apt-get install make python3-venv" >&2
        exit 1
    fi
    apt-get update -q -q
    DEBIAN_FRONTEND=noninteractive apt-get install -q -q -y --no-install-recommends make python3-venv >/dev/null
fi
exec make "${1:-run}"
