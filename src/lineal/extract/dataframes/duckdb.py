"""SQL over frames: DuckDB, and libraries in the manner of pandasql.

    duckdb.sql("SELECT * FROM orders").df()      orders is a frame of the program, else a table

A name in the text is a frame of the current function or of its module, if there is one of that
name; a view that was registered comes first. Everything else is a table or a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from lineal.extract.dataframes.pandas.calls import Call
from lineal.extract.dataframes.pandas.files import with_exact_names, with_folded_names
from lineal.extract.dataframes.pandas.values import DataFrame, Table
from lineal.extract.dataframes.sources import (
    read_path,
    read_sql,
    read_table_name,
    write_path,
    write_table,
)
from lineal.extract.pyspark.dispatch import (
    ATTRIBUTES,
    FRAMES,
    LIBRARY_ROOTS,
    RECEIVERS,
    RELATIONS,
    relation_in,
)
from lineal.extract.pyspark.frame_libraries import TRACED, FrameLibrary
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.libraries import call_unknown
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import Method, Unknown, Value

WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(eq=False)
class Connection:
    """duckdb.connect()      the views that were registered with it are known to the whole program"""

    views: dict[str, Value]


@dataclass(eq=False)
class QueryResult:
    """duckdb.sql("SELECT …"): a relation of DuckDB."""

    relation: Relation


def frames_named(run: Run, text: Value, views: dict[str, Value]) -> dict[str, Relation]:
    """Return the frames of the program that a text of SQL names."""
    if not isinstance(text, str):
        return {}

    found: dict[str, Relation] = {}
    words = set(WORD.findall(str(text)))
    for environment in run.environments_at_hand():
        for name in words & environment.names.keys():
            relation = relation_in(environment.names[name])
            if relation is not None:
                found.setdefault(name.lower(), with_folded_names(relation))

    for name, held in views.items():
        relation = relation_in(held)
        if relation is not None and name.lower() in {word.lower() for word in words}:
            found[name.lower()] = with_folded_names(relation)

    return found


def run_sql(call: Call, views: dict[str, Value]) -> Value:
    """duckdb.sql("SELECT … FROM df"), con.execute("CREATE TABLE t AS SELECT …")"""
    text = call.get(0, "query")
    frames = frames_named(call.run, text, views)
    return QueryResult(read_sql(call.run, text, "duckdb", call.node, frames))


def query_frames(call: Call) -> Value:
    """sqldf("SELECT … FROM df", globals())      the answer is a frame of pandas"""
    text = call.get(0, "query")
    frames = frames_named(call.run, text, {})
    return DataFrame(Table(with_exact_names(read_sql(call.run, text, "sqlite", call.node, frames))))


def call_duckdb(run: Run, name: str, call: Invocation) -> Value:
    """duckdb.sql(…), duckdb.connect(…), duckdb.read_parquet(…)"""
    last = name.rpartition(".")[2]
    if last in ("connect", "DuckDBPyConnection"):
        return Connection({})

    return on_connection(run, Connection({}), last, call)


def on_connection(run: Run, held: Connection, name: str, call: Invocation) -> Value:
    """con.sql("SELECT …"), con.register("orders", df), con.table("orders")"""
    if name in CONNECTION_METHODS:
        return CONNECTION_METHODS[name](Call(run, call.arguments, call.keywords, call.node), held)

    if name in ("from_df", "df") and call.arguments:
        return QueryResult(with_folded_names(relation_in(call.arguments[0]) or Relation([], {})))

    return call_unknown(run, f"duckdb.{name}", call)


def register(call: Call, held: Connection) -> Value:
    """con.register("orders", df)"""
    call.run.touch(held.views)
    held.views[str(call.get(0, "view_name"))] = call.get(1, "python_object")
    return held


CONNECTION_METHODS: dict[str, Callable[[Call, Connection], Value]] = {
    **dict.fromkeys(
        ("sql", "query", "execute", "from_query", "query_df"),
        lambda call, held: run_sql(call, held.views),
    ),
    **dict.fromkeys(
        ("read_parquet", "read_csv", "read_json", "from_parquet", "from_csv_auto", "read_csv_auto"),
        lambda call, held: QueryResult(read_path(call.run, call.get(0, "path"), call.node)),
    ),
    **dict.fromkeys(
        ("table", "view"),
        lambda call, held: QueryResult(read_table_name(call.run, call.get(0, "name"), call.node)),
    ),
    **dict.fromkeys(("cursor", "begin", "commit", "close", "__enter__"), lambda call, held: held),
    "register": register,
}


FETCHING = frozenset(("df", "fetchdf", "fetch_df", "to_df", "fetch_df_chunk"))
POLARS = frozenset(("pl", "arrow", "fetch_arrow_table", "to_arrow_table", "fetch_arrow_reader"))
"""Methods that hand out a frame of Polars, or a table of Arrow, which is followed as one."""
ROWS = frozenset(("fetchone", "fetchall", "fetchmany", "fetchnumpy"))
"""Methods that hand out plain rows: their columns go no further."""

WRITING = {"write_parquet": "file_name", "write_csv": "file_name", "to_parquet": "file_name",
           "to_csv": "file_name"}  # fmt: skip


def frame_of_polars(run: Run, relation: Relation, name: str) -> Value:
    """duckdb.sql("SELECT …").pl()"""
    library = TRACED.get("polars")
    if library is None or library.open_frame is None:
        return Unknown(name, "Polars is not traced", inputs=(relation,))

    return library.open_frame(run, relation)


def on_result(run: Run, held: QueryResult, name: str, given: Invocation) -> Value:
    """duckdb.sql("SELECT …").df(), .write_parquet("out.parquet")"""
    call = Call(run, given.arguments, given.keywords, given.node)
    if name in FETCHING:
        return DataFrame(Table(with_exact_names(held.relation)))

    if name in POLARS:
        return frame_of_polars(run, held.relation, name)

    if name in WRITING:
        write_path(run, held.relation, call.get(0, WRITING[name]), given.node)
        return None

    if name in ("create", "to_table", "create_view", "insert_into", "to_view"):
        write_table(
            run, held.relation, call.get(0, "table_name"), given.node, name == "insert_into"
        )
        return None

    if name in ("show", "close", "explain"):
        return None

    if name in ROWS:
        return Unknown(name, "rows of a query", inputs=(held.relation,))

    if name in ("limit", "order", "sort"):
        return held

    call.report_unsupported(f"DuckDBPyRelation.{name}")
    return Unknown(name, f"{name} is not traced", inputs=(held.relation,))


def call_pandasql(run: Run, name: str, call: Invocation) -> Value:
    """pandasql.sqldf("SELECT … FROM df", locals())"""
    if name.endswith("sqldf"):
        return query_frames(Call(run, call.arguments, call.keywords, call.node))

    return call_unknown(run, name, call)


TRACED["duckdb"] = FrameLibrary("duckdb", "DuckDB")
LIBRARY_ROOTS.update({"duckdb": call_duckdb, "pandasql": call_pandasql})
RECEIVERS.update({Connection: on_connection, QueryResult: on_result})
ATTRIBUTES[QueryResult] = lambda run, held, name, node: Method(held, name)
FRAMES.add(QueryResult)
RELATIONS[QueryResult] = lambda held: held.relation
