"""Expressions of Python over abstract values: one function and one row per kind of node."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.branches import merged
from lineal.extract.pyspark.columns import trees
from lineal.extract.pyspark.dispatch import BUILTINS, EXPRESSIONS, invoke, value, variable_name
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    Choice,
    Class,
    ColumnValue,
    Function,
    Generator,
    Instance,
    Library,
    Pattern,
    Unknown,
    Value,
    is_known,
    items_of,
    label_of,
    outside,
    truth,
)
from lineal.model.way import Confidence

LONGEST_TEXT = 2_000_000
LONGEST_LIST = 100_000
LONG_LITERAL = 100
LARGEST = 1 << 64

WIDE = re.compile(r"\d{5}")
"""A width that makes a text of a few characters a large one."""


def absent(run: Run, node: None, env: Environment) -> Value:
    """return, yield      without a value"""
    return None


def constant(run: Run, node: ast.Constant, env: Environment) -> Value:
    """1, "orders", None"""
    return node.value


def name(run: Run, node: ast.Name, env: Environment) -> Value:
    """df      Return the value of a name: of this function, those around it, a library or Python itself."""
    here: Environment | None = env
    spelled = node.id
    if spelled in env.names and not env.shared:
        return env.names[spelled]

    while here is not None:
        if spelled in here.names and spelled not in here.shared:
            return here.names[spelled]
        here = here.outer

    for library in env.globals.wild:
        found = library(spelled)
        if found is not None:
            return found
    if spelled in BUILTINS:
        return Library(f"builtins.{spelled}")
    if spelled in run.program.predefined:
        return run.program.predefined[spelled]
    return run.program.undefined(spelled, run, node)


def listed(run: Run, node: ast.List | ast.Tuple | ast.Set, env: Environment) -> Value:
    """["a", "b"], ("a", *rest), {"a"}"""
    if len(node.elts) > LONG_LITERAL and all(item.__class__ is ast.Constant for item in node.elts):
        found: list[Value] | Unknown = [item.value for item in node.elts]  # type: ignore[attr-defined]
    else:
        found = elements(run, node.elts, env)
    if isinstance(found, Unknown):
        return found
    if isinstance(node, ast.Tuple):
        return tuple(found)
    if isinstance(node, ast.Set):
        if all(map(is_known, found)):
            return {item for item in found if is_known(item)}
        return found

    return found


def elements(run: Run, nodes: list[ast.expr], env: Environment) -> list[Value] | Unknown:
    """a, *rest, b"""
    found: list[Value] = []
    for item in nodes:
        if isinstance(item, ast.Starred):
            inner = value(run, item.value, env)
            several = iterated(run, inner, item)
            if several is None:
                return unknown_of(inner, item.value)
            found.extend(several)
        else:
            found.append(value(run, item, env))

    return found


def iterated(run: Run, held: Value, node: Any) -> list[Value] | None:
    """The items of an iterable; an object of the program is asked for them."""
    if isinstance(held, Instance):
        made = held.home.find("__iter__")
        if isinstance(made, Function):
            return items_of(invoke(run, made, [held], {}, node))
    return items_of(held)


def unknown_of(held: Value, node: ast.AST) -> Unknown:
    """Return a value that only a run knows, for what is made of one that is not known."""
    if isinstance(held, Unknown):
        return held
    if isinstance(held, Pattern):
        return Unknown(label_of(node), held.reason, held.level, held.variable)
    if isinstance(held, Library):
        return Unknown(label_of(node), outside(held), variable=held.name)
    return Unknown(label_of(node), "not followed", variable=variable_name(node))


def dictionary(run: Run, node: ast.Dict, env: Environment) -> Value:
    """{"a": 1, **more}"""
    found: dict[Any, Value] = {}
    for key_node, item_node in zip(node.keys, node.values, strict=True):
        item = value(run, item_node, env)
        if key_node is None:
            if not isinstance(item, dict):
                return unknown_of(item, item_node)

            found.update(item)
            continue

        key = value(run, key_node, env)
        if isinstance(key, (Unknown, list, dict, Choice)):
            return unknown_of(key, key_node)

        try:
            found[key] = item
        except TypeError:
            return Unknown("…", "a key that is not known")

    return found


def joined_text(run: Run, node: ast.JoinedStr, env: Environment) -> Value:
    """f"{schema}.orders" """
    return text_of_parts([formatted(run, part, env) for part in node.values])


def formatted(run: Run, part: ast.expr, env: Environment) -> Value:
    """{name:>10}, {name!r}      Return a part of an f-string."""
    if isinstance(part, ast.Constant):
        return part.value

    assert isinstance(part, ast.FormattedValue)
    held = as_text(run, value(run, part.value, env), part)
    if part.format_spec is not None:
        spec = value(run, part.format_spec, env)
        if (
            is_known(held)
            and isinstance(spec, str)
            and not isinstance(spec, Pattern)
            and not WIDE.search(spec)
        ):
            try:
                return format(held, spec)
            except (ValueError, TypeError):
                return held

    if part.conversion == ord("r") and is_known(held):
        return repr(held)
    if isinstance(held, Unknown) and (
        held.label == "…" or isinstance(part.value, (ast.Name, ast.Attribute))
    ):
        return Unknown(label_of(part.value), held.reason, held.level, held.variable)

    return held


def asked(run: Run, held: Value, name: str, arguments: list[Value], node: Any) -> Value:
    """What a method like __len__ of an object gives; Ellipsis where its class has none."""
    found = held.home.find(name) if isinstance(held, Instance) else None
    if not isinstance(found, Function):
        return ...
    return invoke(run, found, [held, *arguments], {}, node)


def as_text(run: Run, held: Value, node: Any) -> Value:
    """str(query), f"{query}"      an object of the program says how it is written"""
    if not isinstance(held, Instance):
        return held
    if held.home.enumerates and held.home.find("__str__") is None:
        return f"{held.home.name}.{held.names.get('name')}"

    for name in ("__str__", "__repr__"):
        said = asked(run, held, name, [], node)
        if said is not ...:
            return said

    return held


def text_of_parts(parts: list[Value]) -> Value:
    """The text of several values side by side; what is not known stays a placeholder."""
    choices = [part for part in parts if isinstance(part, Choice)]
    if choices and len(choices[0].options) <= 8 and len({id(choice) for choice in choices}) == 1:
        several = [
            text_of_parts([one if part is choices[0] else part for part in parts])
            for one in choices[0].options
        ]
        return Choice(tuple(several))

    level, reason, variable = Confidence.HIGH, "", ""
    texts = []

    for part in parts:
        if isinstance(part, (Unknown, Pattern)):
            variable = variable or part.variable
            if part.level < level or not reason:
                level, reason = min(level, part.level), part.reason
            texts.append(str(part) if isinstance(part, Pattern) else f"{{{part.label}}}")
        elif is_known(part):
            texts.append(str(part))
        else:
            level, reason = Confidence.UNKNOWN, "not followed"
            texts.append("{…}")

    if sum(map(len, texts)) > LONGEST_TEXT:
        return Unknown("…", "a text that is too long")

    text = "".join(texts)
    if reason:
        return Pattern(text, min(level, Confidence.LOW), reason, variable)
    return text


# -- operators -------------------------------------------------------------------------------------

OPERATORS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_, ast.BitXor: operator.xor,
}  # fmt: skip

COMPARISONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.eq, ast.IsNot: operator.ne, ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}  # fmt: skip


def binary(run: Run, node: ast.BinOp, env: Environment) -> Value:
    """a + b, a % b"""
    left, right = value(run, node.left, env), value(run, node.right, env)
    return combined(run, node, left, right)


def combined(run: Run, node: ast.BinOp | ast.AugAssign, left: Value, right: Value) -> Value:
    """Return what an operator gives for two values."""
    if isinstance(left, ColumnValue) or isinstance(right, ColumnValue):
        return trees.binary(run, type(node.op), left, right, node)
    if isinstance(left, Instance) or isinstance(right, Instance):
        return of_objects(run, DUNDERS.get(type(node.op), ""), left, right, node)
    if isinstance(node.op, ast.Mod) and isinstance(left, str):
        return percent(left, right)
    if isinstance(left, (Unknown, Choice, Pattern)) or isinstance(
        right, (Unknown, Choice, Pattern)
    ):
        texts = (str, Unknown, Choice)
        one_is_text = isinstance(left, str) or isinstance(right, str)
        if (
            isinstance(node.op, ast.Add)
            and one_is_text
            and isinstance(left, texts)
            and isinstance(right, texts)
        ):
            return text_of_parts([left, right])

        if isinstance(node.op, ast.Div):
            return text_of_parts([left, "/", right])
        if isinstance(left, Unknown):
            return left
        if isinstance(right, Unknown):
            return right
        return Unknown("…", "computed")

    if isinstance(left, Library) and isinstance(node.op, ast.Div):
        return Unknown("…", "a path that is computed")
    if isinstance(left, str) and isinstance(right, str) and isinstance(node.op, ast.Div):
        return text_of_parts([left, "/", right])

    combine = OPERATORS.get(type(node.op))
    if combine is None or not harmless(node.op, left, right):
        return Unknown("…", "computed")

    try:
        return combine(left, right)
    except Exception:  # whatever the analysed program does wrong stays its own affair
        return Unknown("…", "computed")


DUNDERS: dict[type, str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.BitOr: "or", ast.BitAnd: "and",
    ast.RShift: "rshift", ast.LShift: "lshift", ast.Mod: "mod", ast.MatMult: "matmul", ast.FloorDiv: "floordiv",
}  # fmt: skip


def of_objects(run: Run, name: str, left: Value, right: Value, node: Any) -> Value:
    """df >> step, a | b      what the class of either side says"""
    for held, other, called in ((left, right, f"__{name}__"), (right, left, f"__r{name}__")):
        found = held.home.find(called) if isinstance(held, Instance) else None
        if isinstance(found, Function):
            return invoke(run, found, [held, other], {}, node)
    return Unknown("…", "computed")


def harmless(op: ast.operator, left: Value, right: Value) -> bool:
    """[0] * 10**9 and 9**9**9 are not computed"""
    plain = (int, float, str, list, tuple, dict, set, frozenset)
    if not isinstance(left, plain) or not isinstance(right, plain):
        return False
    if isinstance(op, ast.Mult):
        if isinstance(left, (int, float)) and isinstance(right, (int, float)):
            return abs(left) < LARGEST and abs(right) < LARGEST

        sizes = [abs(x) if isinstance(x, (int, float)) else len(x) for x in (left, right)]
        return sizes[0] * sizes[1] <= LONGEST_LIST

    if isinstance(op, ast.Pow):
        return all(
            isinstance(x, (int, float)) and abs(x) < limit
            for x, limit in ((left, 10_000), (right, 64))
        )

    if (
        isinstance(op, ast.Add)
        and isinstance(left, (str, list, tuple))
        and isinstance(right, (str, list, tuple))
    ):
        return len(left) + len(right) <= LONGEST_TEXT

    return True


def percent(text: str, arguments: Value) -> Value:
    """ "%s.orders" % schema"""
    values = list(arguments) if isinstance(arguments, tuple) else [arguments]
    if (
        is_known(arguments)
        and not isinstance(text, Pattern)
        and not WIDE.search(text)
        and "*" not in text
    ):
        try:
            return text % arguments
        except (TypeError, ValueError, KeyError):
            return Unknown("…", "a text that is made with %")

    if isinstance(arguments, dict):
        named = re.split(r"%\((\w+)\)[sd]", text)
        return text_of_parts(
            [arguments.get(part) if at % 2 else part for at, part in enumerate(named)]
        )

    pieces = re.split("%[sd]", text)
    if len(pieces) != len(values) + 1:
        return Unknown("…", "a text that is made with %")

    parts: list[Value] = [pieces[0]]
    for held, piece in zip(values, pieces[1:], strict=True):
        parts += [held, piece]
    return text_of_parts(parts)


def unary(run: Run, node: ast.UnaryOp, env: Environment) -> Value:
    """not a, -a, ~a"""
    held = value(run, node.operand, env)
    if isinstance(held, ColumnValue):
        return trees.unary(run, type(node.op), held, node)
    if isinstance(node.op, ast.Not):
        known = truth(held)
        if known is None:
            return Unknown("…", "a condition")
        return not known

    if isinstance(held, (int, float)) and not isinstance(held, bool):
        if isinstance(node.op, ast.USub):
            return -held
        if isinstance(node.op, ast.UAdd):
            return held
        return Unknown("…", "")

    return Unknown("…", "computed")


def compare(run: Run, node: ast.Compare, env: Environment) -> Value:
    """a == b, 1 < a <= b, a in b"""
    left = value(run, node.left, env)
    result: Value = True

    for op, right_node in zip(node.ops, node.comparators, strict=True):
        right = value(run, right_node, env)
        if type(op) in trees.COMPARED and (
            isinstance(left, ColumnValue) or isinstance(right, ColumnValue)
        ):
            return trees.compare(run, type(op), left, right, node)

        outcome = compared_by_class(run, op, left, right, node)
        if outcome is None:
            return Unknown("…", "a condition")
        if outcome is False:
            result = False
        left = right

    return result


def compared(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """Return whether a comparison holds; None where only a run can tell."""
    if (
        isinstance(op, (ast.Is, ast.IsNot))
        and right is None
        and not isinstance(left, (Unknown, Choice))
    ):
        return (left is None) == isinstance(op, ast.Is)

    if isinstance(op, (ast.In, ast.NotIn)) and is_known(left):
        held = items_of(right) if not isinstance(right, (str, Generator)) else right
        if isinstance(held, str) and isinstance(left, str) and not isinstance(held, Pattern):
            return (left in held) == isinstance(op, ast.In)
        if isinstance(held, list):
            if any(is_known(item) and item == left for item in held):
                return isinstance(op, ast.In)
            if not all(map(is_known, held)):
                return None
            return isinstance(op, ast.NotIn)

        return None

    if not is_known(left) or not is_known(right):
        return compared_objects(op, left, right)

    try:
        return bool(COMPARISONS[type(op)](left, right))
    except Exception:
        return None


def compared_by_class(run: Run, op: ast.cmpop, left: Value, right: Value, node: Any) -> bool | None:
    """name in cube, job == other      as their class says, where it says anything"""
    if isinstance(right, Instance) and isinstance(op, (ast.In, ast.NotIn)):
        said = asked(run, right, "__contains__", [left], node)
        if said is ...:
            return compared(op, left, iterated(run, right, node))

        held = truth(said)
        if held is None:
            return None
        return held == isinstance(op, ast.In)

    if isinstance(left, Instance) and isinstance(op, (ast.Eq, ast.NotEq)):
        said = asked(run, left, "__eq__", [right], node)
        if said is not ...:
            held = truth(said)
            if held is None:
                return None
            return held == isinstance(op, ast.Eq)

    return compared(op, left, right)


def compared_objects(op: ast.cmpop, left: Value, right: Value) -> bool | None:
    """kind == Kind.RENAME, job is other      two members are one only if they are the same"""
    if not isinstance(op, (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)):
        return None

    wanted = isinstance(op, (ast.Eq, ast.Is))
    if left is right and isinstance(left, (Instance, Relation, Class, Function)):
        return wanted

    members = [
        held for held in (left, right) if isinstance(held, Instance) and held.home.enumerates
    ]
    if members and all(
        is_known(held) or any(held is member for member in members) for held in (left, right)
    ):
        return not wanted
    if isinstance(left, Class) and isinstance(right, Class):
        return not wanted
    return None


def boolean(run: Run, node: ast.BoolOp, env: Environment) -> Value:
    """a or b: the first that holds; both where only a run can tell"""
    last: Value = None
    maybe: list[Value] = []

    for item in node.values:
        last = value(run, item, env)
        known = truth(last)
        if known is None:
            maybe.append(last)
        elif known is isinstance(node.op, ast.Or):
            maybe.append(last)
            break

    if not maybe or (isinstance(node.op, ast.And) and truth(last) is False):
        return last
    if len(maybe) == 1 and maybe[0] is last:
        return maybe[0]
    return either(maybe if last in maybe else [*maybe, last])


def either(options: list[Value]) -> Value:
    """Return one of several values of `and` or `or`."""
    known = [option for option in options if is_known(option)]
    unknown = next((option for option in options if isinstance(option, (Unknown, Pattern))), None)
    if unknown is not None:
        return unknown
    if len(known) == len(options) and len({repr(option) for option in known}) > 1:
        return Choice(tuple(known))
    return options[0]


def conditional(run: Run, node: ast.IfExp, env: Environment) -> Value:
    """a if test else b"""
    test = truth(value(run, node.test, env))
    if test is not None:
        return value(run, node.body if test else node.orelse, env)
    return merged(run, value(run, node.body, env), value(run, node.orelse, env))


# -- comprehensions, lambdas, subscripts -----------------------------------------------------------


def lambda_(run: Run, node: ast.Lambda, env: Environment) -> Value:
    """lambda row: row.a"""
    return function_value(run, node, env, "<lambda>")


def function_value(run: Run, node: Any, env: Environment, called: str) -> Function:
    """Return a function with the values of its defaults."""
    defaults = [value(run, default, env) for default in node.args.defaults]
    keywords = {
        argument.arg: value(run, default, env)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    return Function(node, env.file, env, called, defaults, keywords)


def starred(run: Run, node: ast.Starred, env: Environment) -> Value:
    """*names"""
    return value(run, node.value, env)


def awaited(run: Run, node: ast.Await, env: Environment) -> Value:
    """await load()"""
    return value(run, node.value, env)


def yielded(run: Run, node: ast.Yield | ast.YieldFrom, env: Environment) -> Value:
    """yield df"""
    held = value(run, node.value, env)
    if run.frames:
        collected = run.frames[-1]
        if isinstance(node, ast.YieldFrom):
            collected.extend(items_of(held) or [])
        else:
            collected.append(held)
            if collected.at_yield is not None:
                collected.at_yield(held)

    return Unknown("…", "sent to a generator")


EXPRESSIONS.update(
    {
        type(None): absent,
        ast.Constant: constant,
        ast.Name: name,
        ast.List: listed,
        ast.Tuple: listed,
        ast.Set: listed,
        ast.Dict: dictionary,
        ast.JoinedStr: joined_text,
        ast.BinOp: binary,
        ast.UnaryOp: unary,
        ast.Compare: compare,
        ast.BoolOp: boolean,
        ast.IfExp: conditional,
        ast.Lambda: lambda_,
        ast.Starred: starred,
        ast.Await: awaited,
        ast.Yield: yielded,
        ast.YieldFrom: yielded,
    }
)
