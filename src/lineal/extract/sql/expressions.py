"""Expressions: one walk from the outside in, one handler per construct that is more than an
operator.

The walk keeps its own stack, so that a sum of 5,000 terms is no recursion. A node that stands in no
table is an operator or a function: everything below it is transformed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.expression import (
    VALUE,
    aggregate_of,
    chosen_by_first,
    chosen_by_operand,
    chosen_in_turns,
    counted,
    masked,
    over,
    value,
    when,
    windowed,
)
from lineal.algebra.frame import Slot, slot_at
from lineal.algebra.functions import DATE_PARTS, Function, Role, known
from lineal.algebra.lineage import NOTHING, Expression, Lineage, absorb, pour, pour_and_decide
from lineal.algebra.relation import take_existence, take_row, take_value
from lineal.algebra.values import Part, Struct, build_items, build_struct, carry, keep_parts
from lineal.extract.sql.casts import cast_behind
from lineal.extract.sql.composites import fields_of
from lineal.extract.sql.dialects.table_functions import COLUMNS, ONE_ROW
from lineal.extract.sql.methods import as_function
from lineal.extract.sql.paths import PATHS, arrow_meant, leads_to_part, path_of, reaches, step_of
from lineal.extract.sql.scope import Scope, Source, field_of
from lineal.extract.sql.structs import is_document, parsed_document
from lineal.extract.sql.tables import column_in_text, literal_name
from lineal.model.way import IDENTITY as NEUTRAL
from lineal.model.way import Clause, Way, compose

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.pieces import Routine

Stack = list[tuple[Any, Way, Any]]
Handler = Callable[[Any, Way, Any, Stack, Scope, Lineage], None]


def gather(root: exp.Expr, way: Way, into: Lineage, scope: Scope, calls: Any = None) -> None:
    """Add the influences of every column below `root`, each composed with `way`.

    The two kinds of node that make up most of any query, columns and binary operators, are done in
    place.
    """
    stack: Stack = [(root, way, calls)]
    pop = stack.pop
    push = stack.append
    find = HANDLERS.get
    resolve = scope.column
    while stack:
        node, way, calls = pop()
        handler = find(node.__class__)
        if handler is column:
            if node.args["this"].__class__ is STAR:
                star(node, way, calls, stack, scope, into)
            else:
                take(resolve(node), way, into, node, calls)
        elif handler is binary:
            step = way.after.get(VALUE) or compose(way, VALUE)
            around = (node, calls)
            args = node.args
            right = args["expression"]
            kind = right.__class__
            if kind is COLUMN:
                take(resolve(right), step, into, right, around)
            elif kind is not LITERAL:
                push((right, step, around))
            left = args["this"]
            if left.__class__ is COLUMN:
                take(resolve(left), step, into, left, around)
            else:
                push((left, step, around))
        elif handler is connector:
            step = way.after.get(VALUE) or compose(way, VALUE)
            args = node.args
            push((args["expression"], step, calls))
            push((args["this"], step, calls))
        elif handler is nothing:
            continue
        elif handler is None:
            HANDLERS[node.__class__] = handler_for(node.__class__)
            push((node, way, calls))
        else:
            handler(node, way, calls, stack, scope, into)


def take(slot: Slot, way: Way, into: Lineage, node: Any, calls: Any) -> None:
    """Add a column's influences; a column taken straight from a dataset is one, and composing it
    changes nothing.
    """
    scanned = slot.scanned
    if scanned is not None:
        key = (scanned, way)
        if key not in into:
            into[key] = (node, calls, None, None)
            return
    pour(slot.lineage, way, into, node, calls)


COLUMN, LITERAL, STAR = exp.Column, exp.Literal, exp.Star


def expression_in(scope: Scope, node: exp.Expr) -> Expression:
    """An expression in the scope that its names are looked up in."""
    return lambda way, into: gather(node, way, into, scope)


def value_of(node: exp.Expr, way: Way, scope: Scope) -> Lineage:
    into: Lineage = {}
    gather(node, way, into, scope)
    return into


# -- leaves and operators --------------------------------------------------------------------------


def column(
    node: exp.Column, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """orders.amount      the amount of orders"""
    pour(scope.column(node).lineage, way, into, node, calls)


def binary(
    node: exp.Binary, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """a + b, a = b, a AND b      both are transformed"""
    operator(node, way, calls, stack, scope, into)


def connector(
    node: exp.Connector, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """a AND b      both are transformed; AND itself is no step worth naming on the path"""
    below(node, value(way), calls, stack)


def nothing(
    node: exp.Expr, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """42, 'text', INTEGER      no column below"""


def operator(
    node: exp.Expr, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """Whatever it does, it does it to everything below."""
    below(node, value(way), (node, calls), stack)


def below(node: exp.Expr, step: Way, around: Any, stack: Stack) -> None:
    """Push the children of a node, so that the first is walked first."""
    for child in reversed(node.args.values()):
        if child.__class__ is list:
            for item in reversed(child):
                if item.__class__ not in PLAIN and isinstance(item, exp.Expr):
                    stack.append((item, step, around))
        elif child is not None and child.__class__ not in PLAIN and isinstance(child, exp.Expr):
            stack.append((child, step, around))


PLAIN = frozenset((bool, str, int, exp.Literal, exp.DataType, exp.Var))
"""What stands in a node's arguments and has no column below it."""


