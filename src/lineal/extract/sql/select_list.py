"""The items of SELECT, as slots."""

from __future__ import annotations

from sqlglot import exp

from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage
from lineal.algebra.values import Part, Struct, keep_parts
from lineal.extract.sql.columns import several_slots, star_slots
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import (
    CARRYING_AGGREGATES,
    gather,
    item_of,
    struct_of,
    struct_passed_on,
)
from lineal.extract.sql.generators import GENERATORS, generator_columns, is_generator
from lineal.extract.sql.name_tests import under_alias
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.paths import PATHS, leads_to_part, path_of, reaches, step_of
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import field_of
from lineal.model.way import IDENTITY, Clause

ALIAS, COLUMN, EQ, STAR, STRUCT = exp.Alias, exp.Column, exp.EQ, exp.Star, exp.Struct
CAST, TUPLE = exp.Cast, exp.Tuple
ROWS = (STRUCT, TUPLE)


SPECIAL = (
    GENERATORS
    | PATHS.keys()
    | {
        exp.Columns,
        exp.Like,
        exp.ILike,
        exp.Apply,
        exp.Struct,
        exp.Array,
        *CARRYING_AGGREGATES,
        exp.Window,
        exp.Filter,
        exp.FromJson,
        exp.Anonymous,
    }
)
"""The items of SELECT that may be several columns, or a value with fields."""


def select_columns(  # noqa: C901  every output column passes here
    node: exp.Select, scope: Scope, rows: Lineage
) -> tuple[list[Slot], dict[str, Slot]]:
    """Return the columns of a SELECT list.

    SELECT a AS x, t.*, b + 1 AS y      a slot per output column, and those that are aliases
    """
    evaluation = scope.evaluation
    scope.clause = Clause.SELECT
    slots: list[Slot] = []
    aliases: dict[str, Slot] = {}
    lateral = evaluation.facts.lateral_aliases
    several_anywhere = evaluation.facts.columns_in_expressions
    fold, keys, new_slot = evaluation.fold, evaluation.keys, tuple.__new__
    for position, item in enumerate(node.args["expressions"]):
        kind = item.__class__
        alias = None
        if kind is ALIAS:
            alias = item.args["alias"]
            item = item.args["this"]
            kind = item.__class__
        elif kind is EQ and evaluation.facts.aliases_in_strings and item.args["this"].is_string:
            alias = exp.to_identifier(item.args["this"].name, quoted=True)
            item = item.args["expression"]
            kind = item.__class__

        if kind is STAR or (kind is COLUMN and item.args["this"].__class__ is STAR):
            several = star_slots(item, scope)
            scope.spans[position] = len(several)
            slots.extend(several)
            continue

        lineage: Lineage = {}
        if kind is COLUMN:
            found = scope.column(item).lineage
            for influence, trail in found.items():
                lineage[influence] = (item, None, trail, trail[3] if trail is not None else None)

            if found.__class__ is not dict:
                lineage = keep_parts(lineage, found)
        elif kind is TUPLE or (kind is CAST and item.args["this"].__class__ in ROWS):
            lineage = struct_of(item, scope)
        elif kind not in SPECIAL and not several_anywhere:
            gather(item, IDENTITY, lineage, scope)
        elif (found_several := several_slots(item, scope)) is not None:
            scope.spans[position] = len(found_several)
            slots.extend(
                found_several
                if alias is None
                else under_alias(found_several, alias, item, evaluation)
            )
            continue
        elif kind is STRUCT:
            lineage = struct_of(item, scope)
        elif is_generator(item):
            made = generator_columns(item, alias, scope, rows)
            aliases.update((slot.key, slot) for slot in made)
            if lateral:
                scope.aliases = aliases

            scope.spans[position] = len(made)
            slots.extend(made)
            continue
        else:
            held = item_of(item, scope) if kind is exp.Array else struct_passed_on(item, scope)
            if held is not None:
                lineage = held
            else:
                gather(item, IDENTITY, lineage, scope)

            if (
                step_of(item) is not None
                and leads_to_part(item)
                and reaches(path_of(item).names, lineage)
            ):
                lineage = Part(lineage)

        if alias is not None:
            name = alias.args.get("this") or "?"
            key = fold(name, True) if alias.args.get("quoted") else keys[name]
            slot = new_slot(Slot, (name, key, lineage, None, None))
            if kind is not COLUMN or item.args["this"].args.get("this") != name:
                aliases.setdefault(slot.key, slot)
                if lateral:
                    scope.aliases = aliases
                    scope.alias_first = evaluation.facts.alias_first
        else:
            name, quoted = output_name(item, position, evaluation, scope.sources)
            key = fold(name, True) if quoted else keys[name]
            slot = new_slot(Slot, (name, key, lineage, None, None))

        slots.append(slot)

    scope.aliases = {}
    scope.alias_first = False
    return slots, aliases


def value_table(node: exp.Select, slots: list[Slot], evaluation: Evaluation) -> list[Slot]:
    """Return the columns of SELECT AS VALUE.

    SELECT AS VALUE STRUCT(a AS p, b AS q)      the struct's fields are the columns
    """
    if len(slots) != 1 or not isinstance(slots[0].lineage, Struct):
        return slots

    fold = evaluation.fold
    return [
        Slot(name, fold(name, False), field_of(slots[0], [name], node).lineage)
        for name in slots[0].lineage.names
    ]
