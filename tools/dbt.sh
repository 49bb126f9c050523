#!/bin/sh
# Prints the path of dbt, for the tests: $LINEAL_DBT, else the one in .cache/dbt, which is made if it is not there.
set -eu

if [ -n "${LINEAL_DBT:-}" ]; then
    echo "$LINEAL_DBT"
    exit 0
fi

here=$(cd "$(dirname "$0")" && pwd)
where="$here/../.cache/dbt"
stamp="$where/ready-$(cksum <"$here/dbt-requirements.txt" | cut -d ' ' -f 1)"
if [ ! -e "$stamp" ]; then
    echo "installing dbt into .cache/dbt; the first time this takes a minute" >&2
    mkdir -p "$here/../.cache"
    "$here/venv.sh" "$where" >&2
    "$where/bin/python" -m pip install --quiet --requirement "$here/dbt-requirements.txt" >&2
    touch "$stamp"
fi
cd "$where/bin" && echo "$PWD/dbt"
