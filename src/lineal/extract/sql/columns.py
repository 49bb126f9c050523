"""Columns that one item of a SELECT list stands for: *, t.*, COLUMNS(…), a struct's fields."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from lineal.algebra.expression import VALUE
from lineal.algebra.frame import PatternColumns, Slot, Star, answer, slot_at, star_slot
from lineal.algebra.lineage import Lineage, pour
from lineal.algebra.relation import one_row, project
from lineal.algebra.values import Struct, is_own, read_item
from lineal.extract.sql.choices import CHOICES, chosen_values, part_of_choice
from lineal.extract.sql.composites import fields_of
from lineal.extract.sql.dotted_names import hidden_source
from lineal.extract.sql.expressions import gather, struct_passed_on, value_of
from lineal.extract.sql.name_tests import NAME_TESTS, like_folded, negate_test, test_of_names
from lineal.extract.sql.nodes import is_string, list_arg
from lineal.extract.sql.paths import path_of
from lineal.extract.sql.query_repairs import APPLIED
from lineal.extract.sql.scope import Scope
from lineal.extract.sql.sources import Source, field_of, kept_of, origin_of
from lineal.extract.sql.structs import field_names
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset
from lineal.model.patterns import SlowPattern, compile_pattern
from lineal.model.sequences import present
from lineal.model.way import IDENTITY


def star_slots(node: Any, scope: Scope) -> list[Slot]:
    """Return the columns that a star stands for.

    *, t.*, * EXCEPT (a), * REPLACE (f(a) AS a), * RENAME (a AS b)      in schema order
    """
    if isinstance(node, exp.Columns):
        return columns_slots(node, scope)

    star = node.args["this"] if isinstance(node, exp.Column) else node
    if isinstance(node, exp.Column):
        source = _star_source(node, scope)
        if source is None:
            slots = struct_star(node, scope)
        else:
            slots = list(source.row_slots)
            _read_all(source, slots, scope, node)
    else:
        slots = visible_columns(scope)
        for source in scope.order:
            _read_all(source, source.frame.slots, scope, node)

    if any(star.args.values()):
        return apply_modifiers(star, slots, scope)

    return slots


def apply_modifiers(star: exp.Star, slots: list[Slot], scope: Scope) -> list[Slot]:
    """Apply the modifiers of a star.

    * EXCEPT (a) REPLACE (f(b) AS b) RENAME (c AS d) ILIKE 'x%'

    what is left of the star's columns

    An open star stays open: what the text says of a column next to it becomes a column of its own.
    """
    slots, whole = without_fields(list_arg(star, "except_"), slots, scope)
    left_out = {_key_of(item, scope): item for item in whole}
    replaced = {
        _key_of(a.args["alias"], scope): a
        for a in list_arg(star, "replace")
        if isinstance(a, exp.Alias)
    }
    renames = {
        _key_of(a.this, scope): a for a in list_arg(star, "rename") if isinstance(a, exp.Alias)
    }
    held = {slot.key for slot in slots}
    for key, item in {**left_out, **replaced, **renames}.items():
        if key not in held:
            slots = beside_star(slots, key, item, scope)

    found = [
        slot
        for slot in slots
        if slot.key not in left_out or _of_another(slot, left_out[slot.key], scope)
    ]
    if star.args.get("ilike") is not None:
        matches = like_folded(star.args["ilike"].name)
        found = [slot for slot in found if slot.star is not None or matches(slot.name)]

    for position, slot in enumerate(found):
        if slot.key in replaced:
            slot = Slot(slot.name, slot.key, value_of(replaced[slot.key].this, IDENTITY, scope))

        if slot.key in renames:
            name = renames[slot.key].args["alias"]
            slot = Slot(name.name, _key_of(name, scope), slot.lineage)

        found[position] = slot

    return found


def without_fields(
    items: Sequence[Any], slots: list[Slot], scope: Scope
) -> tuple[list[Slot], list[Any]]:
    """Leave out fields of struct columns.

    * EXCEPT (address.zip)

    address stays, made of its other fields; and what else is left out
    """
    dropped: dict[str, set[str]] = {}
    whole: list[Any] = []
    for item in items:
        if isinstance(item, exp.Column) and item.args.get("table"):
            key = _key_of(item.args["table"], scope)
        else:
            key = ""

        if key and _star_source(item, scope) is None and any(slot.key == key for slot in slots):
            dropped.setdefault(key, set()).add(item.name.lower())
        else:
            whole.append(item)

    kept = [
        _of_other_fields(slot, dropped[slot.key], scope) if slot.key in dropped else slot
        for slot in slots
    ]
    return kept, whole


def _of_other_fields(slot: Slot, dropped: set[str], scope: Scope) -> Slot:
    """Return a struct without the fields that are dropped: `EXCEPT (s.a)`."""
    names = [
        n
        for n in field_names(slot.lineage, (), scope.evaluation.catalog)
        if n.lower() not in dropped
    ]
    parts = {name.lower(): field_of(slot, [name], exp.Star()).lineage for name in names}
    lineage: Lineage = {}
    for part in parts.values() or [slot.lineage]:
        pour(part, VALUE, lineage)

    return Slot(slot.name, slot.key, Struct(lineage, parts, names, None if names else slot.lineage))


def _of_another(slot: Slot, item: exp.Expr, scope: Scope) -> bool:
    """Tell whether a name is qualified with another source.

    * EXCLUDE (u.id)      t's id stays
    """
    if not isinstance(item, exp.Column) or item.args.get("table") is None:
        return False

    source = _star_source(item, scope)
    return source is not None and slot_at(source.index, slot.key) is not slot


def _key_of(node: exp.Expr, scope: Scope) -> str:
    """Return the folded name of a column or an identifier."""
    identifier = node.args["this"] if isinstance(node, exp.Column) else node
    return scope.evaluation.fold(identifier.name, identifier.args.get("quoted"))


def beside_star(slots: list[Slot], key: str, item: exp.Expr, scope: Scope) -> list[Slot]:
    """Put a column that the text names next to an open star.

    * EXCEPT (a), where the text tells that there is an a: it stands next to the open star, which
    has no a any more
    """
    evaluation = scope.evaluation
    if isinstance(item, exp.Alias) and not isinstance(item.this, exp.Func):
        named = item.this
    else:
        named = item

    name = named.name if isinstance(named, (exp.Column, exp.Identifier)) else item.alias_or_name
    answers = [
        a
        for slot in slots
        if slot.star is not None and (a := answer(slot.star, name, key)) is not None
    ]
    evaluation.references += 1
    if not answers:
        evaluation.unresolved += 1
        evaluation.report(Code.UNRESOLVED_COLUMN, f"the star has no column '{name}'", item)
        return slots

    beside = answers[0] if len(answers) == 1 else scope.ambiguous(name, answers, item)
    for (origin, _), trail in beside.lineage.items():
        evaluation.read(origin, scope.clause, item, learn=trail is None)

    without = [slot if slot.star is None else star_slot(slot.star.without(key)) for slot in slots]
    return [*without, beside]


def _star_source(node: exp.Column, scope: Scope) -> Source | None:
    """Return the source that `t.*` or `db.t.*` names."""
    evaluation = scope.evaluation
    parts = present((node.args.get("catalog"), node.args.get("db"), node.args.get("table")))
    keys = [evaluation.fold_table(part.name, part.args.get("quoted")) for part in parts]
    found = scope.find_source(".".join(keys)) or (
        scope.find_source(keys[-1]) if len(keys) > 1 else None
    )
    if (
        found is None
        and isinstance(node.this, exp.Star)
        and (kept := kept_of(keys[-1], scope.order))
    ):
        return Source("", "", project(one_row(), kept))

    if found is None and isinstance(node.this, exp.Star):
        found = hidden_source(
            scope, [part.name for part in parts], evaluation.fold(parts[0].name, False)
        )

    return found


def struct_star(node: exp.Column, scope: Scope) -> list[Slot]:
    """Return the columns that the star of a struct stands for.

    address.*      the fields of a struct: known only with its type, so one open position
    """
    table = node.args["table"]
    inner = exp.Column(this=table.copy(), table=node.args.get("db"))
    found = scope.column(inner)
    return each_field(found, table.name, node, scope)


def each_field(found: Slot, name: str, node: exp.Expr, scope: Scope) -> list[Slot]:
    """The fields of a value, where its type or its making tells them; else one open position."""
    fold = scope.evaluation.fold
    names = field_names(found.lineage, (), scope.evaluation.catalog)
    if names:
        return [Slot(n, fold(n, False), field_of(found, [n], node).lineage) for n in names]

    lineage = read_item(found.lineage, is_own(found.lineage), node)
    if lineage:
        fields = PatternColumns(lineage, "", "", parts=True)
        return [star_slot(Star(Dataset("", f"{name}.*"), made=fields))]

    return []


def star_of_value(item: exp.Dot, scope: Scope) -> list[Slot] | None:
    """Return the columns that the star of a value stands for.

    (t.address).*, xs[0].*

    the fields of a part; of another value, whatever it is, one open position
    """
    base, names, _ = path_of(item.this)
    if isinstance(item.this.unnest(), CHOICES) and (fields := fields_of_choice(item, scope)):
        return fields

    if not isinstance(base, exp.Column):
        found = Slot(
            "", "", struct_passed_on(item.this, scope) or value_of(item.this, IDENTITY, scope)
        )
    else:
        found = field_of(scope.column(base), names, item)

    return each_field(found, names[-1] if names else base.name or "value", item, scope)


def fields_of_choice(item: exp.Dot, scope: Scope) -> list[Slot]:
    """IF(c, a, b).*      for each field x of a: IF(c, a.x, b.x)"""
    choice = item.this.unnest()
    values = chosen_values(choice)
    held = next((scope.column(each) for each in values if isinstance(each, exp.Column)), None)
    names = field_names(held.lineage, (), scope.evaluation.catalog) if held is not None else ()
    fold = scope.evaluation.fold
    found: list[Slot] = []
    for name in names:
        part = part_of_choice(choice, [name])
        found.append(Slot(name, fold(name, False), value_of(part, IDENTITY, scope)))

    return found


def several_slots(item: Any, scope: Scope) -> list[Slot] | None:
    """Return the columns of an item that stands for several.

    COLUMNS('a.*'), * LIKE 'a%', (t).*, max(COLUMNS(*))

    one output for each column; None for one output
    """
    if isinstance(item, exp.Columns):
        return columns_slots(item, scope)

    if is_applied(item):
        return apply_functions(item, scope)

    if isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star):
        row = scope.row(item.this.unnest())
        if row is not None:
            _read_all(row, row.frame.slots, scope, item)
            return list(row.row_slots)

        return composite_star(item, scope) or chosen_row(item, scope) or star_of_value(item, scope)

    if isinstance(item, (exp.Like, exp.ILike)) and isinstance(item.this, exp.Star):
        holds = negate_test(item, NAME_TESTS[type(item)](item.expression.name))
        return [
            slot
            for slot in star_slots(item.this, scope)
            if slot.star is not None or holds(slot.name)
        ]

    if scope.evaluation.facts.columns_in_expressions:
        return each_column(item, scope)

    return None


def apply_functions(item: exp.Apply, scope: Scope) -> list[Slot]:
    """Apply functions to every column of a star.

    * EXCEPT (a) APPLY(toString) APPLY(max), COLUMNS('a') APPLY(x -> x + 1)

    ClickHouse: max(toString(b)) for each column b
    """
    inner, function = operands_of_apply(item)
    slots = (several_slots(inner, scope) if is_applied(inner) else None) or columns_of(inner, scope)
    found = []
    for slot in slots:
        scope.each = slot
        name = function_text(function, slot, scope)
        call = called_with(function, exp.Columns(this=exp.Star()), scope)
        found.append(
            Slot(
                name, scope.evaluation.fold(name, True), value_of(call, IDENTITY, scope), slot.star
            )
        )

    scope.each = None
    return found


def is_applied(item: exp.Expr) -> bool:
    """* APPLY(f)      as the parser reads it, or as a repair writes it"""
    called = isinstance(item, exp.Anonymous) and item.this == APPLIED
    return isinstance(item, exp.Apply) or (called and len(item.expressions) == 2)


def operands_of_apply(item: exp.Expr) -> tuple[Any, Any]:
    """The columns, and the function."""
    if isinstance(item, exp.Apply):
        return item.this, item.expression

    return item.expressions[0], item.expressions[1]


def columns_of(node: exp.Expr, scope: Scope) -> list[Slot]:
    """*, t.*, COLUMNS('a')      the columns that are meant"""
    if isinstance(node, exp.Columns):
        return columns_slots(node, scope)

    return star_slots(node, scope)


def called_with(function: Any, argument: Any, scope: Scope) -> Any:
    """f, f(0.5), x -> f(x)      the call of a function with one argument"""
    if isinstance(function, exp.Lambda) and len(function.expressions) == 1:
        variable = function.expressions[0].name
        return function.this.transform(
            lambda node: argument.copy() if is_variable(node, variable) else node
        )

    if isinstance(function, exp.Func):
        call = function.copy()
        if isinstance(function.this, str):
            call.append("expressions", argument)
        else:
            call.set("this", argument)

        return call

    return exp.func(function.name, argument, dialect=scope.evaluation.facts.name)


def is_variable(node: exp.Expr, name: str) -> bool:
    """x -> f(x)      whether a name is the lambda's"""
    if isinstance(node, exp.Column):
        return node.name == name and not node.table

    return isinstance(node, exp.Identifier) and node.name == name and node.arg_key != "alias"


