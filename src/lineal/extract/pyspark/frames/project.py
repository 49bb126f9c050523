"""Columns of a DataFrame: select, selectExpr, and what each item of them is."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from itertools import chain
from typing import Any

from sqlglot import exp

from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, add_doubt, pour
from lineal.algebra.values import Part, drop_fields, keep_parts, put_field, time_window
from lineal.extract.pyspark.columns.alternatives import columns_in
from lineal.extract.pyspark.columns.functions import columns_of, unknown_columns
from lineal.extract.pyspark.columns.trees import column, parse_items
from lineal.extract.pyspark.frame_scope import FrameEvaluation, FrameScope, expand_star
from lineal.extract.pyspark.invocation import Arguments, Invocation, argument_at
from lineal.extract.pyspark.knowledge import items_of
from lineal.extract.pyspark.relation import Attribute, Relation, fresh, open_star
from lineal.extract.pyspark.rules import generated_types
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import charge_item
from lineal.extract.pyspark.types import schema_of, type_of
from lineal.extract.pyspark.values import ColumnValue, Pattern, Value, note_of
from lineal.extract.sql.clauses import TIME_WINDOWS
from lineal.extract.sql.expressions import gather, item_of, struct_of, struct_passed_on
from lineal.extract.sql.generators import generator_columns, is_generator
from lineal.extract.sql.naming import output_name
from lineal.extract.sql.nodes import meta_of
from lineal.extract.sql.paths import leads_to_part, path_of, reaches, step_of
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.patterns import SlowPattern, compile_pattern
from lineal.model.sequences import first_or_none
from lineal.model.way import IDENTITY, Clause, Confidence

FROM_VARIABLE = Doubt(
    Confidence.MEDIUM, False, "the list of columns is a variable, over a schema that is not known"
)


def project_items(
    run: Run, relation: Relation, items: list[ColumnValue], scope: FrameScope, rows: Lineage
) -> list[Attribute]:
    """Return the columns of SELECT items.

    SELECT …      one column for each item, several for a star or a generator
    """
    found: list[Attribute] = []
    aliases: dict[str, Slot] = {}

    for position, item in enumerate(chain.from_iterable(map(columns_in, items))):
        made = attributes_of(run, relation, item, scope, rows, position)
        found.extend(made)
        charge_item(run, scope, item.tree, len(found))
        if item.names:
            aliases.update((attribute.key, attribute.slot) for attribute in made)
            scope.aliases = aliases

    scope.aliases = {}
    return found


def attributes_of(
    run: Run, relation: Relation, item: ColumnValue, scope: FrameScope, rows: Lineage, position: int
) -> list[Attribute]:
    """Return the columns that one item of a select gives."""
    tree = item.tree
    kind = tree.__class__
    if kind is exp.Placeholder and meta_of(tree).get("unknown"):
        return [open_star()]

    if kind is exp.Star or (kind is exp.Column and tree.this.__class__ is exp.Star):
        several = expand_star(relation, tree, scope)
        if item.doubt is None:
            return several

        return [each.doubtful(item.doubt) for each in several]

    if kind is exp.Column and not item.names:
        return [pass_column(relation, tree, scope, item.doubt)]

    if is_generator(tree) or len(item.names) > 1:
        return generated_attributes(run, relation, item, scope, rows)

    lineage = lineage_of(tree, scope)
    if item.doubt is not None:
        lineage = add_doubt(lineage, item.doubt)

    name = item.names[0] if item.names else name_of(tree, position, scope)
    return [note_type(relation, tree, fresh(Slot(name, name.lower(), lineage)), scope)]


def generated_attributes(
    run: Run, relation: Relation, item: ColumnValue, scope: FrameScope, rows: Lineage
) -> list[Attribute]:
    """Return the columns of a generator, with their types.

    select(explode("tags")), select(explode("attributes"))      of a map key and value
    """
    tree = item.tree
    kinds = generated_types(tree, relation)
    made = list(map(fresh, generate_rows(tree, item.names, scope, rows)))
    if item.names or kinds or not made or made[-1].slot.name != "col" or not reads_map(run, tree):
        return note_types(relation, made, kinds)

    slot = made[-1].slot._replace(lineage=add_doubt(made[-1].slot.lineage, MAP_BY_USE))
    return [*made[:-1], *(fresh(slot._replace(name=name, key=name)) for name in ("key", "value"))]


MAP_BY_USE = Doubt(Confidence.MEDIUM, False, "a map, since the program reads key and value of it")
READS_KEY = re.compile(r"""["'.`]key["'`]""")
READS_VALUE = re.compile(r"""["'.`]value["'`]""")
READS_ITEM = re.compile(r"""["'.`]col["'`]""")


def reads_map(run: Run, tree: Any) -> bool:
    """Tell whether the program reads key and value, and no item, of a column of an unknown type."""
    if not isinstance(tree.this, exp.Column):
        return False

    text = run.reading.script.text
    if READS_KEY.search(text) is None or READS_VALUE.search(text) is None:
        return False

    return READS_ITEM.search(text) is None


def name_of(tree: Any, position: int, scope: FrameScope) -> str:
    """Return the name of a column without an alias.

    The name of a column without an alias, as Spark gives it: sum(amount), also of
    F.sum("o.amount")
    """
    called = meta_of(tree).get("called")
    if called:
        return str(called)

    if any(node.meta.get("unknown") for node in tree.find_all(exp.Null)):
        message = "the name of a column is only known when it runs"
        scope.evaluation.report(Code.DYNAMIC, message, tree)

    tables = {
        part for each in scope.relation.attributes if each.qualifier for part in each.qualifier
    }
    return output_name(tree, position, scope.evaluation, tables)[0]


def lineage_of(tree: Any, scope: FrameScope) -> Lineage:
    """Return the lineage of an expression."""
    kind = tree.__class__
    if kind is exp.Struct:
        return struct_of(with_each_column(tree, scope), scope)

    if kind is exp.Anonymous and tree.name == "with_field":
        return with_field(tree, scope)

    if kind is exp.Anonymous and tree.name == "drop_fields":
        return without_fields(tree, scope)

    if (
        kind is not exp.Column
        and (held := item_of(tree, scope) or struct_passed_on(tree, scope)) is not None
    ):
        return held

    lineage: Lineage = {}
    if kind is exp.Column:
        slot = scope.column(tree)
        pour(slot.lineage, IDENTITY, lineage, tree)
        return keep_parts(lineage, slot.lineage)

    gather(tree, IDENTITY, lineage, scope)
    if kind is exp.Anonymous and tree.name in TIME_WINDOWS:
        return time_window(lineage)

    part = (
        step_of(tree) is not None and leads_to_part(tree) and reaches(path_of(tree).names, lineage)
    )
    if part:
        return Part(lineage)

    return lineage


def with_each_column(tree: exp.Struct, scope: FrameScope) -> exp.Struct:
    """Replace a star inside a struct by columns.

    struct("*"), struct("address.*")

    a field for each column, or for each field of a struct
    """
    if not any(item.is_star for item in tree.expressions):
        return tree

    items: list[Any] = []
    for item in tree.expressions:
        if not item.is_star or (isinstance(item, exp.Star) and scope.relation.stars):
            items.append(item)
        elif isinstance(item, exp.Star):
            items += list(map(exp.column, scope.relation.names))
        else:
            found = [
                each for each in expand_star(scope.relation, item, scope) if each.slot.star is None
            ]
            items += [column_beside(item, each.slot.name) for each in found] or [item]

    return exp.Struct(expressions=items)


def column_beside(star: exp.Column, name: str) -> exp.Column:
    """Return a column next to a star's qualifier.

    address.*      address.city
    """
    around = {
        part: star.args[part].copy()
        for part in ("table", "db", "catalog")
        if star.args.get(part) is not None
    }
    return exp.Column(this=exp.Identifier(this=name, quoted=False), **around)


def with_field(tree: exp.Anonymous, scope: FrameScope) -> Lineage:
    """Set a field of a struct.

    col("p").withField("k", value)

    a struct with one field more, or another one; k.x is a part of the new k
    """
    built, path, made, *around = tree.expressions
    held, new = lineage_of(built, scope), lineage_of(made, scope)
    whole: Lineage = {}

    for lineage in (held, new, *(lineage_of(struct, scope) for struct in around)):
        pour(lineage, VALUE, whole, tree)

    return put_field(held, path.name.split("."), new, whole)


def without_fields(tree: exp.Anonymous, scope: FrameScope) -> Lineage:
    """Drop fields of a struct.

    col("p").dropFields("k", "l")      the other fields are those of p
    """
    built, *given = tree.expressions
    held = lineage_of(built, scope)
    whole: Lineage = {}

    for lineage in (
        held,
        *(lineage_of(each, scope) for each in given if not isinstance(each, exp.Literal)),
    ):
        pour(lineage, VALUE, whole, tree)

    names = [path.name for path in given if isinstance(path, exp.Literal) and "." not in path.name]
    return drop_fields(held, names, whole)


def pass_column(relation: Relation, tree: Any, scope: FrameScope, doubt: Doubt | None) -> Attribute:
    """Pass a column on.

    select("x")      the column itself goes on, with its identity
    """
    slot = scope.column(tree)
    alike: Sequence[Attribute] = relation.by_key.get(slot.key, ())
    if relation.hidden:
        alike = (*alike, *relation.hidden)

    lineage: Lineage = {}
    pour(slot.lineage, IDENTITY, lineage, tree)
    lineage = keep_parts(lineage, slot.lineage)
    if doubt is not None:
        lineage = add_doubt(lineage, doubt)

    name = tree.this.name
    scanned = slot.scanned if doubt is None else None
    made = Slot(name, name.lower(), lineage, None, scanned)

    for held in alike:
        if held.slot is slot:
            return Attribute(made, held.id, held.qualifier, held.doubt)

    return fresh(made, qualifier_of_star(relation, tree))


def qualifier_of_star(relation: Relation, tree: Any) -> tuple[str, ...]:
    """A column of an unknown table keeps that table's name before it, where only one can be meant."""
    stars = relation.stars
    if len(stars) == 1:
        return stars[0].qualifier

    return ()


def generate_rows(
    tree: Any, names: tuple[str, ...], scope: FrameScope, rows: Lineage
) -> list[Slot]:
    """Return the columns of a generator.

    explode("tags").alias("tag"), posexplode(…).alias("i", "x")
    """
    identifiers = [exp.Identifier(this=name, quoted=False) for name in names]
    if len(names) > 1:
        tree = exp.Aliases(this=tree, expressions=identifiers)
        identifiers = []

    return generator_columns(tree, first_or_none(identifiers), scope, rows)


def note_types(relation: Relation, made: list[Attribute], kinds: list[str]) -> list[Attribute]:
    """Take note of the types of new columns."""
    if len(made) == len(kinds):
        relation.types.update(
            (attribute.id, kind) for attribute, kind in zip(made, kinds, strict=True)
        )

    return made


def note_type(relation: Relation, tree: Any, attribute: Attribute, scope: FrameScope) -> Attribute:
    """Take note of the type of a new column, where it is known."""
    found = type_of(tree, relation)
    if found:
        relation.types[attribute.id] = found

    return attribute


# -- methods ---------------------------------------------------------------------------------------


def select(run: Run, relation: Relation, call: Invocation) -> Value:
    """Select columns.

    df.select("a", F.sum("b").alias("total"), *cols)
    """
    items = columns_of(run, call.arguments, call.node)
    if not relation.complete:
        items = through_variables(relation, items, call.node)

    return select_items(run, relation, items, call.node)


def select_items(run: Run, relation: Relation, items: list[ColumnValue], node: ast.AST) -> Relation:
    """Return the DataFrame of these columns.

    df.select(…)
    """
    evaluation = run.evaluation()
    scope = FrameScope(relation, evaluation, Clause.SELECT)
    scope.titles = frozenset(name.lower() for item in items for name in item.names)
    rows: Lineage = dict(relation.rows)
    attributes = project_items(run, relation, items, scope, rows)
    made = relation.derive(attributes, rows, evaluation)
    if not any(aggregates(item.tree) for item in items):
        made.under = relation

    return take_findings(run, made, evaluation)


def aggregates(tree: Any) -> bool:
    """Tell whether an expression aggregates rows."""
    return (
        tree.__class__ is not exp.Column
        and isinstance(tree, exp.Expr)
        and tree.find(exp.AggFunc) is not None
    )


def take_findings(run: Run, made: Relation, evaluation: FrameEvaluation) -> Relation:
    """Hand the diagnostics and references of an evaluation on to the run."""
    run.take_diagnostics(evaluation.diagnostics)
    return made


def through_variables(
    relation: Relation, items: list[ColumnValue], node: ast.AST
) -> list[ColumnValue]:
    """Mark the columns whose names come from a variable.

    cols = ["a", "b"]; df.select(cols)      known from a variable only
    """
    if not isinstance(node, ast.Call) or not any(map(_is_variable, node.args)):
        return items

    direct = {
        each.value
        for each in node.args
        if isinstance(each, ast.Constant) and isinstance(each.value, str)
    }
    return [
        ColumnValue(item.tree, item.names, FROM_VARIABLE)
        if _only_named(item, direct, relation, node)
        else item
        for item in items
    ]


def _only_named(item: ColumnValue, direct: set[str], relation: Relation, node: ast.AST) -> bool:
    """Whether a column's name is neither in the call nor in a known schema."""
    tree = item.tree
    if (
        not isinstance(tree, exp.Column)
        or tree.name in direct
        or tree.name.lower() in relation.by_key
    ):
        return False

    spot = meta_of(tree).get("at")
    return spot is not None and spot.node is node


def _is_variable(argument: ast.expr) -> bool:
    """Return whether an argument is a variable: cols, *cols."""
    if isinstance(argument, ast.Starred):
        argument = argument.value

    return isinstance(argument, ast.Name)


def select_expr(run: Run, relation: Relation, call: Invocation) -> Value:
    """Select expressions.

    df.selectExpr("a", "b * 2 AS c")
    """
    items: list[ColumnValue] = []
    for text in without_lists(call.arguments):
        if not isinstance(text, str):
            run.dynamic(note_of("columns", text), call.node)
            items.append(ColumnValue(unknown_columns()))
            continue

        if isinstance(text, Pattern):
            run.dynamic("a part of an expression is only known when it runs", call.node, text.level)

        for tree in parse_items(run, text, call.node):
            if isinstance(tree, exp.Alias):
                items.append(ColumnValue(tree.this, (tree.alias,)))
            elif isinstance(tree, exp.Aliases):
                items.append(
                    ColumnValue(tree.this, tuple(alias.name for alias in tree.expressions))
                )
            else:
                items.append(ColumnValue(tree))

    return select_items(run, relation, items, call.node)


def without_lists(arguments: Arguments) -> Arguments:
    """Return arguments with lists flattened.

    f("a", "b") and f(["a", "b"]) are one
    """
    if len(arguments) == 1:
        several = items_of(arguments[0]) if not isinstance(arguments[0], (str, dict)) else None
        if several is not None:
            return several

    return arguments


def to_schema(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return the DataFrame under another schema.

    df.to(schema)      the columns of the schema, by name
    """
    schema = schema_of(run, argument_at(call.arguments), call.node)
    if schema is None:
        return relation

    return select_items(
        run,
        relation,
        [ColumnValue(column(run, name, call.node)) for name, _ in schema.fields],
        call.node,
    )


def col_regex(run: Run, relation: Relation, call: Invocation) -> Value:
    """Return the columns whose names match.

    df.colRegex("`x_.*`")      every column whose name matches
    """
    pattern = argument_at(call.arguments, 0, "")
    try:
        matches = compile_pattern(str(pattern).strip("`"), re.IGNORECASE).fullmatch
        names = [name for name in relation.names if matches(name)]
    except SlowPattern as refused:
        run.dynamic(f"colRegex: {refused}; all columns are taken", call.node)
        names = relation.names

    return [ColumnValue(column(run, f"`{name}`", call.node)) for name in names]
