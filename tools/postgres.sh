#!/bin/sh
# Prints the folder of a PostgreSQL server's programs (initdb, postgres), 14 or newer, for the tests: $PGBIN, PATH,
# then /usr/lib/postgresql. Where there is none: installs one by apt-get when run as root, else says in one line what
# to install.
set -eu

oldest=14

new_enough() {
    [ -x "$1/initdb" ] && [ -x "$1/postgres" ] || return 1
    major=$("$1/postgres" --version 2>/dev/null | sed -n 's/.* \([0-9][0-9]*\)[.a-z].*/\1/p' | head -n 1)
    [ -n "$major" ] && [ "$major" -ge "$oldest" ]
}

on_path() {
    found=$(command -v postgres 2>/dev/null) || return 0
    dirname "$(readlink -f "$found")"
}

print_folder() {
    for folder in "${PGBIN:-}" "$(on_path)" /usr/lib/postgresql/*/bin; do
        if [ -n "$folder" ] && new_enough "$folder"; then
            echo "$folder"
            return 0
        fi
    done
    return 1
}

print_folder && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    apt-get update -qq >&2 || true
    # the package would start a server of its own, which nobody needs here
    mkdir -p /etc/postgresql-common
    [ -e /etc/postgresql-common/createcluster.conf ] ||
        echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
    echo "installing postgresql" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends postgresql >&2 || true
    print_folder && exit 0
fi

echo "no PostgreSQL server $oldest or newer: apt-get install postgresql, set PGBIN to the folder of its programs," \
    "or LINEAL_TEST_POSTGRES to the address of a server" >&2
exit 1
