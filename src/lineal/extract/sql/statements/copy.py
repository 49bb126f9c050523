"""COPY, LOAD, UNLOAD and EXPORT: between a table and a path."""

from __future__ import annotations

import re
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Frame, Slot
from lineal.algebra.relation import one_row, project
from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.nodes import holds, list_arg
from lineal.extract.sql.statements.steps import Plan, Unsupported, listed_columns
from lineal.extract.sql.tables import is_named, spell_table, target_of
from lineal.extract.sql.words import FAILURES
from lineal.model.edge import Column, Doubt
from lineal.model.paths import path_name
from lineal.model.way import IDENTITY, Clause, Confidence

LOADED = Doubt(
    Confidence.MEDIUM,
    False,
    "a file's columns are known only from the table that they are loaded into",
)


def copy(node: exp.Copy, facts: Facts) -> Plan | type[Unsupported] | None:
    """Plan COPY.

    COPY t FROM 's3://…', COPY INTO t FROM @stage, COPY (SELECT …) TO 'x.csv'
    """
    files = list_arg(node, "files")
    paths = [path for path in map(path_of, files) if path]
    table = node.this.this if isinstance(node.this, exp.Schema) else node.this
    if holds(table, exp.Table, exp.Var):
        stage = path_of(table)
    else:
        stage = ""

    if stage:  # COPY INTO @stage FROM t
        if files:
            return plan_write(stage, files[0], node)

        return None

    if not node.args.get("kind"):
        if paths:
            return plan_write(paths[0], node.this, node)

        return None

    if not is_named(table):
        return Unsupported

    columns = listed_columns(node.this, facts) if isinstance(node.this, exp.Schema) else []
    name, key = spell_table(table, facts)
    if files and isinstance(files[0], exp.Subquery):
        return Plan(
            name,
            key,
            "table",
            query=files[0],
            columns=columns,
            node=node,
            defines=False,
            positional=True,
        )

    if paths:
        return plan_load(name, key, columns, paths, node)

    return None


def load_data(node: exp.LoadData, facts: Facts) -> Plan | type[Unsupported] | None:
    """Plan LOAD DATA.

    LOAD DATA INPATH '/x' INTO TABLE t; LOAD DATA INTO t FROM FILES (uris = ['gs://b/x.csv'])
    """
    table, schema = target_of(node.this)
    paths = [
        path
        for path in (path_of(node.args.get("inpath")), *listed_paths(node.args.get("files")))
        if path
    ]
    if not is_named(table) or not paths:
        return Unsupported

    name, key = spell_table(table, facts)
    plan = plan_load(
        name, key, listed_columns(schema, facts) if schema is not None else [], paths, node
    )
    plan.overwrites = bool(node.args.get("overwrite")) and node.args.get("partition") is None
    return plan


def listed_paths(files: Any) -> list[str]:
    """Return the paths that a load lists.

    FILES (format = 'CSV', uris = ['gs://b/x.csv', 'gs://b/y.csv'])
    """
    options = files.expressions if isinstance(files, exp.Expr) else []
    uris = [option.args.get("value") for option in options if option.name.lower() == "uris"]
    return [path_of(item) for uri in uris if isinstance(uri, exp.Array) for item in uri.expressions]


def export(node: exp.Export, facts: Facts) -> Plan | None:
    """Plan EXPORT DATA.

    EXPORT DATA OPTIONS (uri = 'gs://b/*.csv') AS SELECT …
    """
    options = node.args.get("options")
    for option in options.expressions if options is not None else ():
        if option.this.name.lower() == "uri":
            return plan_write(path_name(option.args["value"].name), node.this, node)

    return None


UNLOADED = re.compile(r"^\s*\((.*)\)\s*TO\s+'([^']+)'", re.IGNORECASE | re.DOTALL)


def unload(text: str, facts: Facts, node: exp.Command) -> Plan | type[Unsupported]:
    """Plan UNLOAD.

    UNLOAD ('SELECT …') TO 's3://…'; UNLOAD (SELECT …) TO 's3://…'
    """
    found = UNLOADED.match(text)
    if not found:
        return Unsupported

    inner = found[1].strip()
    if inner[:1] == inner[-1:] == "'":
        inner = inner[1:-1].replace("''", "'").replace("\\'", "'")

    try:
        query = exp.maybe_parse(inner, dialect=facts.name or None)
    except FAILURES:
        return Unsupported

    if not isinstance(query, (exp.Query, exp.Table)):  # UNLOAD ('{query}'): only a run knows it
        return Unsupported

    return plan_write(path_name(found[2]), query, node)


def path_of(node: Any) -> str:
    """Return the path of a COPY.

    's3://b/x', @stage/x
    """
    if holds(node, exp.Table, (exp.Var, exp.Literal)):
        node = node.this

    if isinstance(node, exp.Literal) or (isinstance(node, exp.Var) and node.name.startswith("@")):
        return path_name(node.name)

    return ""


def plan_write(path: str, query: exp.Expr, node: exp.Expr) -> Plan:
    """Return the plan of a write to a path: of a query, or of every column of a table."""
    if isinstance(query, exp.Schema):
        columns = [exp.column(each.copy()) for each in query.expressions]
        query = exp.select(*columns).from_(query.this, copy=False)
    elif isinstance(query, exp.Table):
        query = exp.select("*").from_(query, copy=False)

    return Plan(path, path, "file", query=query, node=node, replaces=True)


def plan_load(
    name: str, key: str, columns: list[tuple[str, str]], paths: list[str], node: exp.Expr
) -> Plan:
    """Every column of the table is filled from the file's column, which nobody has named."""

    def loaded_frame(evaluation: Any, ctes: Any) -> Frame:
        """Return the columns that the files give to the table, by position."""
        into = columns or evaluation.catalog.target_columns(evaluation.definition)
        slots: list[Slot] = []
        for path in paths:
            dataset, frame = evaluation.scan(path, path, node)
            if not into:
                slots.extend(frame.slots)

            for position, (column, column_key) in enumerate(into):
                origin = origin_in(frame, position, dataset, column)
                evaluation.read(origin, Clause.FROM, node)
                doubt = LOADED if not frame.complete else None
                slots.append(
                    Slot(column, column_key, {(origin, IDENTITY): (node, None, None, doubt)})
                )

        return project(one_row(), slots)

    return Plan(name, key, "table", made=loaded_frame, node=node, defines=False)


def origin_in(frame: Frame, position: int, dataset: Any, column: str) -> Column:
    """Return the file's column for a position of the table."""
    if frame.complete and position < len(frame.slots):
        return Column(dataset, frame.slots[position].name)

    return Column(dataset, column)


PLANNERS = {exp.Copy: copy, exp.LoadData: load_data, exp.Export: export}
