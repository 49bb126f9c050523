#!/bin/sh
# Prints a folder with a table format for the tests, made if it is not there: tools/lake.sh delta, tools/lake.sh iceberg
# A format is made for one version of Spark, which need not be the one in .venv: python/ has that Spark, jars/ the format.
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
*)
    echo "tools/lake.sh delta, or tools/lake.sh iceberg" >&2
    exit 1
    ;;
esac

here=$(cd "$(dirname "$0")/.." && pwd)
where="$here/.cache/$1"
stamp="$where/ready-$(echo "$python $package" | cksum | cut -d ' ' -f 1)"
if [ ! -e "$stamp" ]; then
    echo "installing ${package#*:} into .cache/$1; the first time this takes some minutes" >&2
    rm -rf "$where"
    mkdir -p "$where/jars"
    # shellcheck disable=SC2086
    "$here/.venv/bin/python" -m pip install --quiet --no-deps --target "$where/python" $python >&2
    export SPARK_HOME="$where/python/pyspark" PYTHONPATH="$where/python"
    "$here/.venv/bin/python" - "$package" "$where" >"$where/log" 2>&1 <<'END' || { cat "$where/log" >&2; exit 1; }
import sys
from pyspark.sql import SparkSession

package, where = sys.argv[1:]
settings = {"spark.jars.packages": package, "spark.jars.ivy": f"{where}/ivy", "spark.ui.enabled": "false"}
SparkSession.builder.master("local[1]").config(map=settings).getOrCreate().stop()
END
    mv "$where/ivy/jars/${package%%:*}"_* "$where/jars" # what else it names, Spark has itself
    rm -rf "$where/ivy" "$where/log"
    touch "$stamp"
fi
echo "$where"