def function_text(function: Any, slot: Slot, scope: Scope) -> str:
    """sum(a), quantile(0.5)(a), toString(a)      what ClickHouse calls the column"""
    dialect = scope.evaluation.facts.name
    if isinstance(function, exp.Func) and isinstance(function.this, str):
        return f"{function.sql(dialect=dialect)}({slot.name})"

    column = exp.column(exp.to_identifier(slot.name))
    if isinstance(function, (exp.Lambda, exp.Func)):
        called = called_with(function, column, scope).transform(operator_as_call)
        return str(called.sql(dialect=dialect))

    return f"{function.name}({slot.name})"


def operator_as_call(node: Any) -> Any:
    """a + 1      plus(a, 1), as ClickHouse names the column"""
    function = OPERATORS.get(type(node))
    if function is None:
        return node

    operands = [node.args[part].unnest() for part in ("this", "expression") if part in node.args]
    inner = [operand.transform(operator_as_call) for operand in operands]
    return exp.Anonymous(this=function, expressions=inner)


OPERATORS = {
    exp.Add: "plus", exp.Sub: "minus", exp.Mul: "multiply", exp.Div: "divide", exp.Mod: "modulo", exp.Neg: "negate",
    exp.EQ: "equals", exp.NEQ: "notEquals", exp.GT: "greater", exp.GTE: "greaterOrEquals", exp.LT: "less",
    exp.LTE: "lessOrEquals", exp.And: "and", exp.Or: "or", exp.Not: "not",
}  # fmt: skip
"""The functions that ClickHouse reads operators as."""


