#!/bin/sh
# Prints the path of the MCP inspector, for the tests: $LINEAL_INSPECTOR, else the one in .cache/inspector, which npm
# installs if it is not there.
set -eu

if [ -n "${LINEAL_INSPECTOR:-}" ]; then
    echo "$LINEAL_INSPECTOR"
    exit 0
fi

version=0.15.0
where="$(cd "$(dirname "$0")" && pwd)/../.cache/inspector-$version"
program="$where/node_modules/.bin/mcp-inspector"
if [ ! -e "$where/ready" ]; then
    echo "installing the MCP inspector into .cache; the first time this takes two minutes" >&2
    mkdir -p "$where"
    npm install --prefix "$where" --no-audit --no-fund --loglevel=error "@modelcontextprotocol/inspector@$version" >&2
    touch "$where/ready"
fi
echo "$program"
