"""Calls of functions and classes of the program."""

from __future__ import annotations

import ast
from collections.abc import Callable

from lineal.extract.pyspark.blocks import Returns, run_block
from lineal.extract.pyspark.branches import merge_values
from lineal.extract.pyspark.dispatch import invoke, relation_in, value
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords, argument_at
from lineal.extract.pyspark.knowledge import copy_container, items_of
from lineal.extract.pyspark.natives import is_a
from lineal.extract.pyspark.repetition import (
    Call,
    mark_of,
    recall_call,
    recursion_of,
    remember_call,
)
from lineal.extract.pyspark.run import DEEPEST_CALL, Environment, Run, Yielded
from lineal.extract.pyspark.values import (
    Builder,
    Class,
    Function,
    Generator,
    Instance,
    Super,
    Unknown,
    Value,
    note_of,
    positional_names,
)
from lineal.model.sequences import present
from lineal.model.way import Confidence


def call_function(
    run: Run, function: Function, given: Invocation,
    at_yield: Callable[[Value], None] | None = None,
) -> Value:  # fmt: skip
    """Run the body of a function of the program on the given values.

    clean(df)
    """
    if "contextmanager" in function.decorators and at_yield is None:
        return Builder(
            "context",
            {"call": lambda body: call_function(run, function, given, body)},
        )

    run.called.add(id(function.node))
    if function.variants:
        function = variant_for(run, function, given.arguments, given.node)

    if run.depth >= DEEPEST_CALL:
        return Unknown(f"{function.name}()", "calls nest too deeply to be followed")

    run.step(5)
    run.called.add(id(function.node))
    call = Call(function, given.arguments, given.keywords)
    again = recursion_of(run, call)
    if again is not None:
        return again

    if at_yield is not None or id(function.node) in run.effects:
        return carry_out(run, call, at_yield)

    key = call.key()
    known = recall_call(run, function, key) if key is not None else None
    if known is not None:
        return known.given

    before = mark_of(run)
    made = carry_out(run, call, None)
    if key is not None:
        remember_call(run, call, key, before, made)

    return made


def carry_out(run: Run, call: Call, at_yield: Callable[[Value], None] | None) -> Value:
    """Run the body of a function."""
    function, arguments, keywords = call
    env = Environment(
        bind_parameters(run, function, arguments, keywords),
        function.closure,
        function.file,
        function.name,
    )
    run.bear(env.names)
    if "keyword_only" in function.decorators and isinstance(argument_at(arguments), Instance):
        keep_keywords(run, arguments[0], keywords)

    if function.home is not None:
        env.names.setdefault("__class__", function.home)
        env.names.setdefault("__self__", argument_at(arguments))

    reading, run.reading = run.reading, function.file.reading
    home, run.home = run.home, env.home
    own, run.own_names = run.own_names, id(env.names)
    outside = run.enter()
    run.depth += 1
    run.frames.append(Yielded(at_yield))
    run.under_way.append((call, run.changes))
    active = len(run.under_way)
    made: Value = None

    try:
        if isinstance(function.node, ast.Lambda):
            made = value(run, function.node.body, env)
            return made

        returns = Returns()
        run_block(run, function.node.body, env, returns)
        yielded = run.frames[-1]
        made = Generator(yielded) if yielded or yields(function) else merge_returns(run, returns)
        return made
    finally:
        del run.under_way[active - 1 :]
        run.frames.pop()
        run.depth -= 1
        run.reading, run.home, run.own_names = reading, home, own
        run.leave(outside, taken=relation_in(made) is not None)


def keep_keywords(run: Run, held: Instance, keywords: Keywords) -> None:
    """Keep the arguments of a call where pyspark.ml's decorator keeps them.

    @keyword_only      self._input_kwargs
    """
    run.touch(held.names)
    held.names["_input_kwargs"] = dict(keywords)


def variant_for(run: Run, function: Function, arguments: Arguments, node: ast.AST) -> Function:
    """Return the variant of a function for its first argument.

    @singledispatch      the function that is registered for the first argument's type
    """
    given = arguments[1:] if "singledispatchmethod" in function.decorators else arguments
    if given and isinstance(given[0], Unknown):
        run.dynamic(note_of("a function by the type of an argument", given[0]), node)

    fitting = [made for kind, made in function.variants or () if given and is_a(given[0], kind)]
    if fitting:
        return fitting[-1]

    return function


