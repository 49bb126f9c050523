"""The interpreter's tables, and the steps that every handler may take.

Expressions hold calls, calls run statements, statements hold expressions: the modules that carry
them out would all have to import each other. Instead each enters its handlers here, one row per
kind of node or value, and whoever wants a value, a call, an attribute or an item asks this module.
`program.py` imports all of them, so that the tables are full before the first file is read.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.sizes import BOUNDS
from lineal.extract.pyspark.values import Builder, Method, Unknown, Value, label_of
from lineal.model.limits import check

Expression = Callable[[Run, Any, Environment], Value]
CallHandler = Callable[[Run, Any, Invocation], Value]
Attribute = Callable[[Run, Any, str, Any], Value]
Item = Callable[[Run, Any, Value, Any], Value]
LibraryCall = Callable[[Run, Invocation], Value]
Action = Callable[[Run, Relation, Invocation], Value]
BuilderCall = Callable[[Run, Builder, str, Invocation], Value]
NamedCall = Callable[[Run, str, Invocation], Value]
MethodCall = Callable[[Run, Any, str, Invocation], Value]
Operation = Callable[[Run, type, Value, Value, Any], Value]
ItemTarget = Callable[[Run, Any, Value, Value, Any], None]
AttributeTarget = Callable[[Run, Any, str, Value, Any], None]
ItemDeletion = Callable[[Run, Any, Value, Any], None]

EXPRESSIONS: dict[type, Expression] = {}
"""The value of a node of Python's syntax tree."""

CALLS: dict[type, CallHandler] = {}
"""value(…), by the class of the value that is called."""

ATTRIBUTES: dict[type, Attribute] = {}
"""value.name, by the class of the value."""

ITEMS: dict[type, Item] = {}
"""value[key], by the class of the value or one that it derives from."""

BUILTINS: dict[str, LibraryCall] = {}
"""len(…), dict.fromkeys(…): the functions of Python itself."""

ACTIONS: dict[str, Action] = {}
"""df.count(), df.createOrReplaceTempView(…): methods of a DataFrame that give no DataFrame."""

FRAME_METHODS: dict[str, Action] = {}
"""df.select(…), df.join(…): methods of a DataFrame that give another one."""

BUILDERS: dict[str, BuilderCall] = {}
"""df.write.mode(…), DeltaTable.merge(…): methods of objects that are put together call by call."""

RECEIVERS: dict[type, MethodCall] = {}
"""value.name(…), by the class of the value."""

LOOK_UPS: dict[type, Callable[[Run, Any, dict[Any, Value], Value, Any], Value]] = {}
"""pairs[key], pairs.get(key, default), by the class of the key: a key that only the data knows."""

OPERATIONS: dict[type, Operation] = {}
"""left + right, left < right, ~value: by the class of either side, for values of DataFrame libraries.

The operation is a class of `ast`; a unary one has None on its right.
"""

ITEM_TARGETS: dict[type, ItemTarget] = {}
"""value[key] = held, by the class of the value, for values that change in place."""

ATTRIBUTE_TARGETS: dict[type, AttributeTarget] = {}
"""value.name = held, by the class of the value."""

ITEM_DELETIONS: dict[type, ItemDeletion] = {}
"""del value[key], by the class of the value."""

RELATIONS: dict[type, Callable[[Any], Relation]] = {Relation: lambda held: held}
"""The relation that a value holds at the moment, by its class: every DataFrame has one."""

FRAMES: set[type] = {Relation}
"""The classes of DataFrames: what a program that writes nothing ends with."""

ENDINGS: dict[type, Callable[[Any], Relation]] = {}
"""The relation of a DataFrame at the end of a program; without a row that of `RELATIONS`."""

COMPUTED: dict[type, NamedCall] = {}
"""name(value), by the class of the value: a function that is not here, over values of a library."""

DECIDED: dict[type, Callable[[Run, Value, list[Any], Any], Value]] = {}
"""[1 if x > 0 else 2 for x in column]: the value of a comprehension over elements of this class."""

COMPREHENDED: dict[type, Callable[[Run, Any, Any, Environment], Value]] = {}
"""[f(x) for x in value]: what a comprehension over this class gives where its items are not known."""

