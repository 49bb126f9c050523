#!/bin/sh
# Makes a virtual environment: tools/venv.sh .venv
# Looks for Python 3.11 or newer ($PYTHON first); where Debian's venv package is missing, installs it or says so.
set -eu

where=$1

new_enough() {
    command -v "$1" >/dev/null 2>&1 && "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
}

python=
for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
    if new_enough "$candidate"; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "lineal needs Python 3.11 or newer: install it, or name it, as in: make demo PYTHON=/path/to/python3" >&2
    exit 1
fi

if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing python$version-venv" >&2
        apt-get update -qq >&2 || true
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq "python$version-venv" >&2 ||
            DEBIAN_FRONTEND=noninteractive apt-get install -y -qq python3-venv >&2 || true
    fi
    if ! "$python" -c 'import ensurepip, venv' 2>/dev/null; then
        echo "Python's venv module is missing: apt-get install python3-venv" >&2
        exit 1
    fi
fi

if ! "$python" -m venv "$where"; then
    rm -rf "$where" # half of one would be taken for a whole one
    exit 1
fi
