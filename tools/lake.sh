#!/bin/sh
# Prints a folder with a connector of Spark for the tests, made if it is not there: tools/lake.sh delta|iceberg|kafka
# tools/lake.sh spark 4.0.0: a Spark of that version alone.
# A connector is made for one version of Spark, which need not be the one in .venv: python/ has that Spark, jars/ the
# connector. For Kafka, broker/ has a broker, which Maven fetches.
set -eu

case ${1:-} in
delta)
    python="pyspark==4.2.0 delta-spark==4.4.0"
    package="io.delta:delta-spark_4.2_2.13:4.4.0"
    ;;
iceberg)
    python="pyspark==4.1.3"
    package="org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0"
    ;;
kafka)
    python="pyspark==4.0.0"
    package="org.apache.spark:spark-sql-kafka-0-10_2.13:4.0.0"
    broker="org.apache.kafka:kafka_2.13:3.9.1"
    ;;
spark)
    python="pyspark==${2:?name a version: tools/lake.sh spark 4.0.0}"
    package=""
    ;;
*)
    echo "tools/lake.sh delta, tools/lake.sh iceberg, tools/lake.sh kafka, or tools/lake.sh spark 4.0.0" >&2
    exit 1
    ;;
esac

here=$(cd "$(dirname "$0")/.." && pwd)

# fetch_broker: the broker and everything it needs, by Maven
fetch_broker() {
    version=${broker##*:}
    artifact=${broker%:*}
    cat >"$where/pom.xml" <<END
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>lineal</groupId><artifactId>broker</artifactId><version>1</version>
  <dependencies><dependency>
    <groupId>${artifact%:*}</groupId><artifactId>${artifact#*:}</artifactId><version>$version</version>
  </dependency></dependencies>
</project>
END
    mvn --batch-mode --quiet --file "$where/pom.xml" dependency:copy-dependencies \
        -DincludeScope=runtime -DoutputDirectory="$where/broker" >&2
}
where="$here/.cache/$1${2:+-$2}"
stamp="$where/ready-$(echo "$python $package" | cksum | cut -d ' ' -f 1)"
if [ ! -e "$stamp" ]; then
    echo "installing ${package:-$python} into ${where#"$here/"}; the first time this takes some minutes" >&2
    rm -rf "$where"
    mkdir -p "$where/jars"
    # shellcheck disable=SC2086
    "$here/.venv/bin/python" -m pip install --quiet --no-deps --target "$where/python" $python >&2
fi
if [ ! -e "$stamp" ] && [ -n "$package" ]; then
    export SPARK_HOME="$where/python/pyspark" PYTHONPATH="$where/python"
    "$here/.venv/bin/python" - "$package" "$where" >"$where/log" 2>&1 <<'END' || { cat "$where/log" >&2; exit 1; }
import sys
from pyspark.sql import SparkSession

package, where = sys.argv[1:]
settings = {"spark.jars.packages": package, "spark.jars.ivy": f"{where}/ivy", "spark.ui.enabled": "false"}
SparkSession.builder.master("local[1]").config(map=settings).getOrCreate().stop()
END
    if [ -n "${broker:-}" ]; then
        mv "$where"/ivy/jars/* "$where/jars"
        fetch_broker
    else
        mv "$where/ivy/jars/${package%%:*}"_* "$where/jars" # what else it names, Spark has itself
    fi
    rm -rf "$where/ivy" "$where/log"
fi
touch "$stamp"
echo "$where"
