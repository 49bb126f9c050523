"""Clients of databases: connections, cursors, engines, hooks, and frames that are read by SQL.

conn = psycopg2.connect(dsn); cur = conn.cursor(); cur.execute("INSERT INTO …")
pd.read_sql("SELECT a FROM t", engine).to_sql("copy", engine)
bigquery.Client().query("SELECT …", job_config=bigquery.QueryJobConfig(destination="p.d.t"))
"""

from __future__ import annotations

import re

from lineal.extract.pyspark.dispatch import RECEIVERS
from lineal.extract.pyspark.embedded.airflow import (
    decorate_airflow,
    dialect_in,
    table_of,
    take_airflow,
)
from lineal.extract.pyspark.embedded.contexts import id_text
from lineal.extract.pyspark.embedded.statements import (
    NOT_TAKEN,
    SQL_START,
    About,
    Called,
    Collector,
    texts_in,
)
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import (
    Builder,
    Grouped,
    Instance,
    Library,
    Session,
    Unknown,
    Value,
)
from lineal.model.diagnostic import Code

CLIENT, FRAME, DESTINATION = "client", "query_frame", "destination"
CONNECTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), dialect)
    for pattern, dialect in (
        (r"^(psycopg2?|psycopg2cffi|asyncpg|pg8000|aiopg)\b.*\b(connect|Connection|create_pool)$", "postgres"),
        (r"^snowflake\.connector\.(connect|SnowflakeConnection)", "snowflake"),
        (r"^sqlite3\.connect$|^aiosqlite\.connect$", "sqlite"),
        (r"^(pymysql|MySQLdb|mysql\.connector|mariadb|aiomysql)\.(connect|Connect)", "mysql"),
        (r"^(duckdb)(\.(connect|DuckDBPyConnection))?$", "duckdb"),
        (r"^(cx_Oracle|oracledb)\.(connect|Connection)", "oracle"),
        (r"^(pymssql|pyodbc)\.connect$", "tsql"),
        (r"^(trino\.dbapi|trino)\.connect$", "trino"),
        (r"^(prestodb\.dbapi|pyhive\.presto)\.connect$|^pyhive\.presto", "presto"),
        (r"^(pyhive\.hive|impala\.dbapi)\.(connect|Connection)", "hive"),
        (r"^google\.cloud\.bigquery\.(Client|client\.Client)$", "bigquery"),
        (r"^google\.cloud\.bigquery\.dbapi\.connect$", "bigquery"),
        (r"^(clickhouse_driver|clickhouse_connect|asynch)\b.*(Client|connect|get_client)$", "clickhouse"),
        (r"^databricks\.sql\.connect$", "databricks"),
        (r"^redshift_connector\.connect$", "redshift"),
        (r"^teradatasql\.connect$", "teradata"),
        (r"^(vertica_python)\.connect$", "postgres"),
        (r"^awswrangler\.(athena)", "athena"),
    )
)  # fmt: skip
"""Functions that open a connection, and the dialect of its database."""

ENGINES = re.compile(r"^(sqlalchemy|sqlmodel)\b.*\b(create_engine|create_async_engine)$")
HOOK = re.compile(r"(\w*)Hook$")
TEXT = re.compile(r"^sqlalchemy\b.*\btext$|^psycopg2?\.sql\.SQL$|^sqlmodel\.text$")
SCHEMES = {
    "postgresql": "postgres", "postgres": "postgres", "mysql": "mysql", "mariadb": "mysql",
    "sqlite": "sqlite", "oracle": "oracle", "mssql": "tsql", "snowflake": "snowflake",
    "bigquery": "bigquery", "redshift": "redshift", "duckdb": "duckdb", "trino": "trino",
    "presto": "presto", "hive": "hive", "databricks": "databricks", "clickhouse": "clickhouse",
    "teradatasql": "teradata", "athena": "athena", "awsathena": "athena",
}  # fmt: skip
"""The dialect of a database address, by its scheme."""

EXECUTING = frozenset(
    """execute executemany execute_async execute_batch execute_values executescript execute_string
    exec_driver_sql execute_query run_query run_sql run get_records get_first get_pandas_df get_df
    get_pandas_df_by_chunks fetch fetchrow fetchval fetchone fetchall fetchdf query query_and_wait
    query_df query_pandas sql command scalar scalars mogrify read_sql_query execute_sql
    insert_query insert_job execute_statement run_and_wait""".split()  # noqa: SIM905
)
"""Methods that hand a text of SQL to a database."""

SURE = frozenset(("execute", "executemany", "executescript", "exec_driver_sql", "execute_sql"))
"""Methods that take nothing but SQL."""

