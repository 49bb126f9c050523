#!/bin/sh
# Fetches what builds and checks the page (esbuild, TypeScript, axe-core) into web/node_modules; needs Node.js 18 or
# newer, which it installs by apt-get when run as root. Only whoever changes the page needs it: the built one is in the
# repository.
set -eu

cd "$(dirname "$0")/../web"
stamp=node_modules/.ready
[ -e "$stamp" ] && [ ! package.json -nt "$stamp" ] && exit 0

if ! command -v npm >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq >&2 || true
    echo "installing nodejs" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends nodejs npm >&2 || true
fi
if ! command -v npm >/dev/null 2>&1; then
    echo "no Node.js: apt-get install nodejs npm" >&2
    exit 1
fi
npm ci --silent --no-audit --no-fund --ignore-scripts >&2
touch "$stamp"
