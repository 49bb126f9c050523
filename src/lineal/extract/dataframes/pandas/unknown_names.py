"""df.columns, where not all names are known: what a program leaves out of them, or changes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple, TypeGuard

from lineal.extract.dataframes.pandas.calls import Call, texts_of
from lineal.extract.dataframes.pandas.values import Names
from lineal.extract.pyspark.dispatch import value
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import SCHEMA_UNKNOWN, Method, Unknown, Value
from lineal.model.sequences import present
from lineal.model.way import Confidence


def attribute_of_names(run: Run, held: Names, name: str, node: ast.AST) -> Value:
    """df.columns.str, df.columns.tolist"""
    if name in ("str", "values"):
        return held

    return Method(held, name)


def same_names(call: Call, held: Names) -> Value:
    """df.columns.tolist()"""
    return held.copy()


def change_names(call: Call, held: Names) -> Value:
    """df.columns.str.lower()"""
    return held.copy(changed=True)


def names_without(call: Call, held: Names) -> Value:
    """df.columns.difference(["id"]), df.columns.drop("id")"""
    return left_out(held, call.get(0, "other", call.get(0, "labels")))


def left_out(held: Names, given: Value) -> Names:
    """Return the names without those that are given; without some, where only a run knows them."""
    gone = texts_of(given)
    if gone is None:
        return held.copy(some=True)

    return held.copy(gone=gone)


def remove(call: Call, held: Names) -> Value:
    """names.remove("id")      the list itself is changed"""
    gone = texts_of(call.get(0, "value"))
    if gone is None:
        held.some = True
    else:
        call.run.touch(held.gone)
        held.gone += gone

    return None


def take(call: Call, held: Names) -> Value:
    """names.pop()      the list loses a name that only a run knows"""
    held.some = True
    return unknown_name(held, "columns.pop()")


def add(call: Call, held: Names) -> Value:
    """names.append("total")      a column that the frame has by then; one that was left out is back"""
    more = texts_of(call.get(0, "object")) or []
    call.run.touch(held.gone)
    held.gone[:] = [each for each in held.gone if each not in more]
    return None


METHODS: dict[str, Callable[[Call, Names], Value]] = {
    **dict.fromkeys(("tolist", "to_list", "copy", "unique", "sort_values", "astype"), same_names),
    **dict.fromkeys(
        ("lower", "upper", "strip", "title", "replace", "map", "rename", "lstrip", "rstrip",
         "capitalize", "removeprefix", "removesuffix"),
        change_names,
    ),
    **dict.fromkeys(("difference", "drop"), names_without),
    "remove": remove,
    "pop": take,
    **dict.fromkeys(("append", "extend"), add),
}  # fmt: skip
"""Methods of df.columns, of df.columns.str, and of lists that are made of them."""


def on_names(run: Run, held: Names, name: str, given: Invocation) -> Value:
    """Call a method of names that are not known."""
    method = METHODS.get(name)
    if method is None:
        return unknown_name(held, f"columns.{name}()")

    return method(Call(run, given.arguments, given.keywords, given.node), held)


def unknown_name(held: Names, label: str) -> Unknown:
    """Return a name, or something computed of names, that only a run knows."""
    return Unknown(label, SCHEMA_UNKNOWN, Confidence.LOW, inputs=(held.frame.relation,))


def item_of_names(run: Run, held: Names, key: Value, node: ast.AST) -> Value:
    """df.columns[0]"""
    return unknown_name(held, "columns")


def combine_names(run: Run, op: type, left: Value, right: Value, node: ast.AST) -> Value:
    """set(df.columns) - {"id"}, list(df.columns) + ["total"]"""
    if isinstance(left, Names) and op is ast.Sub:
        return left_out(left, right)

    held = left if isinstance(left, Names) else right
    assert isinstance(held, Names)
    if op is ast.Add:
        return held.copy(some=held.some)

    return unknown_name(held, "columns")


Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


# -- comprehensions --------------------------------------------------------------------------------


def comprehend(run: Run, node: Comprehension, held: Names, env: Environment) -> Value:
    """Return the names that a comprehension over names makes; None where nobody knows them.

    [c for c in df.columns if c != "id"], [c.strip().lower() for c in df.columns]
    """
    loop = node.generators[0]
    if not isinstance(loop.target, ast.Name) or isinstance(node, ast.DictComp):
        return None

    variable = loop.target.id
    affixed = affixes_of(node.elt)
    if affixed is None or not keeps_names(affixed.name, variable):
        return None

    held = held.with_affixes(affixed.affixes)
    is_changed = not isinstance(affixed.name, ast.Name)
    gone = names_left_out(run, ast.BoolOp(ast.And(), loop.ifs), variable, env)
    if gone is None:
        return held.copy(is_changed, some=True)

    return held.copy(is_changed, gone)


class Affixed(NamedTuple):
    """A name with texts before and behind it."""

    name: ast.expr
    affixes: tuple[str, str]


def affixes_of(node: ast.expr) -> Affixed | None:
    """Return a name and the texts around it; None where anything else is put together.

    f"paid_{c}", "paid_" + c, c + "_paid", c
    """
    parts = [node]
    if isinstance(node, ast.JoinedStr):
        parts = [plain_part(each) for each in node.values]
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [node.left, node.right]

    texts = [each.value if is_text_constant(each) else None for each in parts]
    if texts.count(None) != 1:
        return None

    place = texts.index(None)
    return Affixed(
        parts[place], ("".join(map(str, texts[:place])), "".join(map(str, texts[place + 1 :])))
    )


def plain_part(node: ast.expr) -> ast.expr:
    """Return what an f-string writes as it is: {c}, but not {c!r} or {c:>8}"""
    if isinstance(node, ast.FormattedValue) and node.conversion == -1 and not node.format_spec:
        return node.value

    return node


def is_text_constant(node: ast.expr) -> TypeGuard[ast.Constant]:
    """Tell whether an expression is a text: "paid_" """
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def keeps_names(node: ast.expr, variable: str) -> bool:
    """Tell whether an expression is a name, or a name with other letters: c.strip().lower()

    A prefix makes another name.
    """
    if isinstance(node, ast.Name):
        return node.id == variable

    if not isinstance(node, ast.Call):
        return False

    if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
        return keeps_names(node.func.value, variable)

    return any(keeps_names(each, variable) for each in node.args)


def names_left_out(run: Run, test: ast.expr, variable: str, env: Environment) -> list[str] | None:
    """Return the names that a condition leaves out; None where only a run can tell.

    c != "id", c not in ("id", "day")
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        parts = [names_left_out(run, each, variable, env) for each in test.values]
        if None in parts:
            return None

        return list(chain.from_iterable(present(parts)))

    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], (ast.NotEq, ast.NotIn)):
        return None

    if not isinstance(test.left, ast.Name) or test.left.id != variable:
        return None

    return texts_of(value(run, test.comparators[0], env))
