"""PIVOT and UNPIVOT: values that become columns, and columns that become values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from math import prod
from typing import Any, NamedTuple

from sqlglot import exp

from lineal.algebra.clauses import PIVOT_DECIDES
from lineal.algebra.frame import Frame, PatternColumns, Slot, Star, star_slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.relation import Title, pivot, pivot_cell, unpivot
from lineal.extract.sql.columns import columns_slots, star_slots
from lineal.extract.sql.dialects.pivots import Naming, Text, naming_of
from lineal.extract.sql.expressions import gather, value_of
from lineal.extract.sql.naming import expression_name, output_name
from lineal.extract.sql.nodes import items_in, list_arg
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source, origin_of
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset
from lineal.model.sequences import any_is, flatten, instances
from lineal.model.way import IDENTITY, Clause

MOST_COLUMNS = 10_000
"""Lists of values multiply: a thousand by a thousand would be a million columns."""


def apply_pivots(node: exp.Pivot, source: Source, scope: Scope) -> Frame:
    """Return a source after its pivots.

    FROM t PIVOT (…), FROM t UNPIVOT (…)

    the source's columns in another shape; the scope knows their names
    """
    if node.args.get("unpivot"):
        return read_unpivot(node, source, scope)

    return read_pivot(node, source, scope)


# -- PIVOT -----------------------------------------------------------------------------------------


class Field(NamedTuple):
    """FOR kind IN ('a', 'b')

    what is compared, and the values that become columns; none where data decides
    """

    decider: Any
    values: Sequence[Any]
    query: Any = None


def read_pivot(node: exp.Pivot, source: Source, scope: Scope) -> Frame:
    """Return the frame of a PIVOT.

    PIVOT (sum(amount) FOR kind IN ('a', 'b'))

    amount: AGGREGATION, kind: CONDITIONAL, the rest are keys
    """
    simplified = node.args.get("fields") is None  # DuckDB's PIVOT t ON kind USING sum(amount)
    fields = list(map(field_of, node.expressions if simplified else node.args["fields"]))
    if simplified:
        aggregates = node.args.get("using") or [exp.Count(this=exp.Star())]
    else:
        aggregates = node.expressions

    consumed = named_columns([*aggregates, *(field.decider for field in fields)], source, scope)
    deciding: Lineage = {}
    for field in fields:
        gather(field.decider, PIVOT_DECIDES, deciding, scope)
        if field.query is not None:
            gather(exp.Subquery(this=field.query), PIVOT_DECIDES, deciding, scope)

    lineages = [pivot_cell(value_of(each, IDENTITY, scope), deciding) for each in aggregates]
    keys = grouped_by(node, scope) or left_over(source.frame.slots, consumed)
    if source.dataset is not None:
        for slot in keys:
            scope.evaluation.read(origin_of(slot), Clause.PIVOT, node, learn=slot.star is None)

    return pivot(source.frame, keys, made_columns(node, fields, aggregates, lineages, scope), node)


def field_of(node: Any) -> Field:
    """Return the column that a pivot spreads, and its values.

    kind IN ('a', 'b'), kind IN (ANY), kind IN (SELECT …); DuckDB's ON kind, ON kind || other
    """
    if not isinstance(node, exp.In):
        return Field(node, ())

    values = node.expressions
    query = node.args.get("query") or next(
        (value for value in values if isinstance(value, exp.Query)), None
    )
    if query is not None:
        return Field(node.this, (), query.unnest() if isinstance(query, exp.Subquery) else query)

    return Field(node.this, () if any_is(values, exp.PivotAny) else values)


def grouped_by(node: exp.Pivot, scope: Scope) -> list[Slot]:
    """Return the keys of a pivot.

    PIVOT t ON kind USING sum(amount) GROUP BY region

    only region, and not every other column
    """
    group = node.args.get("group")
    if group is None:
        return []

    named = [
        output_name(key, position, scope.evaluation)
        for position, key in enumerate(group.expressions)
    ]
    fold = scope.evaluation.fold
    return [
        Slot(name, fold(name, quoted), value_of(key, IDENTITY, scope))
        for key, (name, quoted) in zip(group.expressions, named, strict=True)
    ]


def made_columns(
    node: exp.Pivot,
    fields: list[Field],
    aggregates: list[Any],
    lineages: list[Lineage],
    scope: Scope,
) -> list[Slot]:
    """One column for every combination of values and every aggregate; an open one where data
    decides the values.
    """
    evaluation = scope.evaluation
    naming = naming_of(evaluation.facts.name)
    suffixes = [
        aggregate_part(aggregate, naming, len(aggregates), scope) for aggregate in aggregates
    ]
    choices = [list(map(naming.value, field.values)) or [data_decides(field)] for field in fields]
    if prod(map(len, choices)) > MOST_COLUMNS:
        evaluation.report(
            Code.UNSUPPORTED_CONSTRUCT, f"PIVOT makes more than {MOST_COLUMNS} columns", node
        )
        choices = [[data_decides(field)] for field in fields]

    slots: list[Slot] = []
    for combination in product(*choices):
        for suffix, lineage in zip(suffixes, lineages, strict=True):
            parts = [*combination] if suffix is None else [*combination, suffix]
            if suffix is not None and naming.aggregate_first:
                parts = [suffix, *combination]

            slots.append(made_column(parts, lineage, scope))

    return slots


def made_column(parts: list[Text], lineage: Lineage, scope: Scope) -> Slot:
    """Build the slot of a pivot's column.

    2024_total; <pivot:kind>_total, which answers for every name that ends in _total
    """
    parts = [*parts[:1], *(part.following() for part in parts[1:])]
    name = "_".join(part.text for part in parts)
    keys = [scope.evaluation.fold(part.text, part.quoted) for part in parts]
    if any(part.open for part in parts):
        start = next(position for position, part in enumerate(parts) if part.open)
        end = next(position for position, part in enumerate(reversed(parts)) if part.open)
        prefix = "".join(f"{key}_" for key in keys[:start])
        suffix = "".join(f"_{key}" for key in keys[len(parts) - end :])
        return star_slot(Star(Dataset("", name), made=PatternColumns(lineage, prefix, suffix)))

    return Slot(name, "_".join(keys), lineage)


def data_decides(field: Field) -> Text:
    """Return the name that stands for values only the data tells.

    IN (ANY)      <pivot:kind>
    """
    columns = [column.name for column in field.decider.find_all(exp.Column, bfs=False)]
    return Text(f"<pivot:{'_'.join(columns)}>", open=True)


def aggregate_part(aggregate: Any, naming: Naming, count: int, scope: Scope) -> Text | None:
    """Return the aggregate's part of a column name.

    sum(amount) AS total      what the aggregate adds to the names of its columns, if anything
    """
    if isinstance(aggregate, exp.Alias):
        alias = aggregate.args["alias"]
        if naming.adds_alias(count):
            return Text(alias.name, bool(alias.args.get("quoted")))

        return None

    if naming.adds_text(count):
        return Text(expression_name(aggregate, scope.evaluation))

    return None


def named_columns(nodes: Iterable[Any], source: Source, scope: Scope) -> set[str]:
    """Return the source's columns that a pivot names and that are therefore not keys; `t.a`, `a`
    and the field `a.b` name a.
    """
    fold, fold_table = scope.evaluation.fold, scope.evaluation.fold_table
    found = set()
    for node in nodes:
        for column in node.find_all(exp.Column):
            parts = instances(column.parts, exp.Identifier)
            keys = [fold(part.name, part.args.get("quoted")) for part in parts]
            qualified = (
                len(parts) > 1
                and fold_table(parts[0].name, parts[0].args.get("quoted")) == source.alias
            )
            first = keys[int(qualified)] if keys else ""
            found.add(next((key for key in keys if key in source.index), first))

    return found


def left_over(slots: Sequence[Slot], consumed: set[str]) -> list[Slot]:
    """Return the columns that a pivot does not name; of an open star, all others."""
    kept: list[Slot] = []
    known = {slot.key for slot in slots}
    for slot in slots:
        if slot.star is not None:
            star = slot.star
            for key in sorted(consumed - known):
                star = star.without(key)

            kept.append(star_slot(star))
        elif slot.key not in consumed:
            kept.append(slot)

    return kept


# -- UNPIVOT ---------------------------------------------------------------------------------------


def read_unpivot(node: exp.Pivot, source: Source, scope: Scope) -> Frame:
    """Return the frame of an UNPIVOT.

    UNPIVOT (sales FOR quarter IN (q1, q2))

    sales ← q1 and q2, IDENTITY; quarter has no source
    """
    label, values, listed = parts_of(node)
    members = flatten(members_of(item, scope) for item in listed)
    consumed = named_columns(
        (item for item in listed if not is_several_columns(item)), source, scope
    )
    consumed |= {slot.key for member in members for slot in member}
    open_taken = any(slot.star is not None for member in members for slot in member)
    kept = left_over(source.frame.slots, consumed)
    if open_taken:
        kept = [
            *(slot for slot in kept if slot.star is None),
            *names_left_out(listed, source, scope),
        ]

    return unpivot(
        source.frame,
        kept,
        [title_of(value, scope) for value in values],
        [[slot.lineage for slot in member] for member in members],
        title_of(label, scope),
        label_first=not naming_of(scope.evaluation.facts.name).values_first,
        drops_nulls=not node.args.get("include_nulls"),
        node=node,
    )


def title_of(identifier: Any, scope: Scope) -> Title:
    """The spelling of a name, and the key that it is found by."""
    return identifier.name, scope.evaluation.fold(identifier.name, identifier.args.get("quoted"))


def parts_of(node: exp.Pivot) -> tuple[Any, list[Any], list[Any]]:
    """Return the parts of an UNPIVOT.

    The label's name, the values' names, and what is listed: (v FOR n IN (a, b)); ON a, b INTO
    NAME n VALUE v
    """
    fields = node.args.get("fields")
    if fields:
        names = node.expressions
        if len(names) == 1 and isinstance(names[0], exp.Tuple):
            names = names[0].expressions

        return (
            identifier(fields[0].this),
            list(map(identifier, names)),
            fields[0].expressions,
        )

    into = node.args.get("into")
    if into is None:
        return exp.to_identifier("name"), [exp.to_identifier("value")], node.expressions

    return identifier(into.this), list(map(identifier, into.expressions)), node.expressions


def identifier(node: exp.Expr) -> Any:
    """Return the identifier of a column or name.

    a, (a)      the name of a column, or the name itself
    """
    node = node.unnest()
    if isinstance(node, exp.Column):
        return node.this

    return node


def is_several_columns(item: exp.Expr) -> bool:
    """Tell whether an item stands for several columns.

    COUNT(*), COLUMNS(…)      what stands for several columns
    """
    return isinstance(item.unnest(), (exp.Star, exp.Columns))


def members_of(item: exp.Expr, scope: Scope) -> list[list[Slot]]:
    """Return the columns that one row of an UNPIVOT takes.

    a AS 'x', (a, b) AS 'x', COLUMNS(* EXCLUDE (id))

    what stands side by side in one row of the result
    """
    item = item.unnest()
    if isinstance(item, exp.Star):
        return [[slot] for slot in star_slots(item, scope)]

    if isinstance(item, exp.Columns):
        return [[slot] for slot in columns_slots(item, scope)]

    if isinstance(item, (exp.PivotAlias, exp.Alias)):
        item = item.this.unnest()

    parts = items_in(item)
    return [[Slot("", "", value_of(part, IDENTITY, scope)) for part in parts]]


def names_left_out(listed: list[Any], source: Source, scope: Scope) -> list[Slot]:
    """Return the columns that an UNPIVOT leaves out.

    ON COLUMNS(* EXCLUDE (id)), over an unknown schema      id is what is left
    """
    stars = flatten(item.find_all(exp.Star) for item in listed)
    items = flatten(list_arg(star, "except_") for star in stars)
    columns = [
        item if isinstance(item, exp.Column) else exp.Column(this=item.copy()) for item in items
    ]
    found = list(map(scope.column, columns))
    return [slot for slot in found if slot.name and slot.key not in source.index]
