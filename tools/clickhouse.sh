#!/bin/sh
# Prints the path of a Python that has chdb (ClickHouse in a library, about 500 MB), for the tests: $LINEAL_CHDB, else
# the one in .cache/clickhouse, which is made if it is not there.
set -eu

if [ -n "${LINEAL_CHDB:-}" ]; then
    echo "$LINEAL_CHDB"
    exit 0
fi

here=$(cd "$(dirname "$0")" && pwd)
where="$here/../.cache/clickhouse"
stamp="$where/ready-$(cksum <"$here/clickhouse-requirements.txt" | cut -d ' ' -f 1)"
if [ ! -e "$stamp" ]; then
    echo "installing chdb into .cache/clickhouse; the first time this takes a minute" >&2
    mkdir -p "$here/../.cache"
    "$here/venv.sh" "$where" >&2
    "$where/bin/python" -m pip install --quiet --requirement "$here/clickhouse-requirements.txt" >&2
    touch "$stamp"
fi
cd "$where/bin" && echo "$PWD/python"
