#!/bin/sh
# Makes the environments of the consumers' own code in .cache/consumers, and prints that folder.
# LINEAL_CONSUMERS_IN=folder puts them elsewhere. A consumer that cannot be installed leaves no stamp; the tests that
# need it are skipped and counted.
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
where=${LINEAL_CONSUMERS_IN:-"$here/.cache/consumers"}
mkdir -p "$where"
where=$(cd "$where" && pwd)

# make_venv NAME: a fresh environment for a consumer
make_venv() {
    rm -rf "${where:?}/$1"
    "$here/.venv/bin/python" -m venv "$where/$1" >&2
}

# install NAME REQUIREMENT...: by pip, into the consumer's environment
install() {
    consumer=$1
    shift
    "$where/$consumer/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >&2
}

# check NAME MODULE: put the stamp if the module can be imported
check() {
    "$where/$1/bin/python" -c "import $2" 2>"$where/$1/log" && touch "$where/$1/ready"
}

# -- OpenMetadata: its connector, without the packages that need a compiler or another download
openmetadata="openmetadata-ingestion==2.0.7.0"
if [ ! -e "$where/openmetadata/ready" ]; then
    echo "installing $openmetadata into $where; the first time this takes some minutes" >&2
    make_venv openmetadata
    install openmetadata --no-deps "$openmetadata" collate-data-diff &&
        "$where/openmetadata/bin/python" -c 'from importlib.metadata import requires
skipped = ("dbt", "certifi", "collate-data-diff")
listed = [each for each in requires("openmetadata-ingestion") if "extra ==" not in each]
print("\n".join(each for each in listed if not each.lower().startswith(skipped)))' >"$where/openmetadata/requirements.txt" &&
        install openmetadata --requirement "$where/openmetadata/requirements.txt" certifi pytz attrs rich dsnparse toml &&
        check openmetadata metadata.ingestion.source.pipeline.openlineage.metadata
fi

# -- DataHub: its SDK, with the requirements of lineal, so that `lineal emit --to datahub --native` runs there
datahub="acryl-datahub==1.7.0.17"
if [ ! -e "$where/datahub/ready" ]; then
    echo "installing $datahub into $where" >&2
    make_venv datahub
    install datahub "$datahub" --editable "$here" &&
        check datahub datahub.emitter.rest_emitter
fi

# -- Unity Catalog and Purview: the SDKs whose models their requests have to fit
models="databricks-sdk==0.156.0 pyapacheatlas==0.16.0"
if [ ! -e "$where/models/ready" ]; then
    echo "installing $models into $where" >&2
    make_venv models
    # shellcheck disable=SC2086
    install models $models && check models pyapacheatlas.core,databricks.sdk.service.catalog
fi

# fetch_jars NAME ARTIFACT...: from Maven Central, into the consumer's folder; fails if one cannot be had
fetch_jars() {
    consumer=$1
    shift
    mkdir -p "$where/$consumer"
    command -v mvn >/dev/null || echo "$consumer needs Maven: install it, for example with apt-get install maven" >&2
    for artifact in "$@"; do
        mvn --batch-mode --quiet dependency:copy -Dartifact="$artifact" -DoutputDirectory="$where/$consumer" \
            >>"$where/$consumer/log" 2>&1 || return 1
    done
}

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
    echo "fetching openlineage-java into $where" >&2
    # shellcheck disable=SC2086
    fetch_jars openlineage $artifacts && touch "$where/openlineage/ready"
fi

# -- DataHub's OpenLineage converter: inside the agent for Spark. The stamp is put if its classes can be called.
agent="io.acryl:acryl-spark-lineage_2.13:1.5.0.19"
if [ ! -e "$where/converter/ready" ] && [ -z "${LINEAL_DATAHUB_CONVERTER:-}" ]; then
    echo "fetching $agent into $where" >&2
    fetch_jars converter "$agent" org.slf4j:slf4j-api:2.0.16 &&
        "${JAVA_HOME:-/usr}/bin/java" -cp "$where/converter/*" "$here/tests/consumers/ConvertEvents.java" \
            </dev/null >>"$where/converter/log" 2>&1 && touch "$where/converter/ready"
    [ -e "$where/converter/ready" ] || echo "$agent cannot be had or called: see $where/converter/log" >&2
fi
echo "$where"