def chosen_row(item: exp.Dot, scope: Scope) -> list[Slot] | None:
    """Return the columns of a row that an expression chooses.

    IF(a.id IS NULL, b, a).*

    column for column, what the expression does to the rows that it chooses from
    """
    rows = [
        row for column in item.this.find_all(exp.Column) if (row := scope.row(column)) is not None
    ]
    if not rows or any(row.stars for row in rows):
        return None

    def rewrite_to(slot: Slot) -> Callable[[exp.Expr], exp.Expr]:
        """Return a rewrite that replaces the row with one column of it."""
        name = exp.to_identifier(
            slot.name, quoted=slot.key != scope.evaluation.fold(slot.name, False)
        )
        return lambda n: (
            exp.Column(this=name.copy(), table=n.this.copy())
            if isinstance(n, exp.Column) and scope.row(n) is not None
            else n
        )

    slots = [
        Slot(slot.name, slot.key, value_of(item.this.transform(rewrite_to(slot)), IDENTITY, scope))
        for slot in rows[0].frame.slots
    ]
    if any(item.expression.args.values()):
        return apply_modifiers(item.expression, slots, scope)

    return slots


def each_column(item: exp.Expr, scope: Scope) -> list[Slot] | None:
    """Return an expression once for each column.

    max(COLUMNS(*))      the expression over each of the columns, under that column's name
    """
    inside = item.walk(prune=lambda node: isinstance(node, exp.Query))
    columns = next(
        (node for node in inside if isinstance(node, exp.Columns) and not node.args.get("unpack")),
        None,
    )
    if columns is None:
        return None

    slots: list[Slot] = []
    for column in columns_slots(columns, scope):
        scope.each = column
        lineage: Lineage = {}
        gather(item, IDENTITY, lineage, scope)
        slots.append(Slot(column.name, column.key, lineage, column.star))

    scope.each = None
    return slots


