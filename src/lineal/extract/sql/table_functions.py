"""Functions in FROM: what they make rows of, and the columns of the rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlglot import exp

from lineal.algebra.clauses import LATERAL
from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, PatternColumns, Slot, Star, answer, star_slot
from lineal.algebra.lineage import Lineage, absorb, pour, unite_lineages
from lineal.algebra.relation import one_row, project, rename
from lineal.algebra.values import Part
from lineal.extract.sql.composites import element_fields, fields_of, fields_returned
from lineal.extract.sql.dialects.table_functions import (
    CHANGE_COLUMNS,
    CHANGES,
    COLUMNS,
    COLUMNS_IN,
    ELSEWHERE,
    FILES,
    KEEPS_ITS_NAME,
    NUMBERS_CALLED,
    OF_A_TYPE,
    ONE_ROW,
    PASSES_COLUMNS,
    QUERIES,
    RECORDS,
)
from lineal.extract.sql.expressions import gather, keep_own_part, value_of
from lineal.extract.sql.generators import (
    fields_of_items,
    has_fixed_count,
    is_map,
    lateral_view_columns,
    parts_of,
)
from lineal.extract.sql.methods import as_function
from lineal.extract.sql.model_functions import member_frame, model_columns
from lineal.extract.sql.nodes import holds, is_string, list_arg
from lineal.extract.sql.paths import arrow_meant, leads_to_part, names_in
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sent_queries import (
    CROSSTABS,
    crosstab_columns,
    own_names,
    query_in_text,
)
from lineal.extract.sql.sources import Counted, Source, field_of
from lineal.extract.sql.structs import field_names
from lineal.extract.sql.tables import named_in_text
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset
from lineal.model.paths import is_path, path_name
from lineal.model.sequences import first_of_each, present
from lineal.model.way import IDENTITY, Clause

Names = list[tuple[str, str]]
"""Spellings with their keys."""


def table_function(node: exp.Expr, call: Any, scope: Scope, rows: Lineage) -> Source:
    """Return a table function as a source.

    FROM jsonb_each(t.body) WITH ORDINALITY AS e(k, v, n), FROM order_volume(10) AS v

    CROSS APPLY t.doc.nodes('/a/b') AS p(n)      T-SQL: a row for each part of the document
    """
    variable = node.args.get("db") if isinstance(node, exp.Table) else None
    if isinstance(variable, exp.Parameter) and scope.evaluation.facts.xml_methods:
        rows_of = exp.Unnest(expressions=[variable.copy()], alias=node.args.get("alias"))
        return unnest(rows_of, scope, rows)

    if isinstance(call, exp.Dot) and (method := as_function(call, scope)) is not None:
        return unnest(
            exp.Unnest(expressions=method.expressions[:1], alias=node.args.get("alias")),
            scope,
            rows,
        )

    return side_by_side(node, [call.expression if isinstance(call, exp.Dot) else call], scope, rows)


def rows_from(node: exp.Table, scope: Scope, rows: Lineage) -> Source:
    """Return ROWS FROM as a source.

    FROM ROWS FROM (generate_series(1, a), unnest(xs)) WITH ORDINALITY AS r(n, x, i)
    """
    calls = [call.this if isinstance(call, exp.Table) else call for call in node.args["rows_from"]]
    return side_by_side(node, calls, scope, rows)


def unnest(node: exp.Unnest, scope: Scope, rows: Lineage) -> Source:
    """Return UNNEST as a source.

    CROSS JOIN UNNEST(xs) AS u(x)      x is made of xs, and xs decides how many rows there are
    """
    if scope.evaluation.facts.items_are_rows and (row := item_row(node, scope)) is not None:
        return row

    source = side_by_side(node, [node], scope, rows)
    facts = scope.evaluation.facts
    named = bool(listed_names(node.args.get("alias"), scope)) and not facts.items_are_rows
    if facts.items_have_fields and not named and len(node.expressions) == 1:
        source.items = source.frame.slots[0].lineage

    return source


def item_row(node: exp.Unnest, scope: Scope) -> Source | None:
    """Return the columns of an array's items.

    UNNEST(items) AS i (BigQuery)

    each struct is a row: i.price is a column of i, and so is price
    """
    items = lateral_view_columns(list(node.expressions), ["item"], scope)
    item = items.slots[0]
    if not field_names(item.lineage, (), scope.evaluation.catalog):
        return open_item_row(node, items, scope) if stands_alone(node, scope) else None

    fields = fields_of_items(node, item.lineage, [], scope)
    alias, offset, fold = node.args.get("alias"), node.args.get("offset"), scope.evaluation.fold
    names = listed_names(alias, scope)
    if alias is not None and alias.this is not None:
        title = alias.this.name
    elif names:
        title = names[0][0]
    else:
        title = ""

    if offset is True:
        count = "offset"
    elif offset:
        count = offset.name
    else:
        count = ""

    counted = [Slot(count, fold(count, False), item.lineage)] if count else []
    key = scope.evaluation.fold_table(title, False)
    return (Counted if counted else Source)(key, key, project(items, [*fields, *counted]))


def stands_alone(node: exp.Unnest, scope: Scope) -> bool:
    """(SELECT value FROM UNNEST(params) WHERE key = 'x')

    the only member of a subquery's FROM, over a column of the query around
    """
    query = node.find_ancestor(exp.Select)
    alone = not scope.order and query is not None and not query.args.get("joins")
    columns = len(node.expressions) == 1 and isinstance(node.expressions[0], (exp.Column, exp.Dot))
    return alone and columns and scope.parent is not None


def open_item_row(node: exp.Unnest, items: Frame, scope: Scope) -> Source | None:
    """UNNEST(params), where nothing tells the fields: any name may be one of them"""
    item = items.slots[0]
    names = listed_names(node.args.get("alias"), scope)
    alias = node.args.get("alias")
    title = alias.this if alias is not None else None
    if title is not None:
        names = [(title.name, scope.evaluation.fold(title.name, title.args.get("quoted")))]

    key = names[0][1] if names else ""
    whole = [Slot(name, key, item.lineage) for name, key in names[:1]]
    fields = fields_of_unknown_item(item)
    if not fields or node.args.get("offset"):
        return None

    return Source(key, key, project(items, [*whole, *fields]))


def fields_of_unknown_item(item: Slot) -> list[Slot]:
    """UNNEST(items) i, TABLE(items) i      i.price is a field of the items, whatever their type is"""
    origin = next((origin for origin, _ in item.lineage), None)
    if origin is None:
        return []

    dataset = Dataset(origin.dataset.namespace, ".".join((origin.dataset.name, origin.name)))
    return [star_slot(Star(dataset, made=PatternColumns(Part(item.lineage), "", "", parts=True)))]


def side_by_side(node: exp.Expr, calls: list[Any], scope: Scope, rows: Lineage) -> Source:
    """The columns of one function after those of the other, under one alias, and last a count if it
    is asked for.
    """
    evaluation = scope.evaluation
    alias = node.args.get("alias")
    offset = next((count for each in (node, *calls) if (count := each.args.get("offset"))), None)
    names = listed_names(alias, scope)
    if isinstance(offset, exp.Identifier):
        names.append((offset.name, evaluation.fold(offset.name, offset.args.get("quoted"))))

    counted = bool(offset or node.args.get("ordinality"))
    asked = names[:-1] if counted and len(names) > 1 else names
    title = alias.this if isinstance(alias, exp.TableAlias) and alias.this is not None else None
    slots: list[Slot] = []
    dataset = None
    scope.clause = Clause.FROM
    for call in calls:
        made, dataset = call_columns(call, node, asked if len(calls) == 1 else [], scope, rows)
        takes_alias = isinstance(call, exp.Unnest) or evaluation.facts.name not in KEEPS_ITS_NAME
        if (
            len(made) == 1
            and title is not None
            and len(calls) == 1
            and takes_alias
            and made[0].name == default_column_name(call)
        ):
            made = [
                made[0]._replace(
                    name=title.name, key=evaluation.fold(title.name, title.args.get("quoted"))
                )
            ]

        slots.extend(made)

    if counted:
        name = evaluation.facts.count_of_rows
        slots.append(Slot(name, name, lineage_of_count(calls, slots, scope)))

    if len(names) > len(slots) and not any(slot.star for slot in slots):
        evaluation.report(
            Code.COLUMN_COUNT, f"{len(names)} column names for {len(slots)} columns", node
        )

    if title is not None:
        key = evaluation.fold_table(title.name, title.args.get("quoted"))
    else:
        key = name_of(calls[0])

    return Source(
        key, key, rename(project(one_row(), slots), names), dataset if len(calls) == 1 else None
    )


def lineage_of_count(calls: list[Any], slots: list[Slot], scope: Scope) -> Lineage:
    """UNNEST(items) WITH ORDINALITY AS u (a, b, n)      n is made of the items, not of their fields"""
    if len(slots) > 1 and len(calls) == 1 and isinstance(calls[0], exp.Unnest):
        return unite_lineages(value_of(each, VALUE, scope) for each in calls[0].expressions)

    return unite_lineages(slot.lineage for slot in slots)


def listed_names(alias: Any, scope: Scope) -> Names:
    """Return the names of a column list.

    AS r(a, "B" int)      the names of a column list
    """
    names: Names = []
    for column in list_arg(alias, "columns") if alias is not None else ():
        identifier = column.this if isinstance(column, exp.ColumnDef) else column
        quoted = identifier.args.get("quoted") if isinstance(identifier, exp.Expr) else False
        names.append((column.name, scope.evaluation.fold(column.name, quoted)))

    return names


def name_of(call: Any) -> str:
    """Return the name of a table function.

    generate_series, also where the parser has a class of its own for it
    """
    if isinstance(call, exp.Anonymous):
        return str(call.name).lower()

    if isinstance(call, exp.GenerateSeries) and call.args.get("is_end_exclusive"):
        return "range"

    return (
        str(call.sql_name() if isinstance(call, exp.Func) else call.key)
        .lower()
        .removeprefix("exploding_")
    )


def default_column_name(call: Any) -> str:
    """The name of the only column of a function that gives it none: the alias takes its place."""
    name = name_of(call)
    if COLUMNS.get(name):
        return ""

    return name


def called_in_table(call: Any) -> Any:
    """LATERAL TABLE(f(a))      Flink: f(a)"""
    inner = call.expressions if isinstance(call, exp.Anonymous) and name_of(call) == "table" else []
    if len(inner) == 1 and isinstance(inner[0], exp.Func):
        return inner[0]

    return call


def call_columns(
    call: Any, node: exp.Expr, asked: Names, scope: Scope, rows: Lineage
) -> tuple[list[Slot], Dataset | None]:
    """The columns of a call, and the dataset that a function is of which nothing else is known."""
    call = called_in_table(call)
    if isinstance(call, exp.Unnest):
        return unnest_columns(call, asked, scope, rows), None

    if isinstance(call, exp.XMLTable):
        return document_columns(call, scope, rows), None

    if isinstance(call, (exp.JSONTable, exp.OpenJSON)):
        return json_columns(call, scope, rows), None

    if (given := columns_of_given(call, node, scope, rows)) is not None:
        return given, None

    name = name_of(call)
    if (found := named_rows(call, name, node, asked, scope, rows)) is not None:
        return found

    if returns_one(name, scope):
        return record(call, name, scope), None

    one_row = name in ONE_ROW or one_value(call, scope)
    made: Lineage = {}
    for argument in document_at_path(call, name, scope) or arguments(call, scope):
        absorb(value_of(argument, VALUE, scope), made)
        if not one_row and not has_fixed_count(argument, scope):
            gather(argument, LATERAL, rows, scope)

    if one_row or name in COLUMNS or (name, scope.evaluation.facts.name) in COLUMNS_IN:
        return known_columns(call, name, asked, made, scope), None

    return dataset_columns(call, node, asked, made, scope)


def document_at_path(call: Any, name: str, scope: Scope) -> list[exp.Expr]:
    """json_each(t.doc, '$.a')      SQLite: the part of the document; nothing for any other call"""
    given = list(arguments(call, scope))
    if (name, scope.evaluation.facts.name) not in COLUMNS_IN or len(given) != 2:
        return []

    if not is_string(given[1]):
        return []

    part = exp.JSONExtract(this=given[0].copy(), expression=given[1].copy())
    part.parent = call
    return [part]


def named_rows(
    call: Any, name: str, node: exp.Expr, asked: Names, scope: Scope, rows: Lineage
) -> tuple[list[Slot], Dataset | None] | None:
    """Return the columns of a table, a file or a query that a text in the call names.

    FROM dblink('SELECT a FROM t'), FROM read_csv('orders.csv'), FROM remote('host', db.orders)
    """
    if name in ELSEWHERE and (spelling := table_elsewhere(call)):
        dataset, frame = scope.evaluation.scan(
            scope.evaluation.fold_dataset(spelling, False), spelling, node
        )
        return list(frame.slots), dataset

    if name in CHANGES and (text := first_text(call)) is not None:
        return change_columns(text, node, scope)

    # the other arguments tell how the file is written
    if name in FILES and first_text(call) is not None:
        return dataset_columns(call, node, asked, {}, scope)

    if name in CROSSTABS:
        return crosstab_columns(call, asked or own_names(name), node, scope, rows), None

    if name in QUERIES and (query := query_in_text(call, scope)) is not None:
        asked_there = scope.evaluation.query(query, None, {})
        absorb(asked_there.rows, rows)
        return list(asked_there.slots), None

    return None


def known_columns(call: Any, name: str, asked: Names, made: Lineage, scope: Scope) -> list[Slot]:
    """Return the columns of a function whose columns are known, each made of the arguments.

    FROM jsonb_each(t.body)      key, value
    FROM jsonb_to_record(t.body) AS r(a int)      a, the part of t.body that is called so
    """
    first = next(arguments(call, scope), None)
    typed = fields_of(first, scope) if first is not None and name in OF_A_TYPE else []
    own = COLUMNS_IN.get((name, scope.evaluation.facts.name))
    columns = typed or own or list(COLUMNS.get(name, ())) or first_of_each(asked) or [name]
    part = keep_own_part(first, made, scope) if first is not None and leads_to_part(first) else None
    if part is not None and "array_elements" in name:
        made = part
    elif part is not None and name in RECORDS:
        document = Slot("", "", part)
        return [
            field_of(document, [column], call)._replace(key=scope.evaluation.fold(column, False))
            for column in columns
        ]

    numbers = NUMBERS_CALLED.get((name, scope.evaluation.facts.name))
    if numbers is not None:
        columns = [numbers]

    return [Slot(column, scope.evaluation.fold(column, False), made) for column in columns]


def columns_of_given(call: Any, node: exp.Expr, scope: Scope, rows: Lineage) -> list[Slot] | None:
    """ML.PREDICT(MODEL m, TABLE t), VECTOR_SEARCH(TABLE b, …), exclude_columns(input => TABLE(t))

    functions that pass on the columns of the tables that they are given; None for any other
    """
    if (found := model_columns(call, name_of(call), node, scope, rows)) is not None:
        return found

    if name_of(call) in PASSES_COLUMNS:
        return passed_columns(call, scope, rows)

    return None


def passed_columns(call: Any, scope: Scope, rows: Lineage) -> list[Slot] | None:
    """FROM TABLE(exclude_columns(input => TABLE(t), columns => DESCRIPTOR(b)))

    Trino: the columns of t but b
    """
    evaluation = scope.evaluation
    tables: list[Any] = []
    without: set[str] = set()
    for argument in call.iter_expressions():
        value = argument.expression if isinstance(argument, (exp.EQ, exp.Kwarg)) else argument
        name = value.name.upper() if isinstance(value, exp.Anonymous) else ""
        if name == "TABLE":
            tables += value.expressions
        elif name == "DESCRIPTOR":
            without |= {evaluation.fold(each.name, False) for each in value.expressions}

    if len(tables) != 1:
        return None

    table = tables[0]
    if isinstance(table, exp.Column):
        parts = [part.copy() for part in reversed(table.parts)]
        table = exp.Table(**dict(zip(("this", "db", "catalog"), parts, strict=False)))

    frame = member_frame(table, scope, rows)
    return [
        slot if slot.star is None else star_slot(without_all(slot.star, without))
        for slot in frame.slots
        if slot.key not in without
    ]


def without_all(star: Star, keys: set[str]) -> Star:
    """An open star without some columns."""
    for key in sorted(keys):
        star = star.without(key)

    return star


def table_elsewhere(call: Any) -> str:
    """Return the table that a remote function reads.

    remote('host', db.t), remote('host', db, 't')      db.t
    """
    _, *named = [*call.iter_expressions()] or [None]
    parts = [
        part.name for column in named[:1] if isinstance(column, exp.Column) for part in column.parts
    ]
    if len(parts) < 2:
        parts = [item.name for item in named[:2]]

    if all(parts):
        return ".".join(parts)

    return ""


def change_columns(text: str, node: exp.Expr, scope: Scope) -> tuple[list[Slot], Dataset | None]:
    """Return the columns of a change feed.

    FROM table_changes('shop.orders', 1)

    the columns of shop.orders, and what was done to each row
    """
    evaluation = scope.evaluation
    if is_path(text):
        spelling = key = path_name(text)
    else:
        spelling, key = named_in_text(text, evaluation.facts)

    dataset, frame = evaluation.scan(key, spelling, node)
    done = [Slot(name, evaluation.fold(name, False), {}) for name in CHANGE_COLUMNS]
    return [*frame.slots, *done], dataset


def returns_one(name: str, scope: Scope) -> bool:
    """Tell whether a function returns one row.

    CREATE FUNCTION located(word text) RETURNS place

    one row, unlike RETURNS SETOF and RETURNS TABLE
    """
    routine = scope.evaluation.catalog.shapes.get(name)
    return routine is not None and not routine.table and scope.evaluation.facts.sets_in_select


def record(call: Any, name: str, scope: Scope) -> list[Slot]:
    """Return the columns of a row that a function returns.

    FROM located(t.a) AS l      a column for each field of the value
    """
    fold = scope.evaluation.fold
    fields = [(field, exp.Dot(this=call.copy(), expression=exp.to_identifier(field, quoted=True)))
              for field in fields_returned(name, scope)]  # fmt: skip
    return [
        Slot(field, fold(field, True), value_of(part, IDENTITY, scope))
        for field, part in fields or [(name, call)]
    ]


def one_value(call: Any, scope: Scope) -> bool:
    """Tell whether a function in FROM returns one value.

    FROM lower(a) AS l      PostgreSQL: a function of one value makes one row
    """
    ordinary = isinstance(call, exp.Func) and not isinstance(call, exp.Anonymous)
    return ordinary and scope.evaluation.facts.sets_in_select and name_of(call) not in COLUMNS


def arguments(call: Any, scope: Scope) -> Iterator[Any]:
    """Return the arguments of a call.

    f(a, name = b)      a and b
    """
    for argument in call.iter_expressions():
        if isinstance(argument, (exp.EQ, exp.Kwarg)):  # read_parquet('x', union_by_name = true)
            argument = argument.expression

        argument = arrow_meant(argument, scope.evaluation.facts.arrows) or argument
        if not isinstance(argument, exp.Identifier):
            yield argument


def unnest_columns(call: exp.Unnest, asked: Names, scope: Scope, rows: Lineage) -> list[Slot]:
    """Return the columns of an unnested array.

    unnest(xs, ys)

    a column for each array, or for each field of its elements; for both halves of a map
    """
    fold = scope.evaluation.fold
    slots: list[Slot] = []
    for argument in call.expressions:
        made = value_of(argument, VALUE, scope)
        made = parts_of(argument, made, scope)
        if not has_fixed_count(argument, scope):
            gather(argument, LATERAL, rows, scope)

        fields = element_fields(argument, scope)
        if not fields and scope.evaluation.facts.items_are_columns:
            fields = list(field_names(made, (), scope.evaluation.catalog))

        item = Slot(name_of(call), name_of(call), made)
        if not fields and scope.evaluation.facts.items_are_columns and is_map(argument, scope):
            slots.extend([item, item])
            continue

        slots.extend(
            [
                field_of(item, [field], call)._replace(name=field, key=fold(field, False))
                for field in fields
            ]
        )
        slots.extend([] if fields else [item])

    if len(asked) > len(slots):
        everything = unite_lineages(slot.lineage for slot in slots)
        return [Slot(name, key, everything) for name, key in asked]

    return slots


def document_columns(call: Any, scope: Scope, rows: Lineage) -> list[Slot]:
    """Return the columns of XMLTABLE.

    XMLTABLE(path PASSING document COLUMNS a text PATH 'x')
    """
    fold = scope.evaluation.fold
    inputs = [call.this, *(list_arg(call, "passing"))]
    made: Lineage = {}
    for item in inputs:
        gather(item, VALUE, made, scope)
        gather(item, LATERAL, rows, scope)

    slots = []
    for column in list_arg(call, "columns"):
        lineage = dict(made)
        for constraint in list_arg(column, "constraints"):
            gather(constraint, VALUE, lineage, scope)

        slots.append(Slot(column.name, fold(column.name, column.this.args.get("quoted")), lineage))

    return slots


def json_columns(call: Any, scope: Scope, rows: Lineage) -> list[Slot]:
    """Return the columns of JSON_TABLE and OPENJSON.

    JSON_TABLE(doc, '$.items[*]' COLUMNS (a INT PATH '$.x')), OPENJSON(doc, '$.items') WITH (a
    INT '$.x')

    a ← doc.items.x, and doc.items decides how many rows there are.
    """
    scope.clause = Clause.LATERAL
    given = call.this.this if isinstance(call.this, exp.FormatJson) else call.this
    made = value_of(given, VALUE, scope)
    is_part = leads_to_part(given)
    document = Slot("", "", keep_own_part(given, made, scope) if is_part else made)
    item = field_of(document, path_names(call), call)
    pour(item.lineage, LATERAL, rows, call)
    fold = scope.evaluation.fold
    schema = call.args.get("schema")
    definitions = schema.expressions if schema is not None else call.expressions
    for nested in nested_paths(definitions, []):
        pour(field_of(item, nested, call).lineage, LATERAL, rows, call)

    if not definitions:
        return [Slot(name, name, item.lineage) for name in OPENED]

    return [
        Slot(
            column.name,
            fold(column.name, column.this.args.get("quoted")),
            field_of(item, names, call).lineage,
        )
        for column, names in nested_columns(definitions, [])
    ]


OPENED = ("key", "value", "type")
"""The columns of OPENJSON without WITH."""


def nested_columns(definitions: Any, around: list[str]) -> Iterator[tuple[Any, list[str]]]:
    """Yield the columns of nested paths.

    COLUMNS (a int PATH '$.x', NESTED PATH '$.b' COLUMNS (c int))      a at x, c at b.c
    """
    for column in definitions:
        inner = column.args.get("nested_schema")
        names = [*around, *path_names(column)]
        if inner is not None:
            yield from nested_columns(inner.expressions, names)
        elif column.this is not None:
            plain = not column.args.get("path") and not column.args.get("ordinality")
            yield column, [*around, column.name] if plain else names


def nested_paths(definitions: Any, around: list[str]) -> Iterator[list[str]]:
    """Return the nested paths.

    NESTED PATH '$.b[*]' COLUMNS (…)      a row for each b
    """
    for column in definitions:
        inner = column.args.get("nested_schema")
        if inner is not None:
            names = [*around, *path_names(column)]
            yield names
            yield from nested_paths(inner.expressions, names)


def path_names(node: exp.Expr) -> list[str]:
    """Return the names in a column's path.

    COLUMNS (a INT PATH '$.x.y')      x and y
    """
    path = node.args.get("path")
    if path:
        return names_in(path)[0]

    return []


def dataset_columns(
    call: Any, node: exp.Expr, asked: Names, made: Lineage, scope: Scope
) -> tuple[list[Slot], Dataset | None]:
    """Return the columns of a function that is a dataset.

    FROM order_volume(t.a) AS v

    a dataset of its own; where its body is not known, a goes into every column
    """
    evaluation = scope.evaluation
    parts = [*schema_of(node), own_name(call)]
    spelling = ".".join(first_of_each(parts))
    key = ".".join(evaluation.fold_dataset(*part) for part in parts)
    if spelling in FILES and (place := first_text(call)) is not None:
        spelling = path_name(place)
        key = evaluation.fold_dataset(spelling, False)

    dataset, frame = evaluation.scan(key, spelling, node)
    if dataset is None or frame.complete:
        return list(frame.slots), dataset

    star = Star(dataset, arguments=made)
    columns = [slot for slot in frame.slots if slot.star is None]
    declared = [] if columns else fields_returned(name_of(call), scope)
    if declared:
        asked = [(name, evaluation.fold(name, False)) for name in declared]

    columns = columns or [
        slot for name, key in asked if (slot := answer(star, name, key)) is not None
    ]
    return (columns if columns and asked else [*columns, star_slot(star)]), dataset


def schema_of(node: exp.Expr) -> list[tuple[str, bool]]:
    """Return the schema of a called function.

    FROM dbo.f(1), CROSS APPLY dbo.f(t.a)      dbo, and whether it was quoted
    """
    qualified = node.args.get("this")
    if isinstance(node, exp.Table):
        parts = present((node.args.get("catalog"), node.args.get("db")))
    else:
        if isinstance(qualified, exp.Dot):
            parts = list(qualified.this.find_all(exp.Identifier))
        else:
            parts = []

    return [(part.name, bool(part.args.get("quoted"))) for part in parts]


def own_name(call: Any) -> tuple[str, bool]:
    """Return the name of a called function.

    f(1), "F"(1)      the name of a function, and whether it was quoted
    """
    if holds(call, exp.Anonymous, exp.Identifier) and call.this.args.get("quoted"):
        return call.name, True

    return name_of(call), False


def first_text(call: Any) -> str | None:
    """Return the first text among arguments.

    f('a', …), f(['a', 'b'])      'a'
    """
    first = next(call.iter_expressions(), None)
    if isinstance(first, exp.Array):
        first = next(first.iter_expressions(), None)

    if is_string(first):
        return str(first.this)

    return None
