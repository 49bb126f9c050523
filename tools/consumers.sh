#!/bin/sh
# Makes the environments of the consumers' own code in .cache/consumers, and prints that folder.
# A consumer that cannot be installed leaves no stamp; the tests that need it are skipped and counted.
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
where="$here/.cache/consumers"
mkdir -p "$where"

# -- OpenMetadata: its connector, without the packages that need a compiler or another download
openmetadata="openmetadata-ingestion==2.0.7.0"
if [ ! -e "$where/openmetadata/ready" ]; then
    echo "installing $openmetadata into .cache/consumers; the first time this takes some minutes" >&2
    rm -rf "$where/openmetadata"
    "$here/.venv/bin/python" -m venv "$where/openmetadata" >&2
    pip="$where/openmetadata/bin/python -m pip install --quiet --disable-pip-version-check"
    $pip --no-deps "$openmetadata" collate-data-diff >&2 &&
        "$where/openmetadata/bin/python" -c 'from importlib.metadata import requires
skipped = ("dbt", "certifi", "collate-data-diff")
listed = [each for each in requires("openmetadata-ingestion") if "extra ==" not in each]
print("\n".join(each for each in listed if not each.lower().startswith(skipped)))' >"$where/openmetadata/requirements.txt" &&
        $pip --requirement "$where/openmetadata/requirements.txt" certifi pytz attrs rich dsnparse toml >&2 &&
        "$where/openmetadata/bin/python" -c 'import metadata.ingestion.source.pipeline.openlineage.metadata' 2>"$where/openmetadata/log" &&
        touch "$where/openmetadata/ready"
fi

# -- OpenLineage for Java: its client, and the packages that it reads JSON with
artifacts="io.openlineage:openlineage-java:1.55.0
com.fasterxml.jackson.core:jackson-databind:2.18.2
com.fasterxml.jackson.core:jackson-core:2.18.2
com.fasterxml.jackson.core:jackson-annotations:2.18.2
com.fasterxml.jackson.datatype:jackson-datatype-jsr310:2.18.2
com.fasterxml.jackson.datatype:jackson-datatype-jdk8:2.18.2
com.fasterxml.jackson.module:jackson-module-blackbird:2.18.2
com.fasterxml.jackson.dataformat:jackson-dataformat-yaml:2.18.2
org.yaml:snakeyaml:2.3
org.apache.commons:commons-lang3:3.17.0
org.slf4j:slf4j-api:2.0.16"
if [ ! -e "$where/openlineage/ready" ]; then
    echo "fetching openlineage-java into .cache/consumers" >&2
    mkdir -p "$where/openlineage"
    complete=yes
    command -v mvn >/dev/null || echo "openlineage-java needs Maven: install it, for example with apt-get install maven" >&2
    for artifact in $artifacts; do
        mvn --batch-mode --quiet dependency:copy -Dartifact="$artifact" -DoutputDirectory="$where/openlineage" >&2 || complete=no
    done
    [ "$complete" = yes ] && touch "$where/openlineage/ready"
fi
echo "$where"
