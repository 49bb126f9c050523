"""Columns that are added, renamed or left out: withColumn, withColumnRenamed, drop, toDF, alias."""

from __future__ import annotations

import ast
from typing import Any

from sqlglot import exp

from lineal.algebra.frame import Slot, star_slot
from lineal.algebra.lineage import Lineage, add_doubt, pour
from lineal.algebra.values import keep_parts
from lineal.extract.pyspark.columns.trees import column, literal
from lineal.extract.pyspark.frame_scope import FrameScope
from lineal.extract.pyspark.frames.project import (
    generate_rows,
    lineage_of,
    note_type,
    note_types,
    take_findings,
    without_lists,
)
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.relation import Attribute, Draft, Relation, fresh, open_star
from lineal.extract.pyspark.rules import generated_types
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import charge_item
from lineal.extract.pyspark.values import (
    SCHEMA_UNKNOWN,
    Choice,
    ColumnValue,
    Unknown,
    Value,
    note_of,
)
from lineal.extract.sql.generators import is_generator
from lineal.extract.sql.nodes import meta_of
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.sequences import instances
from lineal.model.way import IDENTITY, Clause, Confidence


def with_column(run: Run, relation: Relation, call: Invocation) -> Value:
    """Set a column.

    df.withColumn("total", col("a") + col("b"))
    """
    given = [
        *call.arguments,
        *(call.keywords[key] for key in ("colName", "col") if key in call.keywords),
    ]
    if len(given) < 2:
        return relation

    return with_all(run, relation, {0: (given[0], given[1])}, call.node)


def with_columns(run: Run, relation: Relation, call: Invocation) -> Value:
    """Set several columns.

    df.withColumns({"a": …, "b": …})
    """
    given = call.argument(0, "colsMap")
    if not isinstance(given, dict):
        run.dynamic(note_of("columns", given), call.node)
        return relation

    return with_all(run, relation, dict(enumerate(given.items())), call.node)


def with_all(
    run: Run, relation: Relation, given: dict[int, tuple[Value, Value]], node: ast.AST
) -> Relation:
    """Add or replace columns, each computed from the columns before."""
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.SELECT)
    rows: Lineage = dict(relation.rows)
    draft = Draft(relation)
    places: list[int] | None = draft.places
    aliases: dict[str, Slot] = {}

    for name, held in given.values():
        if not is_text(name):
            level = getattr(name, "level", Confidence.UNKNOWN)
            if isinstance(name, Choice):
                level = Confidence.MEDIUM

            run.dynamic(note_of("a column", name), node, level)
            if is_any_column(name):
                draft.attributes = [each.doubtful(REPLACED) for each in draft.attributes]

            draft.attributes = with_anything(draft.attributes)
            places = None
            continue

        tree = literal(run, held, node)
        if isinstance(held, Unknown):
            run.dynamic(note_of("an expression", held), node, held.level)

        scope.aliases = aliases
        if is_generator(tree):
            slots = generate_rows(tree, (name,), scope, rows)
            made = fresh(slots[-1]._replace(name=name, key=name.lower()))
            note_types(relation, [made], generated_types(tree, relation))
        else:
            lineage = lineage_of(tree, scope)
            if isinstance(held, ColumnValue) and held.doubt is not None:
                lineage = add_doubt(lineage, held.doubt)

            made = note_type(relation, tree, fresh(Slot(name, name.lower(), lineage)), scope)

        charge_item(run, scope, tree, len(draft.attributes))
        aliases[made.key] = made.slot
        if made.key not in draft.index:
            draft.add(made, narrow_star)
            continue

        draft.attributes = replace_column(draft.attributes, made, draft.index)
        draft.index[made.key] = [made]

    found = relation.derive(draft.attributes, rows, evaluation)
    found.index(draft.index, places)
    found.under = relation
    found.hidden = relation.hidden
    return take_findings(run, found, evaluation)


REPLACED = Doubt(Confidence.LOW, False, "a step replaces columns, and only a run knows which")


def is_any_column(name: Value) -> bool:
    """Tell whether a name is that of a column of a DataFrame whose schema is not known.

    for name in df.columns: df = df.withColumn(name, …)
    """
    return isinstance(name, Unknown) and name.reason == SCHEMA_UNKNOWN


