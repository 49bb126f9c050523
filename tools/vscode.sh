#!/bin/sh
# Prints the folder of the VS Code extension once npm has fetched what its tests need into editors/vscode/node_modules.
# Prints nothing if there is no Node.js or npm cannot fetch: the tests are skipped then.
set -u

cd "$(dirname "$0")/../editors/vscode" || exit 0
stamp=node_modules/.ready
if [ ! -e "$stamp" ] || [ package-lock.json -nt "$stamp" ]; then
    command -v npm >/dev/null 2>&1 || exit 0
    npm ci --silent --no-audit --no-fund --ignore-scripts >&2 || exit 0
    touch "$stamp"
fi
pwd