RUNNERS = re.compile(r"cur(sor)?$|conn(ection)?$|engine$|^db|database|hook$|client$", re.IGNORECASE)
"""Names of objects that run SQL, where nothing else tells what they are."""

OPENING = frozenset(
    """cursor connect connection begin get_conn get_cursor get_sqlalchemy_engine raw_connection
    session sessionmaker Session get_client get_connection acquire transaction dict_cursor
    execution_options __enter__ getOrCreate create configs config builder""".split()  # noqa: SIM905
)
"""Methods of a connection that give a connection or a cursor."""

READERS = re.compile(
    r"^(?:pandas(?:\.io\.sql)?|polars|modin\.pandas|dask\.dataframe|awswrangler\.\w+|geopandas"
    r"|pandas_gbq|connectorx|pandas\.io\.gbq)"
    r"(?:\.\w+)?\.(read_sql|read_sql_query|read_gbq|read_database|read_database_uri|read_postgis)$"
)
FOLLOWED = re.compile(r"^pandas\.(io\.sql\.)?read_(sql\w*|gbq)$|^duckdb\b")
"""Functions whose frames are traced: their SQL is a part of the program, not a statement of its own."""

TABLE_READERS = re.compile(r"^pandas(\.io\.sql)?\.read_sql_table$")
KEEPING = frozenset(
    """copy drop_duplicates dropna head tail sort_values reset_index sample query to_dataframe df
    to_pandas fetchdf to_arrow result fetch_pandas_all arrow pl collect to_df persist cache_result
    fetch_df limit clone""".split()  # noqa: SIM905
)
"""Methods of a frame after which its columns are the same."""

BATCHES = re.compile(r"^psycopg2(?:cffi)?\.extras\.execute_(?:values|batch)$")
"""execute_values(cursor, "INSERT INTO t (a, b) VALUES %s", rows)"""

WRITERS = frozenset(("to_sql", "to_gbq", "write_database", "save_as_table", "saveAsTable"))


def take_client(run: Run, collector: Collector, called: Called) -> Value:
    """Return what a call gives that speaks to a database."""
    if called.library:
        found = take_library(run, collector, called)
        if found is not NOT_TAKEN:
            return found

    held = called.receiver
    if isinstance(held, Builder) and held.kind == FRAME:
        return on_frame(run, collector, called, held)

    if isinstance(held, Builder) and held.kind == CLIENT:
        return on_client(run, collector, called, held)

    if called.name in WRITERS and isinstance(held, (Unknown, Relation, Grouped)):
        return write_unknown(run, called)

    if called.name in EXECUTING and held.__class__ in RECEIVERS:
        collector.reached.add(id(called.node))  # its results are traced with the program
        return NOT_TAKEN

    if called.name in EXECUTING and may_run(held, called):
        return execute(run, collector, called, dialect_by_imports(run))

    return NOT_TAKEN


def may_run(held: Value, called: Called) -> bool:
    """Tell whether an object may run SQL: nobody knows what it is, or it is an object of the program."""
    if isinstance(held, Session):
        return "snowpark" in dialect_source(called)

    if isinstance(held, Library):
        return called.library.partition(".")[0] in ("duckdb", "chdb")

    return isinstance(held, (Unknown, Instance)) and not hasattr(held, "rows")


def dialect_source(called: Called) -> str:
    """Return the name that the text uses for the object of a call."""
    return str(getattr(called.receiver, "name", ""))


IMPORTED = re.compile(r"^\s*(?:from|import)\s+([\w.]+)", re.MULTILINE)
BY_IMPORT = (
    ("psycopg", "postgres"), ("asyncpg", "postgres"), ("snowflake", "snowflake"),
    ("sqlite3", "sqlite"), ("pymysql", "mysql"), ("MySQLdb", "mysql"), ("mysql", "mysql"),
    ("duckdb", "duckdb"), ("cx_Oracle", "oracle"), ("oracledb", "oracle"), ("pymssql", "tsql"),
    ("trino", "trino"), ("google.cloud.bigquery", "bigquery"), ("google.cloud", "bigquery"),
    ("clickhouse", "clickhouse"), ("databricks", "databricks"), ("redshift", "redshift"),
)  # fmt: skip
"""The dialect that the one database library of a file tells."""


def dialect_by_imports(run: Run) -> str:
    """Return the dialect of the database library that a file imports, if it is one."""
    imported = IMPORTED.findall(run.reading.script.text)
    found = {
        dialect for word, dialect in BY_IMPORT if any(name.startswith(word) for name in imported)
    }
    if len(found) == 1:
        return found.pop()

    return ""


