#!/bin/sh
# What `make demo` shows: questions to the sample project in examples/shop, SQL and PySpark, and its run on local Spark.
set -eu

lineal=${1:-lineal}

ask() {
    printf '\n%s\n\n$ lineal' "$1"
    shift
    printf ' %s' "$@"
    printf '\n'
    "$lineal" "$@"
}

ask "1. Where does a column come from?" \
    lineage examples/shop -n int_customer_ranking --column customer_id
ask "2. And a column of a PySpark model, through SQL and a module that the model imports?" \
    lineage examples/shop -n feat_customer_orders --column amount_band
ask "3. What is a model made of?" \
    lineage examples/shop -n dim_customers
ask "4. What does a change of a raw column reach?" \
    lineage examples/shop -n raw_orders --column amount --impact
ask "5. Does the pipeline run, SQL and PySpark, and does Spark see the same lineage?" \
    run examples/shop

cat <<END

Try next:

  . .venv/bin/activate
  lineal lineage examples/shop stg_orders.amount+      where a column goes
  lineal lineage examples/shop +dim_customers --output mermaid
  lineal lineage YOUR_SQL_FOLDER --dialect spark       a folder of .sql files, a file, or - for standard input
  lineal lineage --help
END
