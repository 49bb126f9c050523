#!/bin/sh
# Prints the home of a Java 17 or newer, for Spark: $JAVA_HOME, PATH, then /usr/lib/jvm.
# Where there is none: installs a headless one by apt-get when run as root, else says in one line what to install.
set -eu

oldest=17

new_enough() {
    [ -x "$1/bin/java" ] || return 1
    major=$("$1/bin/java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
    [ -n "$major" ] && [ "$major" -ge "$oldest" ]
}

on_path() {
    found=$(command -v java 2>/dev/null) || return 0
    dirname "$(dirname "$(readlink -f "$found")")"
}

print_home() {
    for home in "${JAVA_HOME:-}" "$(on_path)" /usr/lib/jvm/*; do
        if [ -n "$home" ] && new_enough "$home"; then
            echo "$home"
            return 0
        fi
    done
    return 1
}

print_home && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    mkdir -p /usr/share/man/man1 # slim images lack it, and Java's package stumbles over that
    apt-get update -qq >&2 || true
    for package in default-jdk-headless default-jre-headless openjdk-17-jre-headless; do # some tests compile Java
        echo "installing $package" >&2
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >&2 || continue
        print_home && exit 0
    done
fi

echo "Spark needs Java $oldest or newer: apt-get install openjdk-17-jre-headless, or set JAVA_HOME" >&2
exit 1
