"""Calls: of functions of the program, of classes, of methods, of what libraries offer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import partial, reduce

from lineal.extract.pyspark.branches import merge_values
from lineal.extract.pyspark.code_texts import WORDS, import_module
from lineal.extract.pyspark.collected import computed_of, lift_value
from lineal.extract.pyspark.columns.functions import computed_column, hands_columns, udf_call
from lineal.extract.pyspark.columns.methods import METHODS as COLUMN_METHODS
from lineal.extract.pyspark.dbt import Dbt, configure
from lineal.extract.pyspark.decorators import UDF_DECORATORS, make_udf
from lineal.extract.pyspark.dispatch import (
    CALLS,
    EXPRESSIONS,
    FRAME_METHODS,
    LIBRARY_ROOTS,
    TRANSPOSED,
    CallHandler,
    attribute_of,
    computed_by,
    invoke,
    relation_in,
    value,
)
from lineal.extract.pyspark.embedded.statements import NOT_TAKEN, Called
from lineal.extract.pyspark.function_calls import call_class, call_function, call_instance
from lineal.extract.pyspark.invocation import Arguments, Invocation, Keywords
from lineal.extract.pyspark.libraries import call as call_of_library
from lineal.extract.pyspark.method_calls import call_method
from lineal.extract.pyspark.protocols import iterate, known_value, unknown_of
from lineal.extract.pyspark.relation import Relation, open_star
from lineal.extract.pyspark.run import Environment, Run
from lineal.extract.pyspark.values import (
    SCHEMA_UNKNOWN,
    Builder,
    Choice,
    Class,
    ColumnValue,
    Function,
    Grouped,
    Instance,
    Library,
    Method,
    Native,
    Partial,
    Session,
    Transposed,
    Udf,
    Unknown,
    Value,
    WindowSpec,
    label_of,
    note_of,
)
from lineal.extract.sql.nodes import meta_of
from lineal.model.diagnostic import Code
from lineal.model.way import Confidence


def evaluate_call(run: Run, node: ast.Call, env: Environment) -> Value:
    """Evaluate a call.

    f(a, *b, k=c, **d)      a DataFrame that comes out takes the gaps that were met on the way
    """
    before = len(run.gaps)
    run.calls += 1
    made = call_value(run, node, env)
    run.calls -= 1

    frame = relation_in(made)
    if frame is not None and (len(run.gaps) > before or run.loose):
        frame.gaps = frame.gaps.union(run.gaps[before:], run.loose)
        del run.gaps[before:]
    elif run.calls == 0 and run.gaps:
        run.loose += [each for each in dict.fromkeys(run.gaps) if each not in run.loose]
        run.gaps.clear()

    return made


def call_value(run: Run, node: ast.Call, env: Environment) -> Value:
    """Return the value of a call, by the kind of its callee."""
    called = node.func
    receiver: Value = None
    if called.__class__ is ast.Attribute:
        receiver = value(run, called.value, env)
        direct = DIRECT.get(receiver.__class__)
        handler = direct.get(called.attr) if direct is not None else None
        if handler is not None and not run.patched:
            arguments, keywords = arguments_of(run, node, env)
            before = run.told
            found = handler(run, receiver, Invocation(arguments, keywords, node))
            if run.told == before and called.attr not in VALUES_ONLY:
                report_arguments(run, Invocation(arguments, keywords, node))

            return found

        function = attribute_of(run, receiver, called.attr, called)
    elif called.__class__ is ast.Name and called.id in WORDS:
        return WORDS[called.id](run, node, env)
    else:
        function = value(run, called, env)

    arguments, keywords = arguments_of(run, node, env)
    run.here = env
    if run.collector is not None:
        name = getattr(called, "attr", getattr(called, "id", ""))
        found = run.collector.call(run, Called(function, receiver, name, arguments, keywords, node))
        if found is not NOT_TAKEN:
            return found

    if run.elements:
        computed = computed_by([receiver, *arguments], keywords)
        of_field = function.__class__ is ColumnValue  # rec["a"].lower()
        if computed is not None and (of_field or is_plain(function)) and not is_look_up(function):
            return computed(
                run, name_of_call(node), Invocation([receiver, *arguments], keywords, node)
            )

    handler = CALLS.get(function.__class__)
    if handler is None:
        return Unknown(label_of(node), "not followed")

    run.env = env
    before = run.told
    made: Value = handler(run, function, Invocation(arguments, keywords, node))
    if run.told == before and takes_names(function):
        report_arguments(run, Invocation(arguments, keywords, node))

    if made.__class__ is Unknown and function.__class__ in ELSEWHERE:
        if hands_on(arguments, keywords):
            run.leave_unread("a call of code that is not here", node)

        made.inputs = made.inputs or frames_in(function, arguments, keywords)

    if made.__class__ is Unknown and made.collected is None:
        return with_collected(run, made, function, [*arguments, *keywords.values()], node)

    return made


def is_look_up(function: Value) -> bool:
    """names.get(x)      Tell whether a dict is asked for a key, which may be an element."""
    return (
        isinstance(function, Method)
        and function.receiver.__class__ is dict
        and function.name == "get"
    )


def with_collected(
    run: Run, made: Unknown, function: Value, given: Arguments, node: ast.Call
) -> Unknown:
    """int(latest), ", ".join(names)      Return a value with the collected ones it is computed of."""
    if isinstance(function, Method) and function.function is None:
        given = [function.receiver, *given]
    elif not isinstance(function, ELSEWHERE):
        return made

    values = [lift_value(run, each, node) for each in (function, *given)]
    collected = computed_of(name_of_call(node), values)
    if collected is None:
        return made

    found = made.rename()
    found.collected = collected
    return found


def is_plain(function: Value) -> bool:
    """Tell whether a function is of Python itself: int(x), "{}".format(x), re.sub("a", "b", x)."""
    if isinstance(function, Library):
        return function.name.partition(".")[0] not in LIBRARY_ROOTS

    return isinstance(function, Method) and isinstance(function.receiver, PLAIN_RECEIVERS)


PLAIN_RECEIVERS = (str, dict, list, tuple, set, Unknown)


def name_of_call(node: ast.Call) -> str:
    """Return the name of a function as a call spells it."""
    return str(getattr(node.func, "attr", getattr(node.func, "id", "call")))


def frames_in(
    function: Library | Unknown, arguments: Arguments, keywords: Keywords
) -> tuple[Relation, ...]:
    """Return the DataFrames that a call is given.

    enrich(orders, dim=stores)
    """
    found: list[Relation] = []
    for each in (function, *arguments, *keywords.values()):
        frame = relation_in(each)
        if frame is not None:
            found.append(frame)
        elif isinstance(each, Unknown):
            found.extend(each.inputs)

    return tuple(found)


VALUES_ONLY = frozenset(
    """limit offset repartition repartitionByRange coalesce sample sampleBy isin between when
    otherwise cast astype try_cast substr contains startswith endswith like ilike rlike eqNullSafe hint
    checkpoint localCheckpoint withWatermark show cache persist unpersist head take tail first collect count
    transform bitwiseAND bitwiseOR bitwiseXOR randomSplit display explain write writeStream
    withMetadata observe""".split()  # noqa: SIM905
)
"""Methods of DataFrames and Columns whose arguments are values, or that report what they do not know."""

NAMES_IN_FUNCTIONS = frozenset(("get_json_object", "json_tuple", "from_json", "schema_of_json"))
"""Functions of columns that are given names of fields."""

RECEIVERS_OF_NAMES = (Relation, ColumnValue, Grouped, WindowSpec)
BUILDERS_OF_NAMES = frozenset(("na", "stat", "delta", "merge"))


def takes_names(function: Value) -> bool:
    """df.join, deltaTable.update      Return whether unknown arguments may be columns or conditions."""
    if isinstance(function, Library):
        home, _, name = function.name.rpartition(".")
        return name in NAMES_IN_FUNCTIONS and home == "pyspark.sql.functions"

    if not isinstance(function, Method) or function.function is not None:
        return False

    held = function.receiver
    if isinstance(held, Builder):
        return held.kind in BUILDERS_OF_NAMES

    return isinstance(held, RECEIVERS_OF_NAMES) and function.name not in VALUES_ONLY


def report_arguments(run: Run, call: Invocation) -> None:
    """df.join(other, "id", KIND)      Report an argument that only a run knows."""
    given = [*call.arguments, *call.keywords.values()]
    for each in given:
        found = unknown_in(each)
        if found is not None:
            run.dynamic(note_of("an argument", found), call.node, found.level)
            return


def unknown_in(held: Value) -> Unknown | None:
    """[KEY], {"a": VALUE}      Return the first value that only a run knows."""
    if isinstance(held, Unknown):
        if held.reason == SCHEMA_UNKNOWN:
            return None

        return held

    inner: Iterable[Value] = ()
    if isinstance(held, (list, tuple)):
        inner = held
    elif isinstance(held, dict):
        inner = (*held, *held.values())

    return next((each for each in inner if isinstance(each, Unknown)), None)


ELSEWHERE = (Library, Unknown)
"""The functions of a library whose text is not in the input."""


def hands_on(arguments: Arguments, keywords: Keywords) -> bool:
    """Tell whether a call may write.

    publish(df, "mart.orders")

    whether a call is given a DataFrame or a session, so that it may write
    """
    given = (*arguments, *keywords.values())
    return any(isinstance(each, Session) or relation_in(each) is not None for each in given)


DIRECT: dict[type, Mapping[str, CallHandler]] = {
    Relation: FRAME_METHODS,
    ColumnValue: COLUMN_METHODS,
}
"""df.select(…), col("a").alias(…)      most calls of a job: no need to make a method first"""


def columns_of_rows(run: Run, node: ast.Call, held: Value) -> list[Value] | None:
    """zip(*rows)      Return what zip() gives, where rows are a value of a DataFrame library"""
    transpose = TRANSPOSED.get(held.__class__)
    if transpose is None or not isinstance(node.func, ast.Name) or node.func.id != "zip":
        return None

    columns = transpose(run, held)
    return [Transposed(columns)] if columns is not None else None


def arguments_of(run: Run, node: ast.Call, env: Environment) -> tuple[Arguments, Keywords]:
    """The values of a call's arguments, stars unpacked."""
    arguments: Arguments = []
    for argument in node.args:
        kind = argument.__class__
        if kind is ast.Constant:
            arguments.append(argument.value)  # type: ignore[attr-defined]
        elif kind is not ast.Starred:
            arguments.append(known_value(value(run, argument, env), argument))
        else:
            several = argument.value  # type: ignore[attr-defined]
            held = value(run, several, env)
            items = columns_of_rows(run, node, held) or iterate(run, held, argument)
            if items is not None:
                arguments.extend(items)
            else:
                arguments.append(unknown_of(held, several))

    keywords: Keywords = {}
    for keyword in node.keywords:
        held = known_value(value(run, keyword.value, env), keyword.value)
        if keyword.arg is not None:
            keywords[keyword.arg] = held
        elif isinstance(held, dict):
            keywords.update((key, item) for key, item in held.items() if isinstance(key, str))
        elif isinstance(held, Unknown):
            run.dynamic(note_of("arguments", held), node, held.level, gap=False)

    return arguments, keywords


