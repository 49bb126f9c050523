#!/bin/sh
# Prints the folders of MariaDB's programs (mariadbd, mariadb-install-db, mariadb), joined by colons, for the tests:
# $MARIADB_BIN, else those of PATH and /usr/sbin. Where there is none: installs them by apt-get when run as root, else
# says in one line what to install.
set -eu

if [ -n "${MARIADB_BIN:-}" ]; then
    echo "$MARIADB_BIN"
    exit 0
fi

PATH="$PATH:/usr/sbin"

print_folders() {
    folders=
    for program in mariadbd mariadb-install-db mariadb; do
        found=$(command -v "$program" 2>/dev/null) || return 1
        folders="$folders:$(dirname "$found")"
    done
    echo "${folders#:}"
}

print_folders && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq >&2 || true
    echo "installing mariadb-server-core" >&2
    # the core packages have the programs alone, and start no server
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mariadb-server-core \
        mariadb-client-core >&2 || true
    print_folders && exit 0
fi

echo "no MariaDB: apt-get install mariadb-server-core mariadb-client-core, or set MARIADB_BIN to the folders of its" \
    "programs" >&2
exit 1
