"""Calls: of functions of the program, of classes, of methods, of what libraries offer."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial, reduce
from typing import Any

from lineal.extract.pyspark.branches import merged
from lineal.extract.pyspark.columns.functions import columns_of, udf_call
from lineal.extract.pyspark.columns.methods import METHODS as COLUMN_METHODS
from lineal.extract.pyspark.columns.methods import method as column_method
from lineal.extract.pyspark.dbt import Dbt, configure
from lineal.extract.pyspark.dispatch import (
    ACTIONS,
    BUILDERS,
    CALLS,
    EXPRESSIONS,
    FRAME_METHODS,
    Arguments,
    Keywords,
    argument_at,
    attribute_of,
    invoke,
    named_argument,
    value,
)
from lineal.extract.pyspark.expressions import iterated, unknown_of
from lineal.extract.pyspark.frames.groups import GROUPED
from lineal.extract.pyspark.frames.methods import NA
from lineal.extract.pyspark.frames.project import anything
from lineal.extract.pyspark.libraries import call as call_of_library
from lineal.extract.pyspark.natives import is_a
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import DEEPEST_CALL, Environment, Run, Yielded
from lineal.extract.pyspark.schemas import type_text
from lineal.extract.pyspark.session import SESSION
from lineal.extract.pyspark.statements import Returns, block
from lineal.extract.pyspark.types import type_method
from lineal.extract.pyspark.value_methods import method_of_value
from lineal.extract.pyspark.values import (
    Builder,
    Choice,
    Class,
    ColumnValue,
    Function,
    Generator,
    Grouped,
    Instance,
    Library,
    Method,
    Native,
    Partial,
    Pattern,
    SchemaValue,
    Session,
    Super,
    TypeValue,
    Udf,
    Unknown,
    Value,
    WindowSpec,
    items_of,
    label_of,
)
from lineal.model.diagnostic import Code
from lineal.model.way import Confidence


def called(run: Run, node: ast.Call, env: Environment) -> Value:
    """f(a, *b, k=c, **d)      a DataFrame that comes out takes the gaps that were met on the way"""
    before = len(run.gaps)
    run.calls += 1
    made = value_called(run, node, env)
    run.calls -= 1

    if made.__class__ is Relation and (len(run.gaps) > before or run.loose):
        made.gaps = made.gaps.union(run.gaps[before:], run.loose)
        del run.gaps[before:]
    elif run.calls == 0 and run.gaps:
        run.loose += run.gaps
        run.gaps.clear()

    return made


def value_called(run: Run, node: ast.Call, env: Environment) -> Value:
    """Return what a call gives, by what is called."""
    called = node.func
    if called.__class__ is ast.Attribute:
        receiver = value(run, called.value, env)
        direct = DIRECT.get(receiver.__class__)
        handler = direct.get(called.attr) if direct is not None else None
        if handler is not None and not run.patched:
            arguments, keywords = given(run, node, env)
            return handler(run, receiver, arguments, keywords, node)

        function = attribute_of(run, receiver, called.attr, called)
    elif called.__class__ is ast.Name and called.id in WORDS:
        return WORDS[called.id](run, node, env)
    else:
        function = value(run, called, env)

    arguments, keywords = given(run, node, env)
    handler = CALLS.get(function.__class__)
    if handler is None:
        return Unknown(label_of(node), "not followed")

    made: Value = handler(run, function, arguments, keywords, node)
    if (
        made.__class__ is Unknown
        and function.__class__ in ELSEWHERE
        and hands_on(arguments, keywords)
    ):
        run.leave_unread("a call of code that is not here", node)

    return made


ELSEWHERE = (Library, Unknown)
"""What a program calls and lineal has no text of."""


def hands_on(arguments: Arguments, keywords: Keywords) -> bool:
    """publish(df, "mart.orders")

    whether a call is given a DataFrame or a session, so that it may write
    """
    return any(isinstance(each, (Relation, Session)) for each in (*arguments, *keywords.values()))


DIRECT: dict[type, Mapping[str, Any]] = {Relation: FRAME_METHODS, ColumnValue: COLUMN_METHODS}
"""df.select(…), col("a").alias(…)      most calls of a job: no need to make a method first"""


def given(run: Run, node: ast.Call, env: Environment) -> tuple[Arguments, Keywords]:
    """The values of a call's arguments, stars unpacked."""
    arguments: Arguments = []
    for argument in node.args:
        kind = argument.__class__
        if kind is ast.Constant:
            arguments.append(argument.value)  # type: ignore[attr-defined]
        elif kind is not ast.Starred:
            arguments.append(value(run, argument, env))
        else:
            several = argument.value  # type: ignore[attr-defined]
            held = value(run, several, env)
            items = iterated(run, held, argument)
            if items is not None:
                arguments.extend(items)
            else:
                arguments.append(unknown_of(held, several))

    keywords: Keywords = {}
    for keyword in node.keywords:
        held = value(run, keyword.value, env)
        if keyword.arg is not None:
            keywords[keyword.arg] = held
        elif isinstance(held, dict):
            keywords.update((key, item) for key, item in held.items() if isinstance(key, str))

    return arguments, keywords


