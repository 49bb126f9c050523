"""Calls of functions, by their role in the function table."""

from __future__ import annotations

from collections.abc import Callable
from itertools import takewhile
from typing import Any

from sqlglot import exp

from lineal.algebra.expression import (
    VALUE,
    aggregate_of,
    chosen_by_first,
    chosen_in_turns,
    counting_way,
    masking_way,
    over,
    value,
    when,
)
from lineal.algebra.frame import slot_at
from lineal.algebra.functions import Role, known
from lineal.algebra.lineage import pour
from lineal.extract.sql.casts import cast_behind
from lineal.extract.sql.dialects.table_functions import COLUMNS, ONE_ROW
from lineal.extract.sql.expressions.bodies import compose_body
from lineal.extract.sql.expressions.date_parts import column_of_unit, date_part
from lineal.extract.sql.expressions.lambdas import walk_items
from lineal.extract.sql.expressions.leaves import identifier
from lineal.extract.sql.expressions.outputs import CALL, output
from lineal.extract.sql.expressions.parts import part
from lineal.extract.sql.expressions.rows import ROWS, row_of
from lineal.extract.sql.expressions.walk import (
    HANDLERS,
    STAR,
    Calls,
    Stack,
    Visit,
    push_by_law,
    push_children,
    star,
    take,
    value_and_condition,
)
from lineal.extract.sql.nodes import is_string, part_names
from lineal.extract.sql.paths import step_of
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source
from lineal.model.sequences import flatten
from lineal.model.way import Way, compose