NEW_CONTAINERS = frozenset(f"builtins.{name}" for name in ("list", "dict", "set"))
"""Functions that make a container; what they cannot copy they give back."""


def call_library(run: Run, library: Library, call: Invocation) -> Value:
    """Call a function of a library.

    F.col("a"), os.path.join("a", "b")
    """
    if library.name == "importlib.import_module":
        return import_module(run, library, call)

    made = call_of_library(run, library.name, call)
    if library.name in NEW_CONTAINERS and not any(made is given for given in call.arguments):
        run.bear(made)

    return made


def call_udf(run: Run, udf: Udf, call: Invocation) -> Value:
    """Call a UDF.

    clean_udf(col("a"))
    """
    return udf_call(run, udf, call)


def call_native(run: Run, native: Native, call: Invocation) -> Value:
    """Call a function that Python itself computes.

    itemgetter("name")(row)
    """
    return native.call(run, call)


def call_partial(run: Run, held: Partial, call: Invocation) -> Value:
    """Call a partial function.

    partial(f, 1)(2)
    """
    return invoke(
        run,
        held.function,
        call.with_arguments([*held.arguments, *call.arguments], {**held.keywords, **call.keywords}),
    )


def call_choice(run: Run, held: Choice, call: Invocation) -> Value:
    """Call one of several functions.

    (F.max if test else F.min)("x")      whatever either gives
    """
    several = [invoke(run, option, call) for option in held.options]
    return reduce(partial(merge_values, run), several)


