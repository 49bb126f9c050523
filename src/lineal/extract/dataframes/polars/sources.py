"""Where Polars frames come from, and where they are written."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import chain
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, unite_lineages
from lineal.extract.dataframes.polars.dtypes import note_types
from lineal.extract.dataframes.polars.expressions import column_of_other, expr_of, exprs_of
from lineal.extract.dataframes.polars.joins import CONCATS
from lineal.extract.dataframes.polars.projection import select
from lineal.extract.dataframes.polars.values import Expr, PolarsFrame
from lineal.extract.dataframes.sources import (
    read_path,
    read_sql,
    read_table_name,
    write_path,
    write_table,
)
from lineal.extract.pyspark.dispatch import LibraryCall, relation_in
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.changes import rename as rename_relation
from lineal.extract.pyspark.frames.project import lineage_of
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.local_data import local_relation, schema_of_rows
from lineal.extract.pyspark.relation import Relation, fresh, open_star
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.values import SchemaValue, Unknown, Value, inputs_of, note_of
from lineal.model.sequences import all_are, as_list, instances
from lineal.model.way import Clause, Confidence

READERS = """csv parquet ipc ipc_stream ndjson json excel ods avro delta iceberg lines lance
    csv_batched pyarrow_dataset""".split()  # noqa: SIM905
TYPE_KEYWORDS = ("schema", "schema_overrides", "dtypes")
FIRST_NAMES = ("source", "path", "file", "sources")


def read(run: Run, call: Invocation) -> Value:
    """pl.read_csv("orders.csv", columns=["id"]), pl.scan_parquet("orders/*.parquet")"""
    path = first_of(call.arguments, call.keywords, FIRST_NAMES)
    renamed = names_in(call.keywords.get("new_columns"))
    wanted = names_in(call.keywords.get("columns"))
    columns = names_in(call.keywords.get("schema")) or (renamed if not wanted else None)
    several = items_of(path) if isinstance(path, (list, tuple)) else [path]
    frames = [read_path(run, each, call.node, columns) for each in several or [path]]
    found = frames[0]
    for other in frames[1:]:
        found = CONCATS["vertical"](run, found, other, call.node)

    frame = PolarsFrame(found)
    if wanted:
        frame = select(run, frame, exprs_of(run, wanted, call.node), call.node)
        pairs = list(zip(wanted, renamed or (), strict=False))
        frame = PolarsFrame(rename_relation(run, frame.relation, pairs, call.node))

    note_types(frame.relation, *map(call.keywords.get, TYPE_KEYWORDS))
    return with_number(
        frame, call.keywords.get("row_index_name", call.keywords.get("row_count_name"))
    )


def first_of(arguments: Arguments, keywords: Keywords, names: tuple[str, ...]) -> Value:
    """Return the first argument, or the first of these keywords that is given."""
    if arguments:
        return arguments[0]

    return next((keywords[name] for name in names if name in keywords), None)


def names_in(held: Value) -> list[str] | None:
    """schema={"id": pl.Int64}, columns=["id"]      Return the names; None if not all are known."""
    several = list(held) if isinstance(held, dict) else items_of(held)
    if not several or not all_are(several, str):
        return None

    return list(map(str, several))


def with_number(frame: PolarsFrame, name: Value) -> PolarsFrame:
    """pl.read_csv(path, row_index_name="n")"""
    if not isinstance(name, str):
        return frame

    number = fresh(Slot(name, name.lower(), {}))
    return frame.derive(frame.relation.derive([number, *frame.relation.attributes]))


def read_database(run: Run, call: Invocation) -> Value:
    """pl.read_database("SELECT …", connection), pl.read_database_uri(query, uri)"""
    query = call.argument(0, "query")
    if isinstance(query, str) and len(query.split()) == 1:
        return PolarsFrame(read_table_name(run, query, call.node))

    uri = call.argument(1, "uri", call.keywords.get("connection"))
    return PolarsFrame(read_sql(run, query, dialect_of(uri), call.node))


def dialect_of(uri: Value) -> str:
    """postgresql://…      Return the dialect that an address tells; postgres if it tells none."""
    scheme = str(uri).partition(":")[0].partition("+")[0] if isinstance(uri, str) else ""
    return DIALECTS.get(scheme, "postgres")


DIALECTS = {
    "postgresql": "postgres", "postgres": "postgres", "mysql": "mysql", "sqlite": "sqlite",
    "mssql": "tsql", "oracle": "oracle", "redshift": "redshift", "bigquery": "bigquery",
    "snowflake": "snowflake", "clickhouse": "clickhouse", "duckdb": "duckdb", "trino": "trino",
}  # fmt: skip


def local_frame(run: Run, call: Invocation) -> Value:
    """pl.DataFrame({"a": [1, 2]}), pl.from_dicts(rows), pl.from_pandas(pdf)"""
    data = call.argument(0, "data")
    found = relation_in(data)
    if found is not None:
        return PolarsFrame(found.derive())

    schema = call.argument(1, "schema")
    names = names_in(schema)
    if isinstance(data, dict):
        return of_columns(run, data, call.node)

    if names is not None:
        return PolarsFrame(local_relation(SchemaValue([(name, "") for name in names])))

    listed = items_of(data) or []
    if listed and all_are(listed, dict):
        every = dict.fromkeys(chain.from_iterable(listed))
        return of_columns(
            run, {name: [row.get(name) for row in listed] for name in every}, call.node
        )

    rows = schema_of_rows(listed) if data is not None else SchemaValue([])
    if rows is None:
        level = getattr(data, "level", Confidence.UNKNOWN)
        run.dynamic(note_of("local data, columns of it", data), call.node, level)
        inputs = inputs_of(data)
        return PolarsFrame(Relation([open_star()], {}, inputs))

    return PolarsFrame(local_relation(rows))