def function(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a function call.

    f(a, b)      by the function table; a function whose body is known is walked through
    """
    evaluation = visit.scope.evaluation
    if evaluation.catalog.functions and compose_body(node, way, calls, visit.scope, visit.into):
        return

    kind = node.__class__
    row = (
        ROWS[kind]
        if kind in ROWS and not evaluation.own_functions.rows
        else row_of(node, visit.scope)
    )
    if row is None and (operand := cast_behind(node, evaluation.facts)) is not None:
        visit.stack.append((operand, value(way), (node, calls)))
    elif row is None:
        push_children(node, way.after.get(VALUE) or compose(way, VALUE), (node, calls), visit.stack)
    else:
        ROLES[row.role](node, row.masks, way, calls, visit)


def higher_order(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a call that may have lambdas.

    transform(xs, x -> x.p)      xs.p
    """
    if not walk_items(node, way, calls, visit):
        function(node, way, calls, visit)


def columns(node: exp.Columns, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk COLUMNS(…) inside an expression.

    max(COLUMNS(*)): one output for each column, and this is the one at hand;
    coalesce(*COLUMNS(*)), WHERE COLUMNS(*) > 0: all of them
    """
    if visit.scope.each is not None and not node.args.get("unpack"):
        pour(visit.scope.each.lineage, way, visit.into, node, calls)
    else:
        star(node, way, calls, visit)


def named_call(node: exp.Anonymous, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a call of a function that the parser does not know.

    f(a)      a function that the parser does not know; PostgreSQL's may make rows
    """
    if node.name.lower() in COLUMNS and node.name.lower() not in ONE_ROW:
        HANDLERS[exp.Explode](node, way, calls, visit)
    elif node.name.startswith(CALL):
        output(node, way, calls, visit)
    elif (
        step_of(node) is not None
        and node.name.lower() not in visit.scope.evaluation.catalog.functions
    ):
        part(node, way, calls, visit)
    elif (column := column_as_call(node, visit.scope)) is not None:
        visit.stack.append((column, way, calls))
    elif combines(node, visit.scope):
        conditional_aggregate(node, way, calls, visit)
    elif node.name.lower() == "multiif":  # ClickHouse: multiIf(a > 1, b, c > 2, d, e)
        push_by_law(chosen_in_turns, node.expressions, way, (node, calls), visit.stack)
    else:
        higher_order(node, way, calls, visit)


def column_as_call(node: exp.Anonymous, scope: Scope) -> exp.Column | None:
    """SELECT name(t) FROM t      PostgreSQL: t.name, where t is a row that has a name"""
    if not scope.evaluation.facts.sets_in_select or len(node.expressions) != 1:
        return None

    row = scope.row(node.expressions[0])
    key = scope.evaluation.fold(node.name, False)
    if row is None or key not in row.index or key in scope.evaluation.catalog.functions:
        return None

    return exp.Column(this=exp.to_identifier(node.name), table=node.expressions[0].this.copy())


def combines(node: exp.Anonymous, scope: Scope) -> bool:
    """groupArraySortedIf(a, b), sparkbarState(a, b)      ClickHouse: an aggregate and its suffixes"""
    name = node.name
    suffixes = scope.evaluation.facts.suffixes
    while suffixes and known(name.lower()) is None:
        suffix = next((each for each in suffixes if name.endswith(each)), name)
        name = name.removesuffix(suffix)
        if not name:
            return False

    row = known(name.lower()) if name != node.name else None
    return row is not None and row.role is Role.AGGREGATE


def conditional_aggregate(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """sumIf(a, b), quantileIf(0.9)(a, b)      ClickHouse's sum(a) FILTER (WHERE b)"""
    name = node.name.lower()
    around = (node, calls)
    step = counting_way(way) if name.startswith(("count", "uniq")) else aggregate_of(way)
    arguments_ = node.args.get("params") or node.expressions
    if "if" in name and arguments_:
        visit.stack.append((arguments_[-1], when(way), around))
        arguments_ = arguments_[:-1]

    for argument in reversed(arguments_):
        visit.stack.append((argument, step, around))


def scalar(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a scalar function.

    upper(a): TRANSFORMATION; sha2(a, 256): masked
    """
    arguments(node, masking_way(way) if masks else value(way), calls, visit.stack)


def aggregate(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk an aggregate function.

    sum(a): AGGREGATION; count(a): masked
    """
    arguments(node, counting_way(way) if masks else aggregate_of(way), calls, visit.stack)


def grouping(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk GROUPING and GROUPING_ID.

    GROUPING(a): a is CONDITIONAL; GROUPING_ID(): every key of the query is
    """
    if any(True for _ in node.iter_expressions()):
        arguments(node, when(way), calls, visit.stack)
        return

    query = node.find_ancestor(exp.Select)
    group = query.args.get("group") if query is not None else None
    if group is not None:
        push_children(group, when(way), (node, calls), visit.stack)


def ranking(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a ranking function.

    row_number(), ntile(4)      no argument reaches the value

    RANK(a)                     Teradata: a is the order, where no OVER tells it
    """
    if isinstance(node, exp.Rank) and not isinstance(node.parent, exp.Window):
        visit.stack.extend((key, over(way), (node, calls)) for key in node.expressions)


def coalesce(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk COALESCE.

    COALESCE(a, b)      each is value, and each decides whether it is taken
    """
    around = (node, calls)
    for child in node.iter_expressions():
        value_and_condition(child, way, around, visit.scope, visit.into)


def date_function(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a date function, whose unit is not a column.

    DATEDIFF(minute, a, b)

    minute is a date part, a and b are columns, also if they are called day and month
    """
    around = (node, calls)
    step = value(way)
    part = date_part(node, visit.scope)
    for child in reversed(list(node.iter_expressions())):
        if child is part:
            continue

        if child is node.args.get("unit"):
            child = column_of_unit(child, visit.scope)

        visit.stack.append((child, step, around))


def lookup(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a look-up in a ClickHouse dictionary.

    dictGet('db.codes', 'label', a)      the label of the dictionary db.codes, and a
    """
    named, *rest = node.expressions or [None]
    if not isinstance(named, (exp.Literal, exp.Column)):
        scalar(node, masks, way, calls, visit)
        return

    evaluation = visit.scope.evaluation
    around, step = (node, calls), value(way)
    for argument in reversed(rest[1:]):
        visit.stack.append((argument, step, around))

    if isinstance(named, exp.Literal):
        spelling = named.name
    else:
        spelling = ".".join(part_names(named))

    key = ".".join(evaluation.fold_dataset(part, False) for part in spelling.split("."))
    dataset, frame = evaluation.scan(key, spelling, node)
    source = Source(key, key, frame, dataset)
    for attribute in flatten(argument.expressions or [argument] for argument in rest[:1]):
        if is_string(attribute):
            name_key = evaluation.fold(attribute.name, True)
            slot = slot_at(source.index, name_key) or visit.scope.from_stars(
                source, attribute.name, name_key, attribute
            )
            if slot is not None:
                take(slot, step, visit.into, attribute, around)


def path_in_arguments(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a function whose arguments are a path.

    jsonb_extract_path(doc, 'a', b), tupleElement(pair, 'x')      doc.a, and b; pair.x
    """
    if node.expressions:
        visit.stack.extend(
            (each, value(way), (node, calls)) for each in path_called(node, visit.scope)
        )


def path_called(node: exp.Expr, scope: Scope) -> list[exp.Expr]:
    """The path as brackets, and what else is read; behind a key that is not written out nothing is
    known of it.
    """
    document, *arguments = node.expressions
    named = list(takewhile(lambda key: isinstance(key, exp.Literal), arguments))
    others = arguments[len(named) :]
    if isinstance(document, exp.Anonymous) and document.expressions:
        row = row_of(document, scope)
    else:
        row = None

    if row is not None and row.role is Role.PATH:
        document, *beside = path_called(document, scope)
        named, others = [] if beside else named, [*others, *beside]

    keys = list(map(counted_from_zero, named))
    return [exp.Bracket(this=document.copy(), expressions=keys), *others]


def counted_from_zero(key: exp.Literal) -> exp.Literal:
    """Return the key of a bracket as the parser gives it: tupleElement(pair, 1) is pair[0]."""
    if key.is_string or not key.name.isdecimal() or key.name == "0":
        return key.copy()

    return exp.Literal(this=str(int(key.name) - 1), is_string=False)


def choice(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a choice by number.

    CHOOSE(n, a, b), ELT(n, a, b)      n: CONDITIONAL; a, b: TRANSFORMATION
    """
    push_by_law(chosen_by_first, list(node.iter_expressions()), way, (node, calls), visit.stack)


def moving_function(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a window function that has its order in its arguments.

    CSUM(a, d), MAVG(a, 3, d)      a: AGGREGATION; d: WINDOW
    """
    in_order(node, aggregate_of(way), way, calls, visit.stack)


def difference_of_rows(node: exp.Expr, masks: bool, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a difference of rows.

    MDIFF(a, 1, d)      a: TRANSFORMATION; d: WINDOW
    """
    in_order(node, value(way), way, calls, visit.stack)


def in_order(node: Any, step: Way, way: Way, calls: Calls, stack: Stack) -> None:
    """Push the value and the sort key of a window function."""
    around = (node, calls)
    taken, *others = list(node.iter_expressions()) or [None]
    if others:
        stack.append((others[-1], over(way), around))

    if taken is not None:
        stack.append((taken, step, around))


ROLES: dict[Role, Callable[[Any, bool, Way, Calls, Visit], None]] = {
    Role.SCALAR: scalar,
    Role.AGGREGATE: aggregate,
    Role.ORDERED: aggregate,
    Role.VALUE_AT: aggregate,
    Role.RANKING: ranking,
    Role.GROUPING: grouping,
    Role.COALESCE: coalesce,
    Role.DATE: date_function,
    Role.LOOKUP: lookup,
    Role.NAME: identifier,
    Role.PATH: path_in_arguments,
    Role.CHOICE: choice,
    Role.MOVING: moving_function,
    Role.MOVED: difference_of_rows,
}


def arguments(node: exp.Expr, step: Way, calls: Calls, stack: Stack) -> None:
    """Push the arguments of a call; the star of COUNT(*) is none."""
    size = len(stack)
    push_children(node, step, (node, calls), stack)
    if len(stack) > size and stack[-1][0].__class__ is STAR and counts_rows(node):
        stack.pop()


def counts_rows(node: Any) -> bool:
    """Tell whether a call counts rows.

    COUNT(*)      counts rows, and reads no column
    """
    return isinstance(node, exp.Count) or getattr(node, "name", "").lower().startswith("count")


def aggregate_call(node: exp.Expr, way: Way, calls: Calls, visit: Visit) -> None:
    """Walk a call that only an aggregate can be.

    f(a) in f(a) OVER (…), f(a) FILTER (…), f(0.5) WITHIN GROUP (…)

    an aggregate, whatever f is
    """
    if (
        isinstance(node, exp.Func)
        and row_of(node, visit.scope) is None
        and not visit.scope.evaluation.has_body(node)
    ):
        arguments(node, aggregate_of(way), calls, visit.stack)
    else:
        visit.stack.append((node, way, calls))