# -- libraries -------------------------------------------------------------------------------------


def take_library(run: Run, collector: Collector, called: Called) -> Value:
    """psycopg2.connect(…), create_engine(…), pd.read_sql(…), text(…)"""
    name = called.library
    if TEXT.match(name):
        return called.value(0, "text", "string")

    if FOLLOWED.match(name) and not collector.job:
        collector.reached.add(id(called.node))
        return NOT_TAKEN

    if READERS.match(name):
        return read_frame(run, collector, called)

    if TABLE_READERS.match(name):
        return read_table(run, collector, called)

    if ENGINES.match(name):
        return Builder(CLIENT, {"dialect": dialect_of_address(called.value(0, "url"))})

    if name.startswith("google.cloud.bigquery") and name.endswith("QueryJobConfig"):
        return Builder(DESTINATION, {"target": destination_of(called.value(-1, "destination"))})

    last = name.rpartition(".")[2]
    hook = HOOK.match(last)
    if hook is not None:
        connection = next(
            (held for key, held in called.keywords.items() if key.endswith("conn_id")), None
        )
        return Builder(CLIENT, {"dialect": dialect_in(hook[1]) or dialect_in(connection)})

    if name.startswith("duckdb.") and last in EXECUTING:
        return execute(run, collector, called, "duckdb")

    if BATCHES.match(name):
        return execute(run, collector, called, "postgres")

    if last == "write_pandas":
        return write_pandas(run, collector, called)

    for pattern, dialect in CONNECTIONS:
        if pattern.search(name):
            return Builder(CLIENT, {"dialect": dialect})

    return NOT_TAKEN


def dialect_of_address(held: Value) -> str:
    """postgresql+psycopg2://host/db      postgres"""
    scheme = ""
    if isinstance(held, str):
        scheme = str(held).partition(":")[0].partition("+")[0]

    return SCHEMES.get(scheme.lower(), "")


def destination_of(held: Value) -> str:
    """destination="p.mart.daily", TableReference…"""
    if isinstance(held, str):
        return str(held).replace(":", ".", 1).partition("$")[0]

    if isinstance(held, dict):
        return table_of(held)

    return ""


def read_frame(run: Run, collector: Collector, called: Called) -> Value:
    """pd.read_sql("SELECT …", con)"""
    held = called.value(0, "sql", "query", "query_or_table")
    dialect = "bigquery" if called.library.endswith("read_gbq") else client_dialect(called)
    texts = list(texts_in(held))
    if not any(SQL_START.match(text) or text.strip().lower().endswith(".sql") for text in texts):
        tables = [text for text in texts if re.fullmatch(r"[\w.\"`{}-]+", text.strip())]
        if tables:
            return frame_of(f"SELECT * FROM {tables[0]}", dialect, called)  # noqa: S608

    about = About(dialect or dialect_by_imports(run), is_sure=True)
    collector.add(run, called, held, called.expression(0, "sql", "query"), about)
    return frame_of(held, about.dialect, called)


def read_table(run: Run, collector: Collector, called: Called) -> Value:
    """pd.read_sql_table("orders", con, schema="raw")"""
    name, schema = called.value(0, "table_name"), called.keywords.get("schema")
    if not isinstance(name, str):
        return Unknown("frame", "a table that only a run knows")

    full = str(name)
    if isinstance(schema, str):
        full = f"{schema}.{name}"

    return frame_of(f"SELECT * FROM {full}", client_dialect(called), called)  # noqa: S608


def frame_of(held: Value, dialect: str, called: Called) -> Builder:
    """Return a frame that is read by SQL."""
    return Builder(FRAME, {"sql": held, "dialect": dialect, "called": called})


def client_dialect(called: Called) -> str:
    """Return the dialect of the connection among the arguments of a call."""
    for held in (*called.arguments, *called.keywords.values()):
        if isinstance(held, Builder) and held.kind == CLIENT:
            return str(held.parts["dialect"])

        if isinstance(held, str) and dialect_of_address(held):
            return dialect_of_address(held)

    return ""


# -- connections and cursors -----------------------------------------------------------------------


def on_client(run: Run, collector: Collector, called: Called, held: Builder) -> Value:
    """cur.execute("…"), conn.cursor()"""
    if called.name in EXECUTING:
        return execute(run, collector, called, str(held.parts["dialect"]))

    if called.name == "load_table_from_dataframe":
        return load_frame(run, collector, called)

    if called.name in ("table", "read_table") and isinstance(called.value(0, "name"), str):
        name = called.value(0, "name")
        return frame_of(f"SELECT * FROM {name}", str(held.parts["dialect"]), called)  # noqa: S608

    if called.name in OPENING:
        return held

    return Unknown(called.name, "the answer of a database is only known when it runs")