def call_unknown(run: Run, held: Unknown, call: Invocation) -> Value:
    """Call a function that is not known.

    get_columns()

    nobody knows what it gives; a parameter's or configuration's method gives configuration
    """
    computed = computed_by(call.arguments, call.keywords)
    if computed is not None:
        return computed(run, held.label, call)

    if hands_columns(call.arguments, call.keywords):
        return computed_column(run, held.label, call)

    label = label_of(call.node) if isinstance(call.node, ast.Call) else f"{held.label}()"
    if held.level is Confidence.LOW:
        return Unknown(label, held.reason, Confidence.LOW)

    return Unknown(label, f"what {held.label}() gives is not known", Confidence.UNKNOWN)


def call_column(run: Run, held: ColumnValue, call: Invocation) -> Value:
    """Call a name that looked like a column.

    df.new_method(…)

    a name that is no column, since it is called, and no method that is known
    """
    name = getattr(getattr(call.node, "func", None), "attr", "this")
    home = meta_of(held.tree).get("home")
    if name == "result" and isinstance(home, Relation):
        return home  # the result of a task: load.submit(spark).result()

    run.report(Code.UNSUPPORTED_CONSTRUCT, f"{name}(…) is not traced", call.node)
    if isinstance(home, Relation):
        return Relation([open_star()], dict(home.rows), (home,))

    return Unknown(f"{name}()", f"{name}(…) is not traced")


def call_builder(run: Run, held: Builder, call: Invocation) -> Value:
    """Call a decorator by hand.

    as_text = udf("string"); as_text(f)      a decorator that is called by hand
    """
    if held.kind in UDF_DECORATORS and call.arguments and isinstance(call.arguments[0], Function):
        return make_udf(
            UDF_DECORATORS[held.kind], call.arguments[0], str(held.parts.get("text", ""))
        )

    return Unknown(label_of(call.node), "not followed")


def call_flag(run: Run, held: bool, call: Invocation) -> Value:
    """Call a property.

    dbt.is_incremental()      a property that some write as a call
    """
    return held


EXPRESSIONS[ast.Call] = evaluate_call

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