def columns_slots(node: exp.Columns, scope: Scope) -> list[Slot]:
    """Return the columns that COLUMNS(…) stands for.

    COLUMNS('pattern'), COLUMNS(* EXCLUDE (a)), COLUMNS(t.*), COLUMNS([a, b])

    the columns that are meant
    """
    wanted = node.this
    if isinstance(wanted, (exp.Star, exp.Column)) and wanted.is_star:
        return star_slots(wanted, scope)

    slots = visible_columns(scope)
    for source in scope.order:
        _read_all(source, source.frame.slots, scope, node)

    if isinstance(wanted, exp.Array):
        keys = {scope.evaluation.fold(item.name, False) for item in wanted.expressions}
        return [slot for slot in slots if slot.star is not None or slot.key in keys]

    if is_string(wanted):
        try:
            matches = compile_pattern(wanted.name).search
            return [slot for slot in slots if slot.star is not None or matches(slot.name)]
        except SlowPattern as refused:
            scope.evaluation.report(
                Code.UNSUPPORTED_CONSTRUCT,
                f"COLUMNS('{wanted.name}'): {refused}; all columns are taken",
                node,
            )
            return slots

    if isinstance(wanted, exp.Lambda) and (holds := test_of_names(wanted.this)) is not None:
        return [slot for slot in slots if slot.star is not None or holds(slot.name)]

    scope.evaluation.report(
        Code.UNSUPPORTED_CONSTRUCT, "COLUMNS of a condition: all columns are taken", node
    )
    return slots