def replace_column(
    attributes: list[Attribute], made: Attribute, index: dict[str, list[Attribute]]
) -> list[Attribute]:
    """In the place of the column of that name, else at the end."""
    if made.key in index:
        return [
            made._replace(qualifier=())
            if attribute.key == made.key and attribute.slot.star is None
            else attribute
            for attribute in attributes
        ]

    return [*narrow_stars(attributes, made.key), made]


def narrow_stars(attributes: list[Attribute], key: str) -> list[Attribute]:
    """Return the columns, with open stars that do not hold that column any more."""
    return [each if each.slot.star is None else narrow_star(each, key) for each in attributes]


def narrow_star(attribute: Attribute, key: str) -> Attribute:
    """Return an open star that does not hold that column any more."""
    return attribute._replace(slot=star_slot_like(attribute, key))


def star_slot_like(attribute: Attribute, key: str) -> Slot:
    """The open star without that column."""
    assert attribute.slot.star is not None
    slot = star_slot(attribute.slot.star.without(key))
    if attribute.doubt is None:
        return slot

    return slot._replace(lineage=add_doubt(slot.lineage, attribute.doubt))


def renamed_column(run: Run, relation: Relation, call: Invocation) -> Value:
    """Rename a column.

    df.withColumnRenamed("a", "b")      no-op if there is no a
    """
    given = [
        *call.arguments,
        *(call.keywords[key] for key in ("existing", "new") if key in call.keywords),
    ]
    pairs = [(given[0], given[1])] if len(given) > 1 else []
    return rename(run, relation, pairs, call.node)


def renamed_columns(run: Run, relation: Relation, call: Invocation) -> Value:
    """Rename several columns.

    df.withColumnsRenamed({"a": "b"})
    """
    given = call.argument(0, "colsMap")
    if not isinstance(given, dict):
        run.dynamic(note_of("columns", given), call.node)
        return relation

    return rename(run, relation, list(given.items()), call.node)


ANY_OF_THEM = Doubt(
    Confidence.LOW, False, "a step renames or drops columns, and only a run knows which"
)


def doubt_name(attribute: Attribute) -> Attribute:
    """A column that may have another name by now, or may be gone."""
    return attribute.doubtful(ANY_OF_THEM)


def rename(
    run: Run, relation: Relation, pairs: list[tuple[Value, Value]], node: ast.AST
) -> Relation:
    """Rename columns; names that are not there are no mistake."""
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.SELECT)
    attributes = list(relation.attributes)

    for old, new in pairs:
        if is_text(old) and is_text(new):
            tree = column(run, f"`{old}`" if "." in old else old, node)
            attributes = rename_one(relation, attributes, old, new, tree, scope)
        else:
            unsaid = new if is_text(old) else old
            level = getattr(old, "level", Confidence.UNKNOWN)
            run.dynamic(note_of("a column", unsaid), node, level)
            attributes = rename_unknown(attributes, old)

    found = relation.derive(attributes, None, evaluation)
    found.under = relation
    return take_findings(run, found, evaluation)


def rename_unknown(attributes: list[Attribute], old: Value) -> list[Attribute]:
    """Rename a column to a name that only a run knows, or a column that only a run knows.

    df.withColumnRenamed("a", name), df.withColumnRenamed(name, "a")
    """
    if is_text(old) and all(each.slot.star is None for each in attributes):
        kept = [each for each in attributes if each.key != old.lower()]
    else:
        kept = list(map(doubt_name, attributes))

    return with_anything(kept)


def with_anything(attributes: list[Attribute]) -> list[Attribute]:
    """Return columns next to one of which only a run knows the name; an open star may be it."""
    if any(each.slot.star is not None for each in attributes):
        return attributes

    return [*attributes, open_star()]


def rename_one(
    relation: Relation,
    attributes: list[Attribute],
    old: str,
    new: str,
    tree: Any,
    scope: FrameScope,
) -> list[Attribute]:
    """Rename every column of a name; of an unknown schema, which must have it, take it out."""
    key = old.lower()
    is_there = False
    renamed: list[Attribute] = []

    for attribute in attributes:
        if attribute.key == key and attribute.slot.star is None:
            is_there = True
            attribute = under_new_name(relation, attribute, new, tree, scope)

        renamed.append(attribute)

    if is_there or not relation.stars:
        return renamed

    slot = scope.lookup(relation, old, (), tree, False)
    if slot is None:
        return attributes

    made = fresh(Slot(new, new.lower(), dict(slot.lineage)))
    narrowed = narrow_stars(attributes, key)
    keys: Any = dict.fromkeys(each.key for each in narrowed)
    return replace_column(narrowed, made, keys)


