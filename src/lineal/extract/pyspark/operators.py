"""Operators over abstract values: a + b, a % b, -a."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.collected import DATA, computed_of
from lineal.extract.pyspark.columns import trees
from lineal.extract.pyspark.dispatch import EXPRESSIONS, invoke, operation_of, value
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import truth
from lineal.extract.pyspark.number_loops import note_test
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.sizes import LONGEST_TEXT, MOST_ITEMS
from lineal.extract.pyspark.texts import format_percent, text_of_parts
from lineal.extract.pyspark.values import (
    Choice,
    ColumnValue,
    Instance,
    Library,
    Pattern,
    Tree,
    Unknown,
    Value,
    method_of,
)
from lineal.model.sequences import all_are, any_is

LONGEST_LIST = 100_000
LARGEST = 1 << 64
LARGEST_BASE = 10_000
LARGEST_EXPONENT = 64

NUMBERS = (int, float)
SEQUENCES = (str, list, tuple)
PLAIN = (int, float, str, list, tuple, dict, set, frozenset)


OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
}  # fmt: skip


def binary(run: Run, node: ast.BinOp, env: Environment) -> Value:
    """Evaluate a binary operator.

    a + b, a % b
    """
    left, right = value(run, node.left, env), value(run, node.right, env)
    return combine_values(run, node, left, right)


def combine_values(run: Run, node: ast.BinOp | ast.AugAssign, left: Value, right: Value) -> Value:
    """Return what an operator gives for two values."""
    both = (left, right)
    if any_is(both, ColumnValue):
        return trees.binary(run, type(node.op), left, right, node)

    operation = operation_of(left, right)
    if operation is not None:
        return operation(run, type(node.op), left, right, node)

    if any_is(both, Tree):
        return combine_trees(type(node.op), left, right)

    if any_is(both, Instance):
        return combine_objects(run, DUNDERS.get(type(node.op), ""), left, right, node)

    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        return format_percent(left, right)

    if any_is(both, (Unknown, Choice, Pattern)):
        return combine_unknown(node.op, left, right)

    if isinstance(node.op, ast.Div) and isinstance(left, Library):
        return text_of_parts([left, "/", right])

    if isinstance(node.op, ast.Div) and isinstance(left, str) and isinstance(right, str):
        return text_of_parts([right] if left == "." else [left, "/", right])

    combine = OPERATORS.get(type(node.op))
    if combine is None or not is_harmless(node.op, left, right):
        return Unknown("…", "computed")

    try:
        return combine(left, right)
    except Exception:  # whatever the analyzed program does wrong stays its own affair
        return Unknown("…", "computed")


SIGNS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Mod: "%"}


def combine_trees(op: type[ast.operator], left: Value, right: Value) -> Value:
    """Combine expressions of sqlglot.

    column * 100      (column * 100)
    """
    are_known = all_are((left, right), (str, int, float))
    if op in SIGNS and are_known and not any_is((left, right), Pattern):
        return Tree(f"({left} {SIGNS[op]} {right})")

    return Unknown("…", "an expression that a macro makes")


def combine_unknown(op: ast.operator, left: Value, right: Value) -> Value:
    """Combine values of which only a run knows one.

    prefix + name, folder / name      a text with placeholders, else a value that is not known
    """
    texts = (str, Unknown, Choice)
    are_texts = isinstance(left, texts) and isinstance(right, texts)
    if isinstance(op, ast.Add) and are_texts and any_is((left, right), str):
        return text_of_parts([left, right])

    if isinstance(op, ast.Div):
        return text_of_parts([left, "/", right])

    collected = computed_of(type(op).__name__.lower(), (left, right))
    for held in (left, right):
        if isinstance(held, Unknown) and collected is None:
            return held

    if collected is not None:
        return Unknown("…", DATA, collected=collected)

    return Unknown("…", "computed")


DUNDERS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.BitOr: "or", ast.BitAnd: "and",
    ast.RShift: "rshift", ast.LShift: "lshift", ast.Mod: "mod", ast.MatMult: "matmul", ast.FloorDiv: "floordiv",
}  # fmt: skip


def combine_objects(run: Run, name: str, left: Value, right: Value, node: ast.AST) -> Value:
    """Combine objects by their classes.

    df >> step, a | b      what the class of either side says
    """
    for held, other, called in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        found = method_of(held, called)
        if found is not None:
            return invoke(run, found, Invocation([held, other], {}, node))

    return Unknown("…", "computed")


def is_harmless(op: ast.operator, left: Value, right: Value) -> bool:
    """Tell whether a computation is small enough to be done.

    [0] * 10**9 and 9**9**9 are not computed
    """
    if not isinstance(left, PLAIN) or not isinstance(right, PLAIN):
        return False

    if isinstance(op, ast.Mult):
        return is_small_product(left, right)

    if isinstance(op, ast.Pow):
        return is_below(left, LARGEST_BASE) and is_below(right, LARGEST_EXPONENT)

    if isinstance(op, ast.Add) and isinstance(left, SEQUENCES) and isinstance(right, SEQUENCES):
        longest = LONGEST_TEXT if isinstance(left, str) else MOST_ITEMS
        return len(left) + len(right) <= longest

    return True


def is_small_product(left: Value, right: Value) -> bool:
    """Tell whether a product stays small.

    2 * 3, "-" * 80
    """
    if isinstance(left, NUMBERS) and isinstance(right, NUMBERS):
        return is_below(left, LARGEST) and is_below(right, LARGEST)

    return size_of(left) * size_of(right) <= LONGEST_LIST


def size_of(held: Value) -> float:
    """Return how large a number is, or how long anything else."""
    if isinstance(held, NUMBERS):
        return abs(held)

    return len(held)


def is_below(held: Value, limit: int) -> bool:
    """Return whether a value is a number within a limit."""
    return isinstance(held, NUMBERS) and abs(held) < limit


def unary(run: Run, node: ast.UnaryOp, env: Environment) -> Value:
    """Evaluate a unary operator.

    not a, -a, ~a
    """
    held = value(run, node.operand, env)
    operation = operation_of(held)
    if operation is not None:
        return operation(run, type(node.op), held, None, node)

    if isinstance(held, ColumnValue):
        return trees.unary(run, type(node.op), held, node)

    if isinstance(node.op, ast.Not):
        known = truth(held)
        if known is None:
            return Unknown("…", "a condition")

        note_test(run, node, known, held)
        return not known

    if not isinstance(held, NUMBERS) or isinstance(held, bool):
        return Unknown("…", "computed", collected=computed_of("neg", (held,)))

    if isinstance(node.op, ast.USub):
        return -held

    if isinstance(node.op, ast.UAdd):
        return held

    return Unknown("…", "")


EXPRESSIONS.update({ast.BinOp: binary, ast.UnaryOp: unary})
