"""Definitions of functions and classes."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lineal.extract.pyspark.blocks import Returns, run_block
from lineal.extract.pyspark.decorators import decorate
from lineal.extract.pyspark.dispatch import invoke, value
from lineal.extract.pyspark.expressions import function_value
from lineal.extract.pyspark.function_calls import call_function
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.knowledge import is_text
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    Class,
    Function,
    Instance,
    Library,
    Method,
    Partial,
    TextMember,
    Unknown,
    Value,
)
from lineal.model.sequences import instances


def define_function(
    run: Run, node: ast.FunctionDef | ast.AsyncFunctionDef, env: Environment, returns: Returns
) -> None:
    """Define a function.

    def clean(df): …
    """
    made = function_value(run, node, env, node.name)
    if env.methods is not None:
        env.methods.append(made)

    run.touch(env.names)
    env.names[node.name] = decorate(run, made, node, env)
    if env.outer is None:
        env.file.functions.append(made)


def define_class(run: Run, node: ast.ClassDef, env: Environment, returns: Returns) -> None:
    """Define a class.

    class Job: …
    """
    bases = [value(run, base, env) for base in node.bases]
    inner = Environment({}, env, env.file)
    inner.methods = []
    made = Class(node.name, bases, inner.names, file=env.file)
    made.heirs_have_fields = any(map(makes_fields, node.bases, bases))
    made.has_fields = made.heirs_have_fields or is_decorated_by_a_library(run, node, env)

    for statement in node.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            define_field(run, made, statement.target.id, statement.value, inner)
        else:
            run_block(run, [statement], inner, returns)

    settle_members(made, inner, env)
    for base in bases:
        if isinstance(base, Class):
            base.heirs.append(made)

    keywords = {k.arg: value(run, k.value, env) for k in node.keywords if k.arg is not None}
    call_init_subclass(run, made, keywords, node)
    tell_metaclass(run, made, keywords.get("metaclass"), node)
    run.touch(env.names)
    env.names[node.name] = decorate_class(run, made, node, env)
    if env.outer is None:
        env.file.classes.append(made)


def define_field(
    run: Run, made: Class, name: str, default: ast.expr | None, inner: Environment
) -> None:
    """Add a field of a class, and its default.

    host: str = "a"
    """
    if default is None:
        made.fields.append((name, Unknown(name, "a field that is not set")))
        return

    held = value(run, default, inner)
    made.fields.append((name, held))
    inner.names[name] = held


def settle_members(made: Class, inner: Environment, env: Environment) -> None:
    """Tell methods which class they belong to, and make members of what an enumeration lists."""
    for method in inner.methods or ():
        method.home, method.closure = made, env

    for key, item in list(inner.names.items()):
        if isinstance(item, Function):
            item.home = item.home or made
            if item.closure is inner:
                item.closure = env
        elif made.enumerates and not key.startswith("_"):
            inner.names[key] = member_of(made, key, item)


PLAIN_BASES = frozenset(
    ("ABC", "object", "Generic", "Protocol", "Enum", "StrEnum", "IntEnum", "str", "Exception")
)


def makes_fields(node: ast.expr, base: Value) -> bool:
    """Tell whether a class turns its annotations into fields.

    class Settings(BaseModel)      host: str = "a" is a field, in its heirs, too
    """
    if isinstance(base, Class):
        return base.heirs_have_fields

    plain = node.value if isinstance(node, ast.Subscript) else node
    return ast.unparse(plain).rpartition(".")[2] not in PLAIN_BASES


def is_decorated_by_a_library(run: Run, node: ast.ClassDef, env: Environment) -> bool:
    """Tell whether a decorator of a library turns annotations into fields.

    @dataclass, @attrs.define(frozen=True)
    """
    named = [each.func if isinstance(each, ast.Call) else each for each in node.decorator_list]
    return any(isinstance(value(run, each, env), (Library, Unknown)) for each in named)


def call_init_subclass(
    run: Run, made: Class, keywords: dict[str, Value], node: ast.ClassDef
) -> None:
    """Call the __init_subclass__ of the nearest base class that has one.

    class Orders(Job, target="x")      Job.__init_subclass__ hears of it
    """
    hooks = [base.names.get("__init_subclass__", ...) for base in made.order[1:]]
    found = next((hook for hook in hooks if hook is not ...), None)
    if isinstance(found, Function):
        passed = {key: held for key, held in keywords.items() if key != "metaclass"}
        invoke(run, found, Invocation([made], passed, node))


def tell_metaclass(run: Run, made: Class, given: Value, node: ast.ClassDef) -> None:
    """Let a metaclass of the program hear of a class.

    class Job(metaclass=Registry)      Registry.__new__ and __init__ hear of Job and of its heirs
    """
    inherited = [base.made_by for base in made.bases if isinstance(base, Class)]
    kinds = instances((given, *inherited), Class)
    if not kinds:
        return

    made.made_by = kind = kinds[0]
    told: list[Value] = [made.name, tuple(made.bases), made.names]
    run.making.append(made)
    for hook, receiver in (("__new__", kind), ("__init__", made)):
        found = kind.find(hook)
        if isinstance(found, Function):
            call_function(run, found, Invocation([receiver, *told], {}, node))

    run.making.pop()


CLASS_DECORATORS: list[Callable[[Run, Value, Value], Value | None]] = []
"""The class that a library's decorator makes; None for a decorator of another kind."""


def decorate_class(run: Run, made: Class, node: ast.ClassDef, env: Environment) -> Value:
    """Apply the decorators of a class.

    @register class Orders: …

    what a decorator of the program gives back, if it is a class
    """
    result: Value = made
    for decorator in reversed(node.decorator_list):
        owner = value(run, decorator, env)
        for make in CLASS_DECORATORS:
            result = make(run, owner, result) or result

        if isinstance(owner, (Function, Method, Partial)):
            given = invoke(run, owner, Invocation([result], {}, decorator))
            if isinstance(given, (Class, Function, Partial)):
                result = given

    return result


def member_of(made: Class, name: str, held: Value) -> Value:
    """Return a member of an enumeration.

    RED = "r"      in an enumeration; of texts, it is one
    """
    if made.of_texts and is_text(held):
        return TextMember.from_text(held, made, name)

    return Instance(made, {"value": held, "name": name})