def super_call(run: Run, node: ast.Call, env: Environment) -> Value:
    """super()"""
    return super_of(run, env)


def included(run: Run, node: ast.Call, env: Environment) -> Value:
    """%run ./helpers"""
    path = value(run, node.args[0], env) if node.args else ""
    return run.program.include(run, str(path), env, node)


def names_here(run: Run, node: ast.Call, env: Environment) -> Value:
    """locals()["df"]"""
    return env.names


def names_of_module(run: Run, node: ast.Call, env: Environment) -> Value:
    """globals()["df"]"""
    return env.globals.names


def evaluated(run: Run, node: ast.Call, env: Environment) -> Value:
    """eval("F.sum")

    a text that is known is read like the code around it, and no more executed than that
    """
    text = value(run, node.args[0], env) if node.args else None
    if not isinstance(text, str) or isinstance(text, Pattern) or len(text) > LONGEST_EVAL:
        return Unknown("eval()", "a text that only a run knows")
    if run.depth >= DEEPEST_CALL:
        return Unknown("eval()", "nested too deeply")

    try:
        tree = ast.parse(text.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Unknown("eval()", "not followed")
    for each in ast.walk(tree):
        ast.copy_location(each, node)

    run.depth += 1
    try:
        return value(run, tree.body, env)
    finally:
        run.depth -= 1


def executed(run: Run, node: ast.Call, env: Environment) -> Value:
    """exec("total = df.count()")

    as eval: a text that is known is read like the code around it
    """
    text = value(run, node.args[0], env) if node.args else None
    tree = module_of(text) if run.depth < DEEPEST_CALL else None
    if tree is None:
        run.dynamic("code that only a run knows", node, gap=False)
        run.leave_unread("code that only a run knows", node)
        return None
    for each in ast.walk(tree):
        ast.copy_location(each, node)

    run.depth += 1
    try:
        block(run, tree.body, env, Returns())
    finally:
        run.depth -= 1

    return None


def module_of(text: Value) -> ast.Module | None:
    """The statements of a text of code; nothing, if the text is not known or is no code."""
    if not isinstance(text, str) or isinstance(text, Pattern) or len(text) > LONGEST_EVAL:
        return None

    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def module_named(
    run: Run, library: Library, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """importlib.import_module("jobs.orders")"""
    name = named_argument(arguments, keywords, 0, "name")
    file = next((each for each in run.program.files if each.reading is run.reading), None)
    if not isinstance(name, str) or isinstance(name, Pattern) or file is None:
        return Unknown("import_module()", "a module that only a run knows", Confidence.LOW)
    return run.program.module(run, name.lstrip("."), file, 0, node)


LONGEST_EVAL = 1_000

WORDS: dict[str, Callable[[Run, ast.Call, Environment], Value]] = {
    "super": super_call,
    "lineal_include": included,
    "locals": names_here,
    "globals": names_of_module,
    "eval": evaluated,
    "exec": executed,
}
"""Calls that see the names around them."""


# -- functions and classes of the program ----------------------------------------------------------


def call_function(
    run: Run, function: Function, arguments: Arguments, keywords: Keywords, node: Any,
    at_yield: Callable[[Value], None] | None = None,
) -> Value:  # fmt: skip
    """clean(df)      Run the body of a function of the program on the given values."""
    if "contextmanager" in function.decorators and at_yield is None:
        return Builder(
            "context",
            {"call": lambda body: call_function(run, function, arguments, keywords, node, body)},
        )

    if function.variants:
        function = variant_for(function, arguments)
    if run.depth >= DEEPEST_CALL:
        return Unknown(f"{function.name}()", "calls nest too deeply to be followed")

    run.step(5)
    run.called.add(id(function.node))
    env = Environment(bound(run, function, arguments, keywords), function.closure, function.file)
    if function.home is not None:
        env.names.setdefault("__class__", function.home)
        env.names.setdefault("__self__", argument_at(arguments))

    reading, run.reading = run.reading, function.file.reading
    outside = run.enter()
    run.depth += 1
    run.frames.append(Yielded(at_yield))
    made: Value = None

    try:
        if isinstance(function.node, ast.Lambda):
            made = value(run, function.node.body, env)
            return made

        returns = Returns()
        block(run, function.node.body, env, returns)
        yielded = run.frames[-1]
        made = Generator(yielded) if yielded or yields(function) else returned(run, returns)
        return made
    finally:
        run.frames.pop()
        run.depth -= 1
        run.reading = reading
        run.leave(outside, taken=made.__class__ is Relation)


def variant_for(function: Function, arguments: Arguments) -> Function:
    """@singledispatch      the function that is registered for the first argument's type"""
    given = arguments[1:] if "singledispatchmethod" in function.decorators else arguments
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


def returned(run: Run, returns: Returns) -> Value:
    """What a function gives back: one of what its branches return; `return None` contributes
    nothing.
    """
    given = [each for each in returns if each is not None]
    if not given:
        return None

    result = given[0]
    for other in given[1:]:
        result = merged(run, result, other)
    return result


def bound(
    run: Run, function: Function, arguments: Arguments, keywords: Keywords
) -> dict[str, Value]:
    """Parameters to arguments, by Python's rules; one that no call binds is not known."""
    spec = function.node.args
    positional = [each.arg for each in (*spec.posonlyargs, *spec.args)]
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


def call_class(run: Run, made: Class, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """C(…)      its __init__, or the fields of a dataclass"""
    if made.enumerates:
        for member in items_of(made) or []:
            held = member if isinstance(member, str) else member.names.get("value")
            if arguments and held == arguments[0]:
                return member

        return Unknown(made.name, "a member that only a run knows")

    instance = Instance(made)
    init = made.find("__init__")
    if isinstance(init, Function):
        call_function(run, init, [instance, *arguments], keywords, node)
        return instance

    fields = made.all_fields
    for (name, default), held in zip(fields, [*arguments, *[None] * len(fields)], strict=False):
        given = (
            held
            if len(instance.names) < len(arguments)
            else keywords.get(name, field_default(run, default))
        )
        instance.names[name] = given

    for key, held in keywords.items():
        instance.names.setdefault(key, held)

    after = made.find("__post_init__")
    if isinstance(after, Function):
        call_function(run, after, [instance], {}, node)
    return instance


def field_default(run: Run, default: Value) -> Value:
    """field(default_factory=list), field(default=1)"""
    if isinstance(default, Builder) and default.kind == "field":
        if "default" in default.parts:
            return default.parts["default"]
        if "default_factory" in default.parts:
            return invoke(run, default.parts["default_factory"], [], {}, None)

    if isinstance(default, list):
        return list(default)
    if isinstance(default, dict):
        return dict(default)
    return default


def super_of(run: Run, env: Environment) -> Value:
    """super().method(…)"""
    here: Environment | None = env
    while here is not None and "__class__" not in here.names:
        here = here.outer
    if here is None:
        return Unknown("super()", "not followed")

    home = here.names["__class__"]
    receiver = here.names.get("__self__")
    kind = (
        receiver.home
        if isinstance(receiver, Instance)
        else receiver
        if isinstance(receiver, Class)
        else home
    )
    order = kind.order
    after = next((position for position, made in enumerate(order, 1) if made is home), len(order))
    return Super(tuple(order[after:]), receiver)


# -- methods ---------------------------------------------------------------------------------------


def call_method(
    run: Run, method: Method, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """df.select("a"), self.load()"""
    if method.function is not None:
        return call_function(run, method.function, [method.receiver, *arguments], keywords, node)
    handler = RECEIVERS.get(type(method.receiver))
    if handler is None:
        return method_of_value(run, method.receiver, method.name, arguments, keywords, node)
    return handler(run, method.receiver, method.name, arguments, keywords, node)


def on_relation(
    run: Run, held: Relation, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """df.select("a"), df.count()      Call a method of a DataFrame."""
    handler = FRAME_METHODS.get(name)
    if handler is not None:
        return handler(run, held, arguments, keywords, node)
    if name in ACTIONS:
        return ACTIONS[name](run, held, arguments, keywords, node)

    run.report(Code.UNSUPPORTED_CONSTRUCT, f"DataFrame.{name} is not traced", node)
    return Relation([anything()], dict(held.rows), (held,))


def on_column(
    run: Run, held: ColumnValue, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """col("a").alias("b")      Call a method of a Column."""
    return column_method(run, held, name, arguments, keywords, node)


def on_grouped(
    run: Run, held: Grouped, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """df.groupBy("a").count()      Call a method of grouped data."""
    handler = GROUPED.get(name)
    if handler is not None:
        return handler(run, held, arguments, keywords, node)
    run.report(Code.UNSUPPORTED_CONSTRUCT, f"GroupedData.{name} is not traced", node)
    return Relation([anything()], dict(held.relation.rows), (held.relation,))


def on_session(
    run: Run, held: Session, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """spark.table("orders")      Call a method of the session."""
    handler = SESSION.get(name)
    if handler is not None:
        return handler(run, arguments, keywords, node)
    return Unknown(f"spark.{name}()", "not followed")


def on_builder(
    run: Run, held: Builder, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """df.write.mode("append")      Call a method of what is put together call by call."""
    if held.kind == "na":
        handler = NA.get(name)
        if handler is not None:
            return handler(run, held.parts["relation"], arguments, keywords, node)

    handlers = BUILDERS.get(held.kind)
    if handlers is not None:
        return handlers(run, held, name, arguments, keywords, node)
    return Unknown(f"{held.kind}.{name}()", "not followed")


def on_window(
    run: Run, held: WindowSpec, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """Window.partitionBy("a").orderBy("b")      Add to a window."""
    trees = (
        tuple(item.tree for item in columns_of(run, arguments, node))
        if name in ("partitionBy", "orderBy")
        else ()
    )
    if name == "partitionBy":
        return WindowSpec(trees, held.order)
    if name == "orderBy":
        return WindowSpec(held.partition, trees)
    return held


def on_schema(
    run: Run, held: SchemaValue, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """schema.add("a", StringType()), schema.fieldNames()"""
    if name == "add" and arguments:
        first = arguments[0]
        kind = argument_at(arguments, 1, "")
        text = type_text(kind) if kind else ""
        added = (str(getattr(first, "name", first)), str(getattr(first, "type_name", text)))
        return SchemaValue([*held.fields, added])

    if name == "fieldNames":
        return [field for field, _ in held.fields]
    if name == "typeName":
        return "struct"
    return Unknown(f"{name}()", "not followed")


def on_type(
    run: Run, held: TypeValue, name: str, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """StringType().simpleString()      Call a method of a type."""
    return type_method(held, name)


RECEIVERS: dict[type, Any] = {
    Relation: on_relation,
    ColumnValue: on_column,
    Grouped: on_grouped,
    Session: on_session,
    Builder: on_builder,
    WindowSpec: on_window,
    SchemaValue: on_schema,
    TypeValue: on_type,
}


# -- everything else -------------------------------------------------------------------------------


def call_library(
    run: Run, library: Library, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """F.col("a"), os.path.join("a", "b")"""
    if library.name == "importlib.import_module":
        return module_named(run, library, arguments, keywords, node)
    return call_of_library(run, library.name, arguments, keywords, node)


def call_udf(run: Run, udf: Udf, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """clean_udf(col("a"))"""
    return udf_call(run, udf, arguments, keywords, node)


def call_native(
    run: Run, native: Native, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """itemgetter("name")(row)"""
    return native.call(run, arguments, keywords, node)


def call_partial(
    run: Run, held: Partial, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """partial(f, 1)(2)"""
    return invoke(
        run, held.function, [*held.arguments, *arguments], {**held.keywords, **keywords}, node
    )


def call_choice(
    run: Run, held: Choice, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """(F.max if test else F.min)("x")      whatever either gives"""
    several = [invoke(run, option, arguments, keywords, node) for option in held.options]
    return reduce(partial(merged, run), several)


def call_instance(
    run: Run, held: Instance, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """step(df), where the class of step has __call__"""
    found = held.home.find("__call__")
    if isinstance(found, Function):
        return call_function(run, found, [held, *arguments], keywords, node)
    return Unknown(f"{held.home.name}()", "not followed")


def call_unknown(
    run: Run, held: Unknown, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """get_columns()

    nobody knows what it gives; a parameter's or configuration's method gives configuration
    """
    level = Confidence.LOW if held.level is Confidence.LOW else Confidence.UNKNOWN
    label = label_of(node) if isinstance(node, ast.Call) else f"{held.label}()"
    reason = held.reason if level is Confidence.LOW else f"what {held.label}() gives is not known"
    return Unknown(label, reason, level)


def call_column(
    run: Run, held: ColumnValue, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """df.new_method(…)

    a name that is no column, since it is called, and no method that is known
    """
    name = (
        node.func.attr
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        else "this"
    )
    run.report(Code.UNSUPPORTED_CONSTRUCT, f"{name}(…) is not traced", node)
    home = (held.tree._meta or {}).get("home")
    if isinstance(home, Relation):
        return Relation([anything()], dict(home.rows), (home,))
    return Unknown(f"{name}()", f"{name}(…) is not traced")


def call_builder(
    run: Run, held: Builder, arguments: Arguments, keywords: Keywords, node: Any
) -> Value:
    """as_text = udf("string"); as_text(f)      a decorator that is called by hand"""
    if held.kind == "udf_decorator" and arguments and isinstance(arguments[0], Function):
        return Udf(arguments[0].name)
    return Unknown(label_of(node), "not followed")


def call_flag(run: Run, held: bool, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """dbt.is_incremental()      a property that some write as a call"""
    return held


EXPRESSIONS[ast.Call] = called

CALLS.update(
    {
        bool: call_flag,
        Dbt: configure,
        Builder: call_builder,
        ColumnValue: call_column,
        Function: call_function,
        Class: call_class,
        Method: call_method,
        Library: call_library,
        Udf: call_udf,
        Native: call_native,
        Partial: call_partial,
        Instance: call_instance,
        Unknown: call_unknown,
        Choice: call_choice,
    }
)