def yields(function: Function) -> bool:
    """Whether a function is a generator, even if it yields nothing this time."""
    node = function.node
    known = getattr(node, "lineal_yields", None)
    if known is None:
        waiting: list[ast.AST] = list(node.body) if "yield" in function.file.text else []
        known = False

        while waiting and not known:
            here = waiting.pop()
            known = isinstance(here, (ast.Yield, ast.YieldFrom))
            if not isinstance(
                here, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
            ):
                waiting.extend(ast.iter_child_nodes(here))

        node.lineal_yields = known

    return bool(known)


def merge_returns(run: Run, returns: Returns) -> Value:
    """Merge the values that the branches of a function return; `return None` contributes nothing."""
    given = present(returns)
    if not given:
        return None

    result = given[0]
    for other in given[1:]:
        result = merge_values(run, result, other)

    return result


def bind_parameters(
    run: Run, function: Function, arguments: Arguments, keywords: Keywords
) -> dict[str, Value]:
    """Parameters to arguments, by Python's rules; one that no call binds is not known."""
    spec = function.node.args
    positional = positional_names(spec)
    names: dict[str, Value] = {}

    for parameter, default in zip(reversed(positional), reversed(function.defaults), strict=False):
        names[parameter] = default

    names.update(function.keyword_defaults)
    for parameter, held in zip(positional, arguments, strict=False):
        names[parameter] = held

    more = arguments[len(positional) :]
    if spec.vararg is not None:
        names[spec.vararg.arg] = tuple(more)

    allowed = {*positional, *(each.arg for each in spec.kwonlyargs)}
    extra = {}

    for key, held in keywords.items():
        if key in allowed:
            names[key] = held
        else:
            extra[key] = held

    if spec.kwarg is not None:
        names[spec.kwarg.arg] = extra

    for parameter in allowed:
        if parameter not in names:
            names[parameter] = Unknown(
                parameter, f"the parameter {parameter} of {function.name}", Confidence.LOW
            )

    return names


def call_class(run: Run, made: Class, call: Invocation) -> Value:
    """Build an object of a class.

    C(…)      its __init__, or the fields of a dataclass
    """
    if made.enumerates:
        for member in items_of(made) or []:
            held = member if isinstance(member, str) else member.names.get("value")
            if call.arguments and held == call.arguments[0]:
                return member

        return Unknown(made.name, "a member that only a run knows")

    instance = Instance(made)
    run.bear(instance.names)
    init = made.find("__init__")
    if isinstance(init, Function):
        call_function(run, init, call.with_arguments([instance, *call.arguments]))
        return instance

    fields = made.all_fields
    for (name, default), held in zip(
        fields, [*call.arguments, *[None] * len(fields)], strict=False
    ):
        given = (
            held
            if len(instance.names) < len(call.arguments)
            else call.keywords.get(name, field_default(run, default))
        )
        instance.names[name] = given

    for key, held in call.keywords.items():
        instance.names.setdefault(key, held)

    after = made.find("__post_init__")
    if isinstance(after, Function):
        call_function(run, after, call.with_arguments([instance], {}))

    return instance


def field_default(run: Run, default: Value) -> Value:
    """Return the default of a field.

    field(default_factory=list), field(default=1)
    """
    if isinstance(default, Builder) and default.kind == "field":
        if "default" in default.parts:
            return default.parts["default"]

        if "default_factory" in default.parts:
            return invoke(run, default.parts["default_factory"], Invocation([], {}, None))

    return copy_container(default)


def super_of(run: Run, env: Environment) -> Value:
    """Call a method of the base class.

    super().method(…)
    """
    here: Environment | None = env
    while here is not None and "__class__" not in here.names:
        here = here.outer

    if here is None:
        return Unknown("super()", "not followed")

    home = here.names["__class__"]
    receiver = here.names.get("__self__")
    kind = home
    if isinstance(receiver, Instance):
        kind = receiver.home
    elif isinstance(receiver, Class):
        kind = receiver

    order = kind.order
    after = next((position for position, made in enumerate(order, 1) if made is home), len(order))
    return Super(tuple(order[after:]), receiver)


def call_instance(run: Run, held: Instance, call: Invocation) -> Value:
    """Call an object.

    step(df), where the class of step has __call__
    """
    found = held.home.find("__call__")
    if isinstance(found, Function):
        return call_function(run, found, call.with_arguments([held, *call.arguments]))

    return Unknown(f"{held.home.name}()", "not followed")