def through(
    node: exp.Expr, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """DISTINCT a, b      nothing is done to either"""
    below(node, way, calls, stack)


def inside(node: exp.Expr, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """(a), a AS b      only what stands inside, the alias is no column"""
    if node.this is not None:
        stack.append((node.this, way, calls))


def assigned(
    node: exp.Expr, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """f(name => a), {name: a}      only a"""
    stack.append((node.args["expression"], way, calls))


def star(node: exp.Expr, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """hash(*), struct(t.*)      every column"""
    for slot in scope.evaluation.star_slots(node, scope):
        pour(slot.lineage, way, into, node, calls)


def columns(
    node: exp.Columns, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """max(COLUMNS(*)): one output for each column, and this is the one at hand;
    coalesce(*COLUMNS(*)): all of them
    """
    if node.args.get("unpack"):
        star(node, way, calls, stack, scope, into)
    elif scope.each is not None:
        pour(scope.each.lineage, way, into, node, calls)
    else:
        function(node, way, calls, stack, scope, into)


ABSOLUTE = frozenset(("postgres", "redshift", "materialize", "risingwave"))


def parameter(
    node: exp.Parameter, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """$1

    Snowflake: the first column of the only source; elsewhere a parameter, and no column; @x: a
    variable

    @ x in PostgreSQL is no parameter: the absolute value of x.
    """
    around = scope.evaluation.around
    if around is not None:
        slot = around.sigil(node)
        if slot is not None:
            pour(slot.lineage, way, into, node, calls)
            return
    if is_absolute(node, scope):
        name = exp.Identifier(this=node.this.name, quoted=False)
        stack.append((exp.Column(this=name), value(way), (node, calls)))
    if scope.evaluation.facts.name == "snowflake" and len(scope.order) == 1:
        slot = (
            scope.positional(scope.order[0], f"${node.name}", node) if node.name.isdigit() else None
        )
        if slot is not None:
            pour(slot.lineage, way, into, node, calls)


def is_absolute(node: exp.Parameter, scope: Scope) -> bool:
    """@ x, @ t.x      PostgreSQL's absolute value"""
    return scope.evaluation.facts.name in ABSOLUTE and node.this.__class__ is exp.Var


def placeholder(
    node: exp.Placeholder, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """:x      a variable of the procedure around; elsewhere a parameter, and no column"""
    around = scope.evaluation.around
    slot = around.sigil(node) if around is not None else None
    if slot is not None:
        pour(slot.lineage, way, into, node, calls)


# -- conditions ------------------------------------------------------------------------------------


def case(node: exp.Case, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """CASE WHEN paid THEN amount END      paid: CONDITIONAL, amount: TRANSFORMATION"""
    around = (node, calls)
    args = node.args
    items = [item for arm in args["ifs"] for item in (arm.args["this"], arm.args["true"])]
    if args.get("default") is not None:
        items.append(args["default"])
    push_by_law(chosen_in_turns, items, way, around, stack)
    if args.get("this") is not None:
        stack.append((args["this"], when(way), around))


def if_(node: exp.If, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """IF(paid, amount, 0), NVL2(a, b, c)      the test decides, the branches are the value"""
    branches = [
        node.args[branch] for branch in ("true", "false") if node.args.get(branch) is not None
    ]
    push_by_law(chosen_by_first, [node.args["this"], *branches], way, (node, calls), stack)


def nullif(
    node: exp.Nullif, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """NULLIF(a, b)      a is the value, both decide"""
    around = (node, calls)
    stack.append((node.args["expression"], when(way), around))
    both(node.args["this"], way, around, scope, into)


def both(node: Any, way: Way, around: Any, scope: Scope, into: Lineage) -> None:
    """What is a value and decides, too: walked once and poured twice, or ten nested COALESCEs were
    a thousand walks.
    """
    if node.__class__ not in PLAIN:
        found = Apart()
        gather(node, NEUTRAL, found, scope)
        pour_and_decide(found, way, into, None, around)
        absorb(found.rows, rows_of(into))


class Apart(dict[tuple[Any, Way], Any]):
    """A lineage that is still to be composed, and the rows of its subqueries, which are not."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Lineage = {}


def rows_of(into: Lineage) -> Lineage:
    return into.rows if into.__class__ is Apart else into


def decode(
    node: exp.DecodeCase, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """DECODE(a, 1, b, 2, c, d)      a and the searched decide; b, c, d are the value"""
    push_by_law(chosen_by_operand, node.expressions, way, (node, calls), stack)


Law = Callable[[Sequence[Any], Way], list[tuple[Any, Way]]]


def push_by_law(law: Law, arguments_: Sequence[Any], way: Way, around: Any, stack: Stack) -> None:
    """Push arguments, each with what it is to the value by an argument law; the first is walked
    first.
    """
    for argument, step in reversed(law(arguments_, way)):
        stack.append((argument, step, around))


# -- functions -------------------------------------------------------------------------------------


def function(node: Any, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """f(a, b)      by the function table; a function whose body is known is walked through"""
    evaluation = scope.evaluation
    if evaluation.catalog.functions and compose_body(node, way, calls, scope, into):
        return
    kind = node.__class__
    row = ROWS[kind] if kind in ROWS and not evaluation.own_functions.rows else row_of(node, scope)
    if row is None and (operand := cast_behind(node, evaluation.facts)) is not None:
        stack.append((operand, value(way), (node, calls)))
    elif row is None:
        below(node, way.after.get(VALUE) or compose(way, VALUE), (node, calls), stack)
    else:
        ROLES[row.role](node, row.masks, way, calls, stack, scope, into)


def scalar(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """upper(a): TRANSFORMATION; sha2(a, 256): masked"""
    arguments(node, masked(way) if masks else value(way), calls, stack)


def aggregate(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """sum(a): AGGREGATION; count(a): masked"""
    arguments(node, counted(way) if masks else aggregate_of(way), calls, stack)


def grouping(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """GROUPING(a): a is CONDITIONAL; GROUPING_ID(): every key of the query is"""
    if any(True for _ in node.iter_expressions()):
        arguments(node, when(way), calls, stack)
        return
    query = node.find_ancestor(exp.Select)
    group = query.args.get("group") if query is not None else None
    if group is not None:
        below(group, when(way), (node, calls), stack)


def ranking(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """row_number(), ntile(4)      no argument reaches the value"""


def coalesce(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """COALESCE(a, b)      each is value, and each decides whether it is taken"""
    around = (node, calls)
    for child in node.iter_expressions():
        both(child, way, around, scope, into)


def date_function(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """DATEDIFF(minute, a, b)

    minute is a date part, a and b are columns, also if they are called day and month
    """
    around = (node, calls)
    step = value(way)
    part = date_part(node, scope)
    for child in reversed(list(node.iter_expressions())):
        if child is part:
            continue
        if child is node.args.get("unit"):
            child = column_of_unit(child, scope)
        stack.append((child, step, around))


def identifier(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """IDENTIFIER('t.a')      the column that the text names"""
    text = literal_name(node)
    if text is not None:
        stack.append((column_in_text(text), way, calls))


def dynamic_identifier(
    node: Any, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """IDENTIFIER('t.a'), where sqlglot knows it"""
    identifier(node, False, way, calls, stack, scope, into)


def lookup(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """dictGet('db.codes', 'label', a)      the label of the dictionary db.codes, and a"""
    named, *rest = node.expressions or [None]
    if not isinstance(named, (exp.Literal, exp.Column)):
        scalar(node, masks, way, calls, stack, scope, into)
        return
    evaluation = scope.evaluation
    around, step = (node, calls), value(way)
    for argument in reversed(rest[1:]):
        stack.append((argument, step, around))
    spelling = (
        named.name
        if isinstance(named, exp.Literal)
        else ".".join(part.name for part in named.parts)
    )
    key = ".".join(evaluation.fold_table(part, False) for part in spelling.split("."))
    dataset, frame = evaluation.scan(key, spelling, node)
    source = Source(key, key, frame, dataset)
    for attribute in [
        item for argument in rest[:1] for item in (argument.expressions or [argument])
    ]:
        if isinstance(attribute, exp.Literal) and attribute.is_string:
            name_key = evaluation.fold(attribute.name, True)
            slot = slot_at(source.index, name_key) or scope.from_stars(
                source, attribute.name, name_key, attribute
            )
            if slot is not None:
                take(slot, step, into, attribute, around)


def path_in_arguments(
    node: Any, masks: bool, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """jsonb_extract_path(doc, 'a', b), tupleElement(pair, 'x')      doc.a, and b; pair.x"""
    if node.expressions:
        stack.extend((each, value(way), (node, calls)) for each in path_called(node, scope))


def path_called(node: Any, scope: Scope) -> list[exp.Expr]:
    """The path as brackets, and what else is read; behind a key that is not written out nothing is
    known of it.
    """
    document, *keys = node.expressions
    named = list(takewhile(lambda key: isinstance(key, exp.Literal), keys))
    others = keys[len(named) :]
    row = (
        row_of(document, scope)
        if isinstance(document, exp.Anonymous) and document.expressions
        else None
    )
    if row is not None and row.role is Role.PATH:
        document, *beside = path_called(document, scope)
        named, others = [] if beside else named, [*others, *beside]
    return [exp.Bracket(this=document.copy(), expressions=[key.copy() for key in named]), *others]


ROLES: dict[Role, Callable[[Any, bool, Way, Any, Stack, Scope, Lineage], None]] = {
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
}


def arguments(node: Any, step: Way, calls: Any, stack: Stack) -> None:
    size = len(stack)
    below(node, step, (node, calls), stack)
    if len(stack) > size and stack[-1][0].__class__ is STAR and counts_rows(node):
        stack.pop()


def counts_rows(node: Any) -> bool:
    """COUNT(*)      counts rows, and reads no column"""
    return isinstance(node, exp.Count) or getattr(node, "name", "").lower().startswith("count")


def date_part(node: Any, scope: Scope) -> Any:
    """The argument that is a date part: the parser's unit; in a function that it does not know, the
    first or the last.

    DATEDIFF(minute, a, b), read as (value, value, unit), makes a unit of b: then minute is the
    part.
    """
    unit = node.args.get("unit")
    if computes(unit):
        return None
    if unit is not None and (unit.__class__ not in WORDS or unit.name.lower() in DATE_PARTS):
        return unit
    if unit is None and node.__class__ is not exp.Anonymous:
        return None
    arguments_ = (
        node.expressions
        if unit is None
        else [node.this]
        if node.args.get("expression") is not None
        else []
    )
    if unit is None and (
        len(arguments_) < 2 or any(argument.__class__ is exp.Interval for argument in arguments_)
    ):
        return None
    if any(names_part(argument) for argument in arguments_[:1]):
        return arguments_[0]
    last = arguments_[-1] if unit is None and arguments_[0].__class__ is exp.Column else None
    return last if last is not None and names_part(last) and not scope.has(last) else None


WORDS = (exp.Var, exp.Literal)


def computes(unit: Any) -> bool:
    """trunc(a, t.period), date_trunc(lower(period), a)

    a value that only the rows tell; not WEEK(MONDAY)
    """
    return isinstance(unit, (exp.Column, exp.Func)) and unit.find(exp.Column) is not None


def names_part(node: Any) -> bool:
    """day in DATEADD(day, 1, a); not "day", not t.day"""
    return (
        node.__class__ is exp.Column
        and node.args.get("table") is None
        and not node.args["this"].args.get("quoted")
        and node.name.lower() in DATE_PARTS
    )


def column_of_unit(node: Any, scope: Scope) -> Any:
    """date_trunc(period, a)

    the parser makes a word of every unit; one that the text does not quote is a column
    """
    if node.__class__ not in WORDS:
        return node
    spelled = scope.evaluation.reading.unquoted(node.name)
    return exp.Column(this=exp.Identifier(this=spelled, quoted=False)) if spelled else node


def extract(
    node: exp.Extract, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """EXTRACT(YEAR_MONTH FROM a)      the unit is no column, whatever it is called"""
    stack.append((node.args["expression"], value(way), (node, calls)))


def named_call(
    node: exp.Anonymous, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """f(a)      a function that the parser does not know; PostgreSQL's may make rows"""
    if node.name.lower() in COLUMNS and node.name.lower() not in ONE_ROW:
        HANDLERS[exp.Explode](node, way, calls, stack, scope, into)
    elif step_of(node) is not None and node.name.lower() not in scope.evaluation.catalog.functions:
        part(node, way, calls, stack, scope, into)
    elif node.name.lower() == "multiif":  # ClickHouse: multiIf(a > 1, b, c > 2, d, e)
        push_by_law(chosen_in_turns, node.expressions, way, (node, calls), stack)
    else:
        function(node, way, calls, stack, scope, into)


def any_(node: exp.Any, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """a = ANY (…)      an operator; any(a), some(a): Spark's bool_or"""
    compared = isinstance(node.parent, exp.Binary) and node.parent.args.get("expression") is node
    step = value(way) if compared or isinstance(node.this, exp.Query) else aggregate_of(way)
    stack.append((node.this, step, (node, calls)))


def combined(node: Any, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """sumIf(a, b), quantileIf(0.9)(a, b)      ClickHouse's sum(a) FILTER (WHERE b)"""
    name = node.name.lower()
    around = (node, calls)
    step = counted(way) if name.startswith(("count", "uniq")) else aggregate_of(way)
    arguments_ = node.args.get("params") or node.expressions
    if "if" in name and arguments_:
        stack.append((arguments_[-1], when(way), around))
        arguments_ = arguments_[:-1]
    for argument in reversed(arguments_):
        stack.append((argument, step, around))


def compose_body(
    node: Any, way: Way, calls: Any, scope: Scope, into: Lineage, name: str = ""
) -> bool:
    """safe_divide(a, b), where the body is known: only what the body does to a and b counts"""
    evaluation = scope.evaluation
    overloads = evaluation.catalog.functions.get(name or function_name(node))
    if not overloads or evaluation.own_functions.row(node):
        return False
    given = list(node.iter_expressions())
    function = overload(overloads, len(given))
    summary = evaluation.catalog.summary_of(function, evaluation)
    if summary is None:
        return False
    evaluation.absorb(summary.evaluation, node)
    values = {
        i: value_of(argument, NEUTRAL, scope)
        for i, argument in summary.bound(given, evaluation.fold)
    }
    pour(summary.called_with(values), value(way), into, node, (node, calls))
    return True


def overload(functions: list[Routine], given: int) -> Routine:
    """The last one that takes as many arguments, else the last."""
    fitting = [each for each in functions if len(each.inputs) == given]
    return fitting[-1] if fitting else functions[-1]


def function_name(node: Any) -> str:
    if isinstance(node, (exp.Anonymous, exp.AnonymousAggFunc)):
        return str(node.name).lower()
    return str(node.sql_name()).lower()


ROWS: dict[type, Function | None] = {}
NAMED = (exp.Anonymous, exp.AnonymousAggFunc, exp.ParameterizedAgg)
ONLY_IN_AGGREGATES = (exp.Distinct, exp.Order, exp.Limit)


def row_of(node: Any, scope: Scope) -> Function | None:
    """The row of a call: the project's own, else the dialect's, else the table's.

    f(DISTINCT a), f(a ORDER BY b)      only aggregates are written so, whatever f is
    """
    own = scope.evaluation.own_functions
    found = own.row(node) if own else None
    if found is None:
        found = listed_row(node)
    if found is None and node.__class__ is exp.Anonymous:
        arguments_ = node.args.get("expressions")
        if arguments_ and arguments_[0].__class__ in ONLY_IN_AGGREGATES:
            return unlisted_aggregate(node)
    return found


def listed_row(node: Any) -> Function | None:
    """The function table's row for a node, by any of the names its class goes by."""
    kind = node.__class__
    if kind in NAMED:
        if node.parent.__class__ is exp.Dot and (
            found := known(f"{node.parent.this.name}.{node.name}".lower())
        ):
            return found
        return known(node.name.lower()) or (
            unlisted_aggregate(node) if kind is not exp.Anonymous else None
        )
    if kind not in ROWS:
        names = [name.lower() for name in kind.sql_names()]
        found = next((row for name in names if (row := known(name)) is not None), None)
        if found is None and issubclass(kind, exp.AggFunc):
            found = unlisted_aggregate(node)
        ROWS[kind] = found
    return ROWS[kind]


def unlisted_aggregate(node: Any) -> Function:
    return Function(function_name(node), Role.AGGREGATE, False)


def aggregate_call(node: Any, way: Way, calls: Any, stack: Stack, scope: Scope) -> None:
    """f(a) in f(a) OVER (…), f(a) FILTER (…), f(0.5) WITHIN GROUP (…)

    an aggregate, whatever f is
    """
    if (
        isinstance(node, exp.Func)
        and row_of(node, scope) is None
        and not scope.evaluation.has_body(node)
    ):
        arguments(node, aggregate_of(way), calls, stack)
    else:
        stack.append((node, way, calls))


# -- aggregates and windows ------------------------------------------------------------------------


def filtered(
    node: exp.Filter, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """sum(a) FILTER (WHERE b)      b: CONDITIONAL"""
    stack.append((node.args["expression"].this, when(way), (node.this, calls)))
    aggregate_call(node.this, way, calls, stack, scope)


def ordered(
    node: exp.Order, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """array_agg(a ORDER BY b)      b: WINDOW"""
    for key in reversed(node.expressions):
        stack.append((key.this, over(way), calls))
    if node.this is not None:
        stack.append((node.this, way, calls))


def within_group(
    node: exp.WithinGroup, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """percentile_cont(0.5) WITHIN GROUP (ORDER BY a)

    a: AGGREGATION; listagg(a) … (ORDER BY b): b: WINDOW
    """
    row = row_of(node.this, scope) if isinstance(node.this, exp.Func) else None
    # rank(5) WITHIN GROUP (ORDER BY a): where 5 would stand
    if row is not None and row.role is Role.RANKING:
        arguments(node.this, aggregate_of(way), calls, stack)
        stack.extend(
            (key.this, aggregate_of(way), (node.this, calls))
            for key in node.args["expression"].expressions
        )
        return
    argument_free = next(node.this.find_all(exp.Column), None) is None
    step = aggregate_of(way) if argument_free or (row and row.role is Role.ORDERED) else over(way)
    for key in reversed(node.args["expression"].expressions):
        stack.append((key.this, step, (node.this, calls)))
    aggregate_call(node.this, way, calls, stack, scope)


def window(
    node: exp.Window, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """sum(a) OVER (PARTITION BY b ORDER BY c)      a: AGGREGATION, b, c: WINDOW

    max(a) KEEP (DENSE_RANK FIRST ORDER BY b)       the same influences of an ordinary, ordered
    aggregate
    """
    inner = windowed(way) if node.args.get("over") != "KEEP" else way
    call = node.this
    while isinstance(call, (exp.IgnoreNulls, exp.RespectNulls)):
        call = call.this
    for key in reversed(window_keys(node)):
        stack.append((key, over(inner), (call, calls)))
    for key in inherited_keys(node, scope):
        clause, scope.clause = scope.clause, Clause.WINDOW
        gather(key, over(inner), into, scope, (call, calls))
        scope.clause = clause
    row = row_of(call, scope) if isinstance(call, exp.Func) else None
    if row is not None and row.role is Role.VALUE_AT:
        arguments(call, value(inner), calls, stack)
    else:
        aggregate_call(call, inner, calls, stack, scope)


def window_keys(node: exp.Window) -> list[Any]:
    """PARTITION BY a ORDER BY b ROWS c PRECEDING      a, b, c"""
    args = node.args
    order = args.get("order")
    sorted_by = [item.this for item in order.expressions] if order is not None else []
    spec = args.get("spec")
    bounds = [spec.args.get("start"), spec.args.get("end")] if spec is not None else ()
    return [
        *(args.get("partition_by") or ()), *sorted_by, *(bound for bound in bounds if isinstance(bound, exp.Expr)),
    ]  # fmt: skip


def inherited_keys(node: exp.Window, scope: Scope) -> list[Any]:
    """OVER w, OVER (w ORDER BY c)      the keys of the named windows that this one builds on"""
    keys: list[Any] = []
    seen: set[str] = set()
    named = node.args.get("alias")
    while named is not None:
        name = scope.evaluation.fold(named.name, named.args.get("quoted"))
        window = scope.windows.get(name)
        if window is None or name in seen:
            break
        seen.add(name)
        keys.extend(window_keys(window))
        named = window.args.get("alias")
    return keys


# -- subqueries, lambdas, fields -------------------------------------------------------------------


def subquery(
    node: exp.Expr, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """(SELECT max(a) FROM t WHERE b)      the value composes, the rows keep their own subtype"""
    take_value(scope.evaluation.frame_of(node, scope), way, into, rows_of(into), calls)


def exists(
    node: exp.Exists, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """EXISTS (SELECT … FROM t WHERE b)      no value, only the rows count"""
    if isinstance(node.this, (exp.Query, exp.Subquery)):
        take_existence(scope.evaluation.frame_of(node.this, scope), rows_of(into))
    else:  # Spark's exists(array, x -> …) is a function
        operator(node, way, calls, stack, scope, into)


def lambda_(
    node: exp.Lambda, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """transform(xs, x -> x + a)      x is the lambda's own, a is a column"""
    path = arrow_meant(node, scope.evaluation.facts.arrows)
    if path is not None:
        stack.append((path, way, calls))
        return
    gather(node.this, way, into, scope_with(node.expressions, scope))


def comprehension(
    node: exp.Comprehension, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage
) -> None:
    """[x + a FOR x IN xs IF x > b]

    xs and a are the value, b decides what is in it; x is no column
    """
    args = node.args
    inner = scope_with(
        [name for name in (args["expression"], args.get("position")) if name is not None], scope
    )
    gather(args["this"], value(way), into, inner, calls)
    if args.get("condition") is not None:
        gather(args["condition"], when(way), into, inner, calls)
    stack.append((args["iterator"], value(way), calls))


def scope_with(variables: Iterable[exp.Expr], scope: Scope) -> Scope:
    """The scope of a lambda's body: its variables hide columns, and are none."""
    inner = LambdaScope(scope.evaluation, scope, scope.ctes)
    inner.clause = scope.clause
    inner.windows = scope.windows
    inner.alias_first = True
    for variable in variables:
        key = scope.evaluation.fold(variable.name, False)
        inner.aliases[key] = Slot(variable.name, key, NOTHING)
    return inner


class LambdaScope(Scope):
    """transform(xs, x -> x.price + a)

    x is the lambda's own, a means what it means around it
    """

    __slots__ = ()

    def column(self, node: exp.Column) -> Slot:
        first = node.parts[0]
        if self.parent is None or self.evaluation.fold(first.name, False) in self.aliases:
            return super().column(node)
        return self.parent.column(node)


def dot(node: exp.Dot, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """a.b.c.d.e, f(x).y, (t).a      a field's path, a function of a package, a column of a row"""
    first: Any = node
    while isinstance(first, exp.Dot):
        if isinstance(first.expression, exp.Func):
            if not (
                scope.evaluation.catalog.functions
                and qualified_call(first, way, calls, scope, into)
            ):
                stack.append((as_function(first, scope) or first.expression, way, calls))
            return
        first = first.this
    part(node, way, calls, stack, scope, into)


def part(node: Any, way: Way, calls: Any, stack: Stack, scope: Scope, into: Lineage) -> None:
    """a.b[0].c, a:b.c, a -> 'b'      the path stays on the column, and reading a part transforms"""
    if (item := item_at(node)) is not None:
        value_of(node.this, NEUTRAL, scope)  # the other items are read as well
        stack.append((item, value(way), (node, calls)))
        return
    base, names, beside = path_of(node)
    around = calls if isinstance(node, exp.Dot) else (node, calls)
    step = value(way)
    if isinstance(base, exp.Parameter) and names and is_absolute(base, scope):
        base, names = exp.column(names[0], table=base.this.name), names[1:]
    if isinstance(base, exp.Column) and not isinstance(base.this, exp.Star):
        column = column_of_row(base, scope)
        if column is not None:
            step, names = way, names[1:]
        pour(field_of(scope.column(column or base), names, node).lineage, step, into, node, around)
    elif isinstance(base, exp.Struct) and names and has_star(base):
        pour(
            field_of(Slot("", "", struct_of(base, scope)), names, node).lineage,
            step,
            into,
            node,
            around,
        )
    elif (
        isinstance(base, exp.Struct) and names and (item := struct_item(base, names[0])) is not None
    ):
        found = Slot(names[0], names[0], Struct({}, {names[0].lower(): struct_of(item, scope)}))
        value_of(base, NEUTRAL, scope)  # the other fields are read as well
        pour(field_of(found, names, node).lineage, step, into, node, around)
    elif names and (held := carried(base, scope)) is not None:
        pour(field_of(Slot("", "", held), names, node).lineage, step, into, node, around)
    elif (field := struct_row(base, names, scope)) is not None:
        pour(field_of(field, names[1:], node).lineage, step, into, node, around)
    elif isinstance(base, exp.Placeholder) and names and scope.evaluation.around is not None:
        record = scope.evaluation.around.column(exp.column(names[0], table=base.name))
        pour(field_of(record, names[1:], node).lineage, way, into, node, around)
    else:
        built = built_field(around_of(base), names[0], scope) if names else None
        if built is not None:
            value_of(base, NEUTRAL, scope)  # the other fields are read as well
        stack.append((base if built is None else built, step, (node, calls)))
    for item in beside:
        stack.append((item, step, around))


def item_at(node: Any) -> Any:
    """ROW(a, b)[1], (a, b).2, tupleElement((a, b), 2)

    an item of what is written down; None for any other part
    """
    holder = node.this.unnest() if isinstance(node, (exp.Bracket, exp.Dot)) else None
    if (
        isinstance(node, exp.Bracket)
        and isinstance(holder, (exp.Struct, exp.Tuple))
        and len(node.expressions) == 1
    ):
        # the parser counts rows from zero
        number, first = node.expressions[0], int(isinstance(holder, exp.Tuple))
    elif isinstance(node, exp.Dot) and isinstance(holder, exp.Tuple):
        number, first = node.expression, 1
    else:
        return None
    if not isinstance(number, exp.Literal) or number.is_string or not number.name.isdigit():
        return None
    position = int(number.name) - first
    return (
        unnamed(holder.expressions[position]) if 0 <= position < len(holder.expressions) else None
    )


def around_of(node: Any) -> Any:
    """((node))      what the parentheses stand in"""
    holder = node.parent
    while isinstance(holder, exp.Paren):
        holder = holder.parent
    return holder


def column_of_row(base: exp.Column, scope: Scope) -> exp.Column | None:
    """(t).a      a column of t, where t is a row and no column"""
    if not isinstance(base.parent, exp.Paren) or scope.row(base) is None:
        return None
    holder = around_of(base)
    return (
        exp.Column(this=holder.expression.copy(), table=base.this.copy())
        if isinstance(holder, exp.Dot)
        else None
    )


def carried(node: Any, scope: Scope) -> Struct | None:
    """array_agg(t ORDER BY d)[0], any_value(STRUCT(a, b)), lag(STRUCT(a, b)) OVER (…)

    one that is passed on

    It has its fields, each with what is done to the whole; max_by(STRUCT(a, b), c): c is in every
    one of them.
    """
    inner, step, in_window = node, VALUE, False
    others: list[tuple[Any, Way]] = []
    while isinstance(inner, CARRIERS):
        if isinstance(inner, exp.Window):
            step, in_window = windowed(step), True
        elif isinstance(inner, CARRYING_AGGREGATES):
            step = step if isinstance(inner, VALUES_AT) and in_window else aggregate_of(step)
            others.extend(
                (each, step) for each in inner.iter_expressions() if each is not inner.this
            )
        inner = inner.this
    inner = with_names_of_type(inner)
    held: Lineage | None
    if isinstance(inner, exp.Struct):
        held = struct_of(inner, scope)
    elif is_document(inner):
        held = parsed_document(inner, value_of(inner, NEUTRAL, scope), scope.evaluation.facts.name)
    elif (
        isinstance(inner, exp.Column) and inner is not node and not isinstance(inner.this, exp.Star)
    ):
        held = held_by(inner, scope)
    else:
        return None
    if not isinstance(held, Struct):
        return None
    beside = [(expression_in(scope, other), way) for other, way in others]
    return carry(held, step, value_of(node, NEUTRAL, scope), beside, node)


def held_by(node: exp.Column, scope: Scope) -> Lineage:
    """The lineage of a column that is looked at, and not read: whatever is counted is counted when
    it is.
    """
    evaluation = scope.evaluation
    counted = (evaluation.references, evaluation.ambiguous, evaluation.unresolved)
    held = scope.column(node).lineage
    evaluation.references, evaluation.ambiguous, evaluation.unresolved = counted
    return held


VALUES_AT = (exp.First, exp.Last, exp.FirstValue, exp.LastValue, exp.NthValue, exp.Lag, exp.Lead)
CARRYING_AGGREGATES = (
    exp.ArrayAgg,
    exp.ArrayUniqueAgg,
    exp.AnyValue,
    exp.ArgMax,
    exp.ArgMin,
    *VALUES_AT,
)
CARRIERS = (
    *CARRYING_AGGREGATES, exp.Filter, exp.Bracket, exp.Paren, exp.Order, exp.Limit, exp.IgnoreNulls, exp.RespectNulls,
    exp.Distinct, exp.Window,
)  # fmt: skip


def with_names_of_type(node: Any) -> Any:
    """CAST(ROW(a, b) AS ROW(p INT, q INT))      a struct of p and q"""
    if not isinstance(node, exp.Cast) or not isinstance(node.this, exp.Struct):
        return node
    names = [field.this for field in node.to.expressions if isinstance(field, exp.ColumnDef)]
    items = node.this.expressions
    if len(names) != len(items):
        return node
    pairs = zip(names, items, strict=True)
    return exp.Struct(
        expressions=[
            exp.PropertyEQ(this=name.copy(), expression=unnamed(item).copy())
            for name, item in pairs
        ]
    )


def with_names_of_items(node: Any) -> Any:
    """ARRAY<STRUCT<p INT64, q STRING>>[(a, b), (c, d)]      an array of structs of p and q"""
    kind = (
        node.to.expressions[:1]
        if isinstance(node, exp.Cast) and isinstance(node.this, exp.Array)
        else []
    )
    tuples = node.this.expressions if kind else []
    if not tuples or not all(isinstance(item, exp.Tuple) for item in tuples):
        return node
    return exp.Array(
        expressions=[
            with_names_of_type(exp.Cast(this=exp.Struct(expressions=item.expressions), to=kind[0]))
            for item in tuples
        ]
    )


def item_of(node: Any, scope: Scope) -> Struct | None:
    """[STRUCT(a AS p, 1 AS q), (b, 2)]

    an item: p is a or b, q has no source; the first names the fields
    """
    node = with_names_of_items(node)
    items = node.expressions if isinstance(node, exp.Array) else []
    if not items or not isinstance(items[0], exp.Struct):
        return None
    if not all(isinstance(item, (exp.Struct, exp.Tuple)) for item in items):
        return None
    rows = [[struct_of(unnamed(part), scope) for part in item.expressions] for item in items]
    names = [field_name(part, position) for position, part in enumerate(items[0].expressions)]
    return build_items(value_of(node, VALUE, scope), names, rows)


def unnamed(part: Any) -> Any:
    """a AS p, p := a      a"""
    return part.args["expression"] if isinstance(part, exp.PropertyEQ) else part.unalias()


def field_name(part: Any, position: int) -> str:
    """a AS p, p := a, a, 1      p, p, a, col4"""
    named = part.this if isinstance(part, exp.PropertyEQ) else part
    return (
        named.alias_or_name
        if isinstance(named, (exp.Identifier, exp.Column, exp.Alias))
        else f"col{position + 1}"
    )


def struct_row(node: Any, names: list[str], scope: Scope) -> Slot | None:
    """(SELECT AS STRUCT a, b FROM t).b

    the one column that is read; its rows stay with the others
    """
    query = node.unnest() if isinstance(node, exp.Subquery) else node
    if not names or not isinstance(query, exp.Select) or query.args.get("kind") != "STRUCT":
        return None
    frame = scope.evaluation.frame_of(node, scope)
    return take_row(frame).index.get(scope.evaluation.fold(names[0], False))


def built_field(node: Any, name: str, scope: Scope) -> Any:
    """(ROW(a, b)::place).lat      a, where place is known; else None"""
    if not isinstance(node, exp.Cast):
        return None
    row, fields = node.this.unnest(), fields_of(node, scope)
    is_row = isinstance(row, exp.Tuple) or (
        isinstance(row, exp.Anonymous) and row.name.lower() == "row"
    )
    if not is_row or name not in fields or len(fields) != len(row.expressions):
        return None
    return row.expressions[fields.index(name)]


def qualified_call(node: exp.Dot, way: Way, calls: Any, scope: Scope, into: Lineage) -> bool:
    """dbo.f(a)      the f of that schema"""
    name = ".".join(
        part.name for part in (*node.this.find_all(exp.Identifier), node.expression)
    ).lower()
    return compose_body(node.expression, way, calls, scope, into, name)


def struct_of(node: Any, scope: Scope) -> Lineage:
    """STRUCT(a AS p, b AS q)      a value that knows of its fields"""
    if not isinstance(node, exp.Struct):
        held = item_of(node, scope)
        held = held if held is not None else carried(node, scope)
        return held if held is not None else value_with_parts(node, scope)
    whole = value_of(node, NEUTRAL, scope)
    if has_star(node):
        return struct_of_star(node, whole, scope)
    return build_struct(
        whole, [(name, struct_of(item, scope)) for name, item in struct_items(node).items()]
    )


def value_with_parts(node: Any, scope: Scope) -> Lineage:
    """STRUCT(s.c AS c)      c is still a part of s, whose fields are further down"""
    lineage = value_of(node, NEUTRAL, scope)
    if isinstance(node, exp.Column) and not isinstance(node.this, exp.Star):
        return keep_parts(lineage, held_by(node, scope))
    part = (
        step_of(node) is not None and leads_to_part(node) and reaches(path_of(node).names, lineage)
    )
    return Part(lineage) if part else lineage


def has_star(node: exp.Struct) -> bool:
    return any(isinstance(item, exp.Star) or is_row_star(item) for item in node.expressions)


def is_row_star(node: Any) -> bool:
    return isinstance(node, exp.Column) and isinstance(node.this, exp.Star)


def struct_of_star(node: exp.Struct, whole: Lineage, scope: Scope) -> Lineage:
    """struct(t.*, a + 1 AS b)      a field for each column of t, and b"""
    found: dict[str, Lineage] = {}
    for item in node.expressions:
        if isinstance(item, exp.Star) or is_row_star(item):
            slots = scope.evaluation.star_slots(item, scope)
            if any(slot.star is not None for slot in slots):
                return whole
            found.update((slot.name, slot.lineage) for slot in slots)
        elif (named := struct_entry(item)) is not None:
            found[named[0]] = struct_of(named[1], scope)
    return build_struct(whole, found.items())


def struct_item(node: exp.Struct, name: str) -> Any:
    wanted = name.lower()
    return next((item for key, item in struct_items(node).items() if key.lower() == wanted), None)


def struct_items(node: exp.Struct) -> dict[str, Any]:
    """The fields by their names, as far as they have one."""
    return dict(entry for item in node.expressions if (entry := struct_entry(item)) is not None)


def struct_entry(item: Any) -> tuple[str, Any] | None:
    """p := a, a AS p, a      a field's name and its value"""
    if isinstance(item, exp.PropertyEQ):
        return item.this.name, item.args["expression"]
    if isinstance(item, (exp.Column, exp.Alias)) and item.alias_or_name:
        return item.alias_or_name, item.unalias()
    return None


# -- the table -------------------------------------------------------------------------------------

HANDLERS: dict[type, Handler] = {
    exp.Column: column,
    exp.Star: star,
    exp.Case: case,
    exp.If: if_,
    exp.Nvl2: if_,
    exp.Coalesce: function,
    exp.Nullif: nullif,
    exp.DecodeCase: decode,
    exp.Filter: filtered,
    exp.Order: ordered,
    exp.Ordered: inside,
    exp.WithinGroup: within_group,
    exp.Window: window,
    exp.Subquery: subquery,
    exp.Select: subquery,
    exp.Union: subquery,
    exp.Intersect: subquery,
    exp.Except: subquery,
    exp.Insert: subquery,
    exp.Update: subquery,
    exp.Delete: subquery,
    exp.Merge: subquery,
    exp.Exists: exists,
    exp.Any: any_,
    exp.Lambda: lambda_,
    exp.Comprehension: comprehension,
    exp.Columns: columns,
    exp.Extract: extract,
    exp.Anonymous: named_call,
    exp.CombinedAggFunc: combined,
    exp.CombinedParameterizedAgg: combined,
    **dict.fromkeys(PATHS, part),
    exp.Dot: dot,
    exp.Paren: inside,
    exp.DynamicIdentifier: dynamic_identifier,
    exp.Alias: inside,
    exp.Aliases: inside,
    exp.IgnoreNulls: inside,
    exp.RespectNulls: inside,
    exp.Distinct: through,
    exp.PropertyEQ: assigned,
    exp.Kwarg: assigned,
    exp.Literal: nothing,
    exp.Identifier: nothing,
    exp.Var: nothing,
    exp.Null: nothing,
    exp.Boolean: nothing,
    exp.DataType: nothing,
    exp.Placeholder: placeholder,
    exp.Parameter: parameter,
    exp.SessionParameter: nothing,
    exp.NextValueFor: nothing,
    exp.JSONPath: nothing,
}


def handler_for(kind: type) -> Handler:
    """The handler of a class that stands in no table: a function, a binary operator, or just an
    operator.
    """
    if issubclass(kind, exp.Connector):
        return connector
    if issubclass(kind, exp.Binary) and not issubclass(kind, exp.Func):
        return binary
    return function if issubclass(kind, exp.Func) and not issubclass(kind, exp.Cast) else operator