def under_new_name(
    relation: Relation, attribute: Attribute, new: str, tree: Any, scope: FrameScope
) -> Attribute:
    """Return a column under another name, with its type."""
    lineage: Lineage = {}
    pour(attribute.slot.lineage, IDENTITY, lineage, tree)
    lineage = keep_parts(lineage, attribute.slot.lineage)
    made = fresh(Slot(new, new.lower(), lineage))
    relation.types[made.id] = relation.types.get(attribute.id, "")
    scope.read_slot(attribute.slot, tree)
    return made


def drop(run: Run, relation: Relation, call: Invocation) -> Value:
    """Drop columns.

    df.drop("a", df.b, *cols)      what is not there is no mistake
    """
    attributes = list(relation.attributes)
    for argument in without_lists(call.arguments):
        if isinstance(argument, ColumnValue):
            attributes = dropped_column(relation, attributes, argument)
        elif is_text(argument):
            key = argument.strip("`").lower()
            rest = [each for each in attributes if each.slot.star is not None or each.key != key]
            attributes = narrow_stars(rest, key)
        else:
            level = getattr(argument, "level", Confidence.UNKNOWN)
            run.dynamic(note_of("columns", argument), call.node, level)
            attributes = list(map(doubt_name, attributes))

    found = relation.derive(attributes)
    found.under = relation
    return found


def dropped_column(
    relation: Relation, attributes: list[Attribute], argument: ColumnValue
) -> list[Attribute]:
    """Drop one column of several with a name.

    drop(df.b)      only that one, where two have the name
    """
    tree = argument.tree
    if not isinstance(tree, exp.Column):
        return attributes

    meta = meta_of(tree)
    bound = meta.get("bound")
    if bound is not None:
        gone = relation.attribute_by_id(bound.id, bound.relation)
        if gone is not None and gone.slot.star is not None:
            return [
                each._replace(slot=star_slot_like(each, bound.key)) if each.id == gone.id else each
                for each in attributes
            ]

        if gone is not None:
            return [each for each in attributes if each.id != gone.id]

        return attributes

    asked = tuple(part.name.lower() for part in tree.parts)
    return [
        each
        for each in attributes
        if each.slot.star is not None or each.key != asked[-1]
        or (len(asked) > 1 and each.qualifier[-len(asked) + 1 :] != asked[:-1])
    ]  # fmt: skip


def to_df(run: Run, relation: Relation, call: Invocation) -> Value:
    """Rename all columns by position.

    df.toDF("a", "b")      new names, by position
    """
    names = instances(without_lists(call.arguments), str)
    if len(names) != len(without_lists(call.arguments)):
        unsaid = next(name for name in without_lists(call.arguments) if not isinstance(name, str))
        run.dynamic(note_of("columns", unsaid), call.node)
        return relation.derive([open_star()])

    if not names:
        return relation

    if not relation.complete:
        run.report(
            Code.UNSUPPORTED_CONSTRUCT,
            "toDF over an unknown schema: columns are not matched",
            call.node,
        )
        return relation.derive([fresh(Slot(name, name.lower(), {})) for name in names])

    attributes = []
    for attribute, name in zip(relation.attributes, names, strict=False):
        made = fresh(Slot(name, name.lower(), attribute.slot.lineage))
        relation.types[made.id] = relation.types.get(attribute.id, "")
        attributes.append(made)

    return relation.derive(attributes)


def alias(run: Run, relation: Relation, call: Invocation) -> Value:
    """Give a DataFrame an alias.

    df.alias("a")      its columns may be called a.x
    """
    name = call.argument(0, "alias")
    if not isinstance(name, str):
        return relation

    attributes = [
        attribute._replace(qualifier=(name.lower(),)) for attribute in relation.attributes
    ]
    found = relation.derive(attributes)
    found.under = None
    return found
