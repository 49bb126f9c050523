"""Functions of the dialects that make rows in FROM, and what their columns are called.

Any other function in FROM is a dataset of its own: nobody but its definition knows what it reads.
"""

from __future__ import annotations


def _table(*rows: tuple[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the columns of each function from rows of names and columns."""
    return {name: tuple(columns.split()) for names, columns in rows for name in names.split()}


COLUMNS = _table(
    ("generator", ""),
    ("numbers numbers_mt", "number"),
    ("zeros zeros_mt", "zero"),
    ("string_split", "value ordinal"),
    ("split_to_table strtok_split_to_table", "seq index value"),
    (
        "generate_series generate_subscripts range unnest string_to_table regexp_split_to_table regexp_matches",
        "",
    ),
    ("json_object_keys jsonb_object_keys jsonb_path_query jsonb_path_query_tz", ""),
    ("json_to_record jsonb_to_record json_to_recordset jsonb_to_recordset", ""),
    (
        "json_populate_record jsonb_populate_record json_populate_recordset jsonb_populate_recordset",
        "",
    ),
    (
        "json_array_elements jsonb_array_elements json_array_elements_text jsonb_array_elements_text",
        "value",
    ),
    ("json_each jsonb_each json_each_text jsonb_each_text", "key value"),
    ("variant_explode variant_explode_outer", "pos key value"),
    ("ts_stat", "word ndoc nentry"),
    ("ts_parse", "tokid token"),
    ("ts_debug", "alias description token dictionaries dictionary lexemes"),
    ("aclexplode", "grantor grantee privilege_type is_grantable"),
)
"""Without a name the only column is called like the table's alias, else like the function."""

PARTS_OF_DOCUMENT = "key value type atom id parent fullkey path json root".split()  # noqa: SIM905
COLUMNS_IN = {
    (name, dialect): PARTS_OF_DOCUMENT
    for name in ("json_each", "json_tree", "jsonb_each", "jsonb_tree")
    for dialect in ("sqlite", "duckdb")
}
"""SELECT e.type FROM json_each(t.doc, '$.a') AS e      the columns in one dialect"""

KEEPS_ITS_NAME = frozenset(("duckdb",))
"""SELECT r.range FROM range(10) AS r      an alias names the table, and not its only column"""

NUMBERS_CALLED = {
    **{("range", dialect): "id" for dialect in ("spark", "spark2", "databricks")},
    **{("generate_series", dialect): "value" for dialect in ("tsql", "fabric")},
}
"""SELECT id FROM range(10)      what the numbers are called; elsewhere like the function"""

ONE_ROW = frozenset(
    ("json_to_record", "jsonb_to_record", "json_populate_record", "jsonb_populate_record")
)
"""Their arguments decide no rows."""

OF_A_TYPE = frozenset(name for name in COLUMNS if "_populate_record" in name)
"""jsonb_populate_recordset(NULL::place, x)

the columns are those of the first argument's type
"""

RECORDS = frozenset(name for name in COLUMNS if "_record" in name)
"""Their columns are the fields of a document."""

OLDER_CALLS = {("bigquery", "flatten"): "FLATTEN of BigQuery's legacy SQL"}
"""FROM FLATTEN([p:d.t], items)      calls of an older language, whose arguments are not traced"""

SETS_IN_SELECT = frozenset(("postgres", "redshift", "materialize", "risingwave"))
"""SELECT f(generate_series(1, a))

as many rows as the function makes, wherever in the expression it stands
"""

FILES = frozenset(
    """
    read_parquet parquet_scan read_csv read_csv_auto read_json read_json_auto read_json_objects read_ndjson
    read_ndjson_auto read_ndjson_objects read_text read_blob read_xlsx read_avro openrowset read_files cloud_files
    iceberg_scan delta_scan s3 s3cluster url hdfs file gcs azureblobstorage deltalake iceberg
    """.split()  # noqa: SIM905
)
"""FROM read_parquet('lake/*.parquet')      reads a place, and is not a dataset of its own"""

QUERIES = frozenset(("openquery", "external_query", "dblink", "query"))
"""FROM OPENQUERY(server, 'SELECT …'), TABLE(shop.system.query(query => 'SELECT …'))

for another server
"""

PASSES_COLUMNS = frozenset(("exclude_columns",))
"""FROM TABLE(exclude_columns(input => TABLE(t), columns => DESCRIPTOR(b)))      t's columns but b"""

CHANGES = frozenset(("table_changes", "table_changes_by_path"))
"""FROM table_changes('t', 1, 2)

Delta: the rows of t that came and went, with CHANGE_COLUMNS
"""

CHANGE_COLUMNS = ("_change_type", "_commit_version", "_commit_timestamp")

TABLE_CHANGES = ("_CHANGE_TYPE", "_CHANGE_TIMESTAMP")
"""FROM CHANGES(TABLE t, NULL, NULL), APPENDS(TABLE t, …)      BigQuery"""

BOUNDS = ("prediction_interval_lower_bound", "prediction_interval_upper_bound")
OF_A_SERIES = {
    "forecast": ("forecast_timestamp", "forecast_value", "confidence_level", *BOUNDS, "ai_forecast_status"),
    "detect_anomalies": (
        "time_series_timestamp", "time_series_data", "is_anomaly", "lower_bound", "upper_bound",
        "anomaly_probability", "ai_detect_anomalies_status",
    ),
    "evaluate": (
        "mean_absolute_error", "mean_squared_error", "root_mean_squared_error",
        "mean_absolute_percentage_error", "symmetric_mean_absolute_percentage_error", "ai_evaluate_status",
    ),
}  # fmt: skip
"""FROM AI.FORECAST(TABLE t, data_col => 'x', timestamp_col => 'at')      BigQuery, besides id_cols"""

WITH_HISTORY = (
    "time_series_timestamp", "time_series_type", "time_series_data", "confidence_level", *BOUNDS, "ai_forecast_status",
)  # fmt: skip
"""FROM AI.FORECAST(…, output_historical_time_series => TRUE)"""

OF_ALL_ROWS = frozenset(("evaluate", "roc_curve", "confusion_matrix"))
"""FROM ML.EVALUATE(MODEL m, TABLE t)      measures of a model, over all rows of t"""

ELSEWHERE = frozenset(
    ("remote", "remotesecure", "cluster", "clusterallreplicas", "mysql", "postgresql")
)
"""FROM remote('host', db.t), FROM mysql('host', 'db', 't', …)

ClickHouse: a table of another server
"""