SQL_NAMES = ("sql", "query", "statement", "operation", "command", "stmt")


def execute(run: Run, collector: Collector, called: Called, dialect: str) -> Value:
    """cursor.execute("INSERT INTO …")      the result is a frame of its query"""
    position = 0
    if called.name in ("execute_values", "execute_batch") and called.library:
        position = 1

    held = called.value(position, *SQL_NAMES)
    if held is None:
        return NOT_TAKEN

    spelled = getattr(getattr(called.node, "func", None), "value", None)
    runner = str(getattr(spelled, "id", getattr(spelled, "attr", "")))
    sure = called.name in SURE and RUNNERS.search(runner) is not None
    configured = called.keywords.get("job_config")
    target = ""
    if isinstance(configured, Builder) and configured.kind == DESTINATION:
        target = configured.parts["target"]

    about = About(dialect, target, is_sure=sure)
    found = collector.add(run, called, held, called.expression(position, *SQL_NAMES), about)
    if not found and not sure and not isinstance(called.receiver, Builder):
        return NOT_TAKEN

    return frame_of(held, dialect, called)


# -- frames ----------------------------------------------------------------------------------------


def on_frame(run: Run, collector: Collector, called: Called, held: Builder) -> Value:
    """frame.to_sql("copy", con)"""
    if called.name in KEEPING or called.name in ("write", "mode"):
        return held

    if called.name in WRITERS:
        target = target_of(called)
        write_frame(run, collector, called, held, target)
        return None

    if called.name in ("create_or_replace_view", "create_or_replace_temp_view", "create_view"):
        write_frame(run, collector, called, held, str(called.value(0, "name", "view_name")))
        return None

    return Unknown(called.name, "a frame of another library")


def target_of(called: Called) -> str:
    """to_sql("daily", con, schema="mart")      mart.daily"""
    name = called.value(0, "name", "destination_table", "table_name")
    schema = called.keywords.get("schema")
    text = id_text(name, "")
    if isinstance(schema, str) and text:
        return f"{id_text(schema, '')}.{text}"

    return text


def write_frame(run: Run, collector: Collector, called: Called, held: Builder, target: str) -> None:
    """Keep the query of a frame with the table that it is written to."""
    read: Called = held.parts["called"]
    expression = read.expression(0, "sql", "query")
    about = About(str(held.parts["dialect"]), target, "table" if target else "query")
    collector.add(run, read, held.parts["sql"], expression, about)


def write_unknown(run: Run, called: Called) -> Value:
    """df.to_sql("daily", con)      the columns of df are made by a library that is not traced"""
    if called.name not in ("to_sql", "to_gbq", "write_database"):
        return NOT_TAKEN

    message = f"the columns that are written to {target_of(called) or 'a table'} are not traced"
    run.report(Code.DYNAMIC, message, called.node)
    return None


def write_if_traced(
    run: Run, collector: Collector, called: Called, frame: Value, target: str
) -> None:
    """Write a frame to a table; report a frame whose columns are not traced."""
    if isinstance(frame, Builder) and frame.kind == FRAME and target:
        write_frame(run, collector, called, frame, target)
    else:
        message = f"the columns of {target or 'a table'} are not traced"
        run.report(Code.DYNAMIC, message, called.node)


def load_frame(run: Run, collector: Collector, called: Called) -> Value:
    """client.load_table_from_dataframe(frame, "p.mart.daily")"""
    frame, target = called.value(0, "dataframe"), destination_of(called.value(1, "destination"))
    write_if_traced(run, collector, called, frame, target)
    return Unknown("job", "a job of a database")


def write_pandas(run: Run, collector: Collector, called: Called) -> Value:
    """write_pandas(conn, frame, "DAILY", schema="MART")"""
    frame, name = called.value(1, "df"), called.value(2, "table_name")
    schema = called.keywords.get("schema")
    text = id_text(name, "")
    target = text
    if isinstance(schema, str) and text:
        target = f"{schema}.{text}"

    write_if_traced(run, collector, called, frame, target)
    return Unknown("result", "the answer of a database")


def new_collector() -> Collector:
    """Return a collector that knows Airflow and the clients."""
    collector = Collector()
    collector.handlers += [take_airflow, take_client]
    collector.decorators.append(decorate_airflow)
    return collector