def of_columns(run: Run, data: dict[Any, Value], node: ast.AST) -> PolarsFrame:
    """pl.DataFrame({"a": df["x"], "b": [1, 2]})      a column of another frame is its source"""
    evaluation = run.evaluation()
    attributes = []
    parents: dict[int, Relation] = {}
    for name, held in data.items():
        lineage: Lineage = {}
        for each in instances(as_list(held), Expr):
            homes = relations_of(each)
            parents.update((id(home), home) for home in homes)
            lineage = unite_lineages([lineage, lineage_of_series(each, homes, evaluation)])

        for unknown in instances(as_list(held), Unknown):
            run.dynamic(note_of("a value", unknown), node, unknown.level)

        attributes.append(fresh(Slot(str(name), str(name).lower(), lineage)))

    run.take_diagnostics(evaluation.diagnostics)
    rows = unite_lineages([each.rows for each in parents.values()])
    return PolarsFrame(Relation(attributes, dict(rows), tuple(parents.values()), evaluation))


def lineage_of_series(held: Expr, homes: list[Relation], evaluation: Any) -> Lineage:
    """df["a"] * 2      over the rows of df; columns of several frames are subqueries"""
    if homes and all(each is homes[0] for each in homes):
        return dict(lineage_of(held.tree, FrameScope(homes[0], evaluation, Clause.SELECT)))

    scope = FrameScope(Relation([], {}), evaluation, Clause.SELECT)
    return dict(lineage_of(held.tree.transform(foreign), scope))


def foreign(part: Any) -> Any:
    """Return a column of another frame as a subquery."""
    if isinstance(part, exp.Column) and "bound" in part.meta:
        return column_of_other(part)

    return part


def relations_of(held: Expr) -> list[Relation]:
    """Return the frames whose columns an expression names."""
    bound = [each.meta.get("bound") for each in held.tree.find_all(exp.Column)]
    return [each.relation for each in bound if each is not None]


def series(run: Run, call: Invocation) -> Value:
    """pl.Series("a", [1, 2])"""
    name = call.argument(0, "name")
    values = call.argument(1, "values")
    held = expr_of(run, values, call.node, names=False)
    if isinstance(name, str) and values is not None:
        return Expr(held.tree, name=name, root=name, rows=held.rows, doubt=held.doubt)

    return held


def collect_all(run: Run, call: Invocation) -> Value:
    """pl.collect_all([a, b])"""
    return items_of(call.argument(0, "lazy_frames")) or []


def select_alone(run: Run, call: Invocation) -> Value:
    """pl.select(pl.lit(1))"""
    from_nothing = PolarsFrame(Relation([], {}))
    exprs = [*exprs_of(run, call.arguments, call.node)]
    exprs += [
        Expr(made.tree, name=name, root=made.root)
        for name, held in call.keywords.items()
        if isinstance(made := expr_of(run, held, call.node), Expr)
    ]
    return select(run, from_nothing, exprs, call.node)


SOURCES: dict[str, LibraryCall] = {
    **{f"{verb}_{kind}": read for kind in READERS for verb in ("read", "scan")},
    **dict.fromkeys(("read_database", "read_database_uri"), read_database),
    **dict.fromkeys(
        ("DataFrame", "LazyFrame", "from_dict", "from_dicts", "from_records", "from_pandas",
         "from_arrow", "from_numpy", "from_dataframe", "json_normalize"),
        local_frame,
    ),
    "Series": series,
    "collect_all": collect_all,
    "select": select_alone,
}  # fmt: skip

# -- writing ---------------------------------------------------------------------------------------

WRITERS = """csv parquet ipc ipc_stream ndjson json excel avro delta iceberg""".split()  # noqa: SIM905
TARGET_NAMES = ("file", "path", "target", "workbook")


def write(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.write_csv("out.csv"), lf.sink_parquet("out/"), df.write_delta(path, mode="append")"""
    path = first_of(call.arguments, call.keywords, TARGET_NAMES)
    if path is None:
        return Unknown("write()", "a text of the data", inputs=(frame.relation,))

    write_path(run, frame.relation, path, call.node, append=call.keywords.get("mode") == "append")
    return None


def write_database(run: Run, frame: PolarsFrame, call: Invocation) -> Value:
    """df.write_database("mart.orders", connection, if_table_exists="append")"""
    name = call.argument(0, "table_name")
    append = call.keywords.get("if_table_exists") == "append"
    write_table(run, frame.relation, name, call.node, append)
    return None


SINKS: dict[str, Callable[[Run, PolarsFrame, Invocation], Value]] = {
    **{f"{verb}_{kind}": write for kind in WRITERS for verb in ("write", "sink")},
    "write_database": write_database,
}
