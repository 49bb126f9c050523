#!/bin/sh
# Prints the path of Neovim, which the tests of the language server start; installs it where that is possible.
# Prints nothing if there is none: the tests are skipped then.
set -u

if ! command -v nvim >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq neovim >/dev/null 2>&1 || true
fi
command -v nvim || true