def composite_star(item: exp.Dot, scope: Scope) -> list[Slot] | None:
    """Return the columns of a composite value.

    (t.home).*      the fields of a value whose type is known; else None
    """
    fold = scope.evaluation.fold
    slots = []
    for name in fields_of(item.this, scope):
        field = exp.Dot(this=item.this, expression=exp.Identifier(this=name, quoted=True))
        slots.append(Slot(name, fold(name, True), value_of(field, IDENTITY, scope)))

    return slots or None


def _read_all(source: Source, slots: Sequence[Slot], scope: Scope, node: exp.Expr) -> None:
    """Note that the query reads these columns of a source."""
    if source.dataset is not None:
        for slot in slots:
            scope.evaluation.read(origin_of(slot), scope.clause, node, learn=slot.star is None)


def visible_columns(scope: Scope) -> list[Slot]:
    """Return the columns that a bare star shows.

    FROM a JOIN b USING (id)

    what * means: id once and first, then the rest of a, then the rest of b

    Some dialects leave id where a has it.
    """
    slots: list[Slot] = []
    in_place = scope.evaluation.facts.keys_in_place
    for source, keys, hidden in scope.steps:
        if hidden:
            continue

        if keys:
            merged = {key: scope.merged[key] for key in keys if key in scope.merged}
            right = [slot for slot in source.frame.slots if slot.key not in merged]
            if in_place:
                slots = [*(merged.get(slot.key, slot) for slot in slots), *right]
            else:
                slots = [
                    *merged.values(),
                    *(slot for slot in slots if slot.key not in merged),
                    *right,
                ]
        else:
            slots.extend(source.frame.slots)

    return slots
