#!/bin/sh
# Prints a Chromium for the tests of the page: $CHROMIUM, then PATH. Where there is none: installs one by apt-get when
# run as root, else says in one line what to install.
set -eu

print_program() {
    for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome; do
        found=$(command -v "${name:-/nowhere}" 2>/dev/null) || continue
        echo "$found"
        return 0
    done
    return 1
}

print_program && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq >&2 || true
    echo "installing chromium" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium >&2 || true
    print_program && exit 0
fi

echo "no Chromium: apt-get install chromium, or set CHROMIUM to its program" >&2
exit 1
