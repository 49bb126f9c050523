"""Parts of values: fields, items, elements of documents."""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from lineal.algebra.expression import (
    value,
)
from lineal.algebra.frame import Slot
from lineal.algebra.lineage import Lineage, pour
from lineal.algebra.values import Row, Struct
from lineal.extract.sql.choices import CHOICES, part_of_choice
from lineal.extract.sql.composites import fields_of
from lineal.extract.sql.expressions.bodies import qualified_call
from lineal.extract.sql.expressions.leaves import is_absolute
from lineal.extract.sql.expressions.returned_rows import returned_column
from lineal.extract.sql.expressions.structs import (
    argument_value,
    has_star,
    held_by,
    struct_item,
    struct_of,
    struct_passed_on,
    zipped_item,
)
from lineal.extract.sql.expressions.walk import HANDLERS, Calls, Visit, value_of
from lineal.extract.sql.methods import as_function
from lineal.extract.sql.paths import path_of
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import field_of
from lineal.extract.sql.unresolved_names import is_row_of_call
from lineal.model.way import IDENTITY as NEUTRAL
from lineal.model.way import Way


def dot(node: exp.Dot, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a dotted expression.

    a.b.c.d.e, f(x).y, (t).a      a field's path, a function of a package, a column of a row
    """
    first: Any = node
    while isinstance(first, exp.Dot):
        if isinstance(first.expression, exp.Func):
            if not (
                visit.scope.evaluation.catalog.functions
                and qualified_call(first, way, calls, visit.scope, visit.into)
            ):
                visit.stack.append(
                    (as_function(first, visit.scope) or first.expression, way, calls)
                )

            return

        first = first.this

    if not returned_column(node, way, calls, visit.scope, visit.into):
        part(node, way, calls, visit)


def part(node: Any, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a part of a value.

    a.b[0].c, a:b.c, a -> 'b'      the path stays on the column, and reading a part transforms
    """
    if (item := item_at(node)) is not None:
        value_of(node.this, NEUTRAL, visit.scope)  # the other items are read as well
        visit.stack.append((item, value(way), (node, calls)))
        return

    if (built := field_at(node, visit.scope)) is not None:
        pour(built, value(way), visit.into, node, (node, calls))
        return

    base, names, beside = path_of(node)
    if names and is_row_call(base, visit.scope):
        base, names = exp.column(names[0], table=base.expressions[0].name), names[1:]
    elif names and isinstance(base, exp.Parameter):
        if (first := column_by_number(base, visit.scope)) is not None:
            pour(field_of(first, names, node).lineage, value(way), visit.into, node, (node, calls))
            return

        if is_absolute(base, visit.scope):
            base, names = exp.column(names[0], table=base.this.name), names[1:]

    around = calls if isinstance(node, exp.Dot) else (node, calls)
    step = value(way)
    if isinstance(base, exp.Column) and not isinstance(base.this, exp.Star):
        column = column_of_row(base, visit.scope)
        if column is not None:
            step, names = way, names[1:]

        pour(
            field_of(visit.scope.column(column or base), names, node).lineage,
            step,
            visit.into,
            node,
            around,
        )
        repeat_rows(node, visit.scope)
    elif names and (start := row_start(base, names, visit.scope)) is not None:
        pour(field_of(start, names, node).lineage, step, visit.into, node, around)
    elif (row := row_of_query(base, names, visit.scope)) is not None:
        slot, names, rows = row
        pour(field_of(slot, names, node).lineage, step, visit.into, node, around)
        pour(rows, step, visit.into, node, around)
    elif names and isinstance(base.unnest(), CHOICES):
        visit.stack.append((part_of_choice(base.unnest(), names), step, around))
    elif isinstance(base, exp.Placeholder) and names and visit.scope.evaluation.around is not None:
        record = visit.scope.evaluation.around.column(exp.column(names[0], table=base.name))
        pour(field_of(record, names[1:], node).lineage, way, visit.into, node, around)
    else:
        visit.stack.append((cast_field(base, names, visit.scope), step, (node, calls)))

    for item in beside:
        visit.stack.append((item, step, around))


def is_row_call(base: exp.Expr, scope: Scope) -> bool:
    """VALUE(t).sal      Oracle: the column sal of t"""
    argument = base.expressions[0] if isinstance(base, exp.Anonymous) and base.expressions else None
    if not isinstance(argument, exp.Column) or argument.args.get("table") is not None:
        return False

    facts = scope.evaluation.facts
    key = facts.fold_table(argument.name, argument.this.args.get("quoted"))
    return is_row_of_call(argument, facts.name) and scope.find_source(key) is not None


def repeat_rows(node: Any, scope: Scope) -> None:
    """unnest(items).price      items decides how many rows there are"""
    while isinstance(node, exp.Expr) and not isinstance(node, exp.Column):
        if isinstance(node, exp.Explode):
            HANDLERS[exp.Explode](node, NEUTRAL, None, Visit([], scope, {}))

        node = node.expressions[0] if isinstance(node, exp.Anonymous) else node.this


def row_start(base: Any, names: list[str], scope: Scope) -> Slot | None:
    """Return the slot of a row that the base builds.

    STRUCT(t.*).a, STRUCT(a AS x).x.y, any_value(STRUCT(a, b)).a
    """
    if isinstance(base, exp.Struct):
        if has_star(base):
            return Slot("", "", struct_of(base, scope))

        if (item := struct_item(base, names[0])) is not None:
            built = Struct({}, {names[0].lower(): struct_of(item, scope)})
            value_of(base, NEUTRAL, scope)  # the other fields are read as well
            return Slot(names[0], names[0], built)

    held = struct_passed_on(base, scope)
    return None if held is None else Slot("", "", held)


def cast_field(base: Any, names: list[str], scope: Scope) -> Any:
    """Return the item that a path names in a row cast to a type, else the base itself.

    (ROW(a, b)::place).lat      a
    """
    item = built_field(around_of(base), names[0], scope) if names else None
    if item is None:
        return base

    value_of(base, NEUTRAL, scope)  # the other fields are read as well
    return item


def column_by_number(base: exp.Parameter, scope: Scope) -> Slot | None:
    """$1:id      Snowflake: a part of the first column of the only source"""
    if not scope.evaluation.facts.columns_by_number or len(scope.order) != 1:
        return None

    return scope.positional(scope.order[0], f"${base.name}", base) if base.name.isdigit() else None


def item_at(node: exp.Expr) -> Any:
    """Return an item of a row that the text lists.

    ROW(a, b)[1], (a, b).2, tupleElement((a, b), 2)

    an item of what is written down; None for any other part
    """
    if not isinstance(node, (exp.Bracket, exp.Dot)):
        return None

    holder = node.this.unnest()
    if isinstance(node, exp.Bracket) and is_row(holder) and len(node.expressions) == 1:
        number, first = node.expressions[0], 0  # the parser counts from zero
    elif isinstance(node, exp.Dot) and isinstance(holder, exp.Tuple):
        number, first = node.expression, 1
    else:
        return None

    position = whole_number(number)
    if position is not None and 0 <= position - first < len(holder.expressions):
        return argument_value(holder.expressions[position - first])

    return None


def whole_number(node: exp.Expr) -> int | None:
    """Return the number that a literal of digits is, else None."""
    if not isinstance(node, exp.Literal) or node.is_string or not node.name.isdigit():
        return None

    return int(node.name)


def is_row(node: exp.Expr) -> bool:
    """Tell whether the text lists the values of a row.

    ROW(a, b), (a, b)
    """
    if isinstance(node, exp.Anonymous):
        return node.name.lower() == "row"

    return isinstance(node, (exp.Struct, exp.Tuple))


def field_at(node: exp.Expr, scope: Scope) -> Lineage | None:
    """Return a field by its position, of a row that the same statement builds.

    SELECT r[1] FROM (SELECT ROW(a, b) AS r FROM t)      a
    SELECT unnest(list_zip(a, b))[1] FROM t              a
    """
    position = position_in(node)
    if position is None:
        return None

    holder = node.this
    if isinstance(holder, exp.Column):
        held: Lineage | None = held_by(holder, scope)
    elif isinstance(holder, (exp.Explode, exp.Bracket)) and not names_fields(holder.this):
        held = zipped_item(holder.this, scope)
    else:
        return None

    found = held.field_at(position) if isinstance(held, Row) else None
    if found is not None:
        value_of(holder, NEUTRAL, scope)  # the other fields are read as well

    return found


def names_fields(array: Any) -> bool:
    """arrays_zip(a, b)['a'][0]      Spark: fields have names, and [0] is an item"""
    return isinstance(array, exp.ArraysZip)


def position_in(node: exp.Expr) -> int | None:
    """Return the position of a field, from 0.

    r[1], struct_extract(r, 1)      0
    """
    if isinstance(node, exp.StructExtract):
        number, first = node.expression, 1
    elif isinstance(node, exp.Bracket) and len(node.expressions) == 1:
        number, first = node.expressions[0], 0  # the parser counts from zero
    else:
        return None

    position = whole_number(number)
    return None if position is None else position - first


def around_of(node: exp.Expr) -> Any:
    """Return the node around parentheses.

    ((node))      what the parentheses stand in
    """
    holder = node.parent
    while isinstance(holder, exp.Paren):
        holder = holder.parent

    return holder


def column_of_row(base: exp.Column, scope: Scope) -> exp.Column | None:
    """Find a column of a row.

    (t).a      a column of t, where t is a row and no column
    """
    if not isinstance(base.parent, exp.Paren) or scope.row(base) is None:
        return None

    holder = around_of(base)
    if isinstance(holder, exp.Dot):
        return exp.Column(this=holder.expression.copy(), table=base.this.copy())

    return None


def row_of_query(
    node: exp.Expr, names: list[str], scope: Scope
) -> tuple[Slot, list[str], Lineage] | None:
    """Return the column of a subquery that a path leads into, the rest of the path, and what
    decides the rows of the subquery.

    (SELECT AS STRUCT a, b FROM t).b, ARRAY(SELECT STRUCT(a AS p, b AS q) FROM t)[0].q
    """
    if isinstance(node, exp.Array) and len(node.expressions) == 1:
        node = node.expressions[0]

    query = node.unnest()
    if not names or not isinstance(query, exp.Query):
        return None

    frame = scope.evaluation.frame_of(node, scope)
    if query.args.get("kind") == "STRUCT":
        slot = frame.index.get(scope.evaluation.fold(names[0], False))
        if slot is None:
            return None

        return slot, names[1:], frame.rows

    if len(frame.slots) != 1 or frame.slots[0].star is not None:
        return None

    return frame.slots[0], names, frame.rows


def built_field(node: exp.Expr, name: str, scope: Scope) -> Any:
    """Find a field of a row that is cast to a type.

    (ROW(a, b)::place).lat      a, where place is known; else None
    """
    if not isinstance(node, exp.Cast):
        return None

    row, fields = node.this.unnest(), fields_of(node, scope)
    if not is_row(row) or name not in fields or len(fields) != len(row.expressions):
        return None

    return row.expressions[fields.index(name)]