TRANSPOSED: dict[type, Callable[[Run, Value], list[Value] | None]] = {}
"""zip(*value): the columns of values that are rows, where the class knows them."""

LISTED: set[type] = set()
"""Classes that list(), set() and sorted() leave as they are, where their items are not known."""

LIBRARY_ROOTS: dict[str, NamedCall] = {}
"""pandas.read_csv(…): functions of a library, by its first name."""

LONGEST_VARIABLE = 80

VARIABLES = frozenset((ast.Name, ast.Attribute, ast.Subscript))
"""The names of a value in a program: cols, config.columns, settings["cols"]."""


def value(run: Run, node: ast.expr | None, env: Environment) -> Value:
    """Return the abstract value of an expression."""
    run.steps = steps = run.steps + 1
    if not steps & 0xFF:
        run.step(0)
        run.checks += 1
        if not run.checks & 0x0F:
            check()

    handler = EXPRESSIONS.get(node.__class__)
    found = handler(run, node, env) if handler is not None else Unknown("…", "not followed")
    if node.__class__ in VARIABLES:
        return under_its_name(found, node, env) if found.__class__ is Unknown else found

    bound = BOUNDS.get(found.__class__)
    if bound is not None:
        return bound(run, found, node)

    return found


def relation_in(held: Value) -> Relation | None:
    """Return the relation of a DataFrame of any library; None for any other value."""
    found = RELATIONS.get(held.__class__)
    if found is None:
        return None

    return found(held)


def operation_of(left: Value, right: Value = None) -> Operation | None:
    """Return what carries out an operator, where either side is of a DataFrame library."""
    return OPERATIONS.get(left.__class__) or OPERATIONS.get(right.__class__)


def computed_by(arguments: Arguments, keywords: Keywords) -> NamedCall | None:
    """Return the stand-in of a function that is not here, given values of a DataFrame library."""
    for each in (*arguments, *keywords.values()):
        found = COMPUTED.get(each.__class__)
        if found is not None:
            return found

    return None


def under_its_name(held: Unknown, node: Any, env: Environment) -> Unknown:
    """Return a value that only a run knows, under the name that the program uses for it."""
    if held.home:
        return held.rename("", variable_name(node))

    defined = env.home_of(node.id) if isinstance(node, ast.Name) else None
    return held.rename("", variable_name(node), (defined or env).home)


def variable_name(node: ast.AST) -> str:
    """Return a variable as it is written, where that is short."""
    if isinstance(node, ast.Name):
        return node.id

    known: str | None = getattr(node, "lineal_variable", None)
    if known is None:
        text = ast.unparse(node) if isinstance(node, (ast.Attribute, ast.Subscript)) else ""
        known = text.replace("'", '"') if len(text) <= LONGEST_VARIABLE else ""
        node.lineal_variable = known  # type: ignore[attr-defined]

    return known


def invoke(run: Run, function: Value, call: Invocation) -> Value:
    """Call a value.

    function(…)      whatever is called: a function, a class, a method, a column
    """
    handler = CALLS.get(type(function))
    if handler is not None:
        return handler(run, function, call)

    return Unknown(label_of(call.node), "not followed")


def attribute_of(run: Run, held: Value, name: str, node: ast.AST) -> Value:
    """Return an attribute of a value.

    held.name
    """
    handler = ATTRIBUTES.get(held.__class__)
    if handler is not None:
        return handler(run, held, name, node)

    return Method(held, name)


def item_of(run: Run, held: Value, key: Value, node: ast.AST) -> Value:
    """Return an item of a value.

    held[key]      df["x"], config["tables"]["orders"], names[0]
    """
    of_element = run.elements and key.__class__ in COMPUTED
    if of_element and held.__class__ not in RELATIONS and held.__class__ is not dict:
        return COMPUTED[key.__class__](run, "item", Invocation([key], {}, node))

    for kind in held.__class__.__mro__:
        if kind in ITEMS:
            return ITEMS[kind](run, held, key, node)

    return Unknown(label_of(node), "not followed")
