"""Functions of Python's standard library over abstract values: functools, operator, re and others."""

from __future__ import annotations

import ast
import itertools
import json
import math
import posixpath
from collections.abc import Callable

from lineal.extract.pyspark.columns.trees import binary, compare
from lineal.extract.pyspark.command_line import parser
from lineal.extract.pyspark.comparisons import compare_values
from lineal.extract.pyspark.dispatch import BUILTINS, invoke
from lineal.extract.pyspark.invocation import Arguments, Invocation, argument_at
from lineal.extract.pyspark.knowledge import copy_container, is_text, items_of, items_of_each
from lineal.extract.pyspark.natives import known_or_unknown, unknown_value
from lineal.extract.pyspark.operators import combine_values
from lineal.extract.pyspark.paths import absolute_path, working_folder
from lineal.extract.pyspark.protocols import iterate
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import TOO_LARGE
from lineal.extract.pyspark.standard import MOST_ITEMS, STANDARD, WIDEST
from lineal.extract.pyspark.texts import text_of_parts
from lineal.extract.pyspark.values import (
    NAMED_TUPLE,
    Builder,
    Class,
    ColumnValue,
    DefaultDict,
    Instance,
    Library,
    Partial,
    PartialMethod,
    Pattern,
    Unknown,
    Value,
    label_of,
)
from lineal.model.patterns import SlowPattern, compile_pattern
from lineal.model.sequences import all_are, any_is
from lineal.model.way import Confidence

Handler = Callable[[Run, Invocation], Value]


def reduce(run: Run, call: Invocation) -> Value:
    """Evaluate functools.reduce.

    functools.reduce(DataFrame.union, frames), reduce(lambda df, c: …, columns, df)
    """
    held, initial = argument_at(call.arguments, 1), call.arguments[2:3]
    items = iterate(run, held, call.node)
    if items is None and initial:
        level = getattr(held, "level", Confidence.UNKNOWN)
        run.dynamic("a reduce over what only a run knows", call.node, level)
        return initial[0]

    if items is None:
        return Unknown("reduce()", "over what only a run knows")

    items = [*initial, *items]
    if not items:
        return Unknown("reduce()", "of nothing")

    total = items[0]
    for item in items[1:]:
        total = invoke(run, call.arguments[0], call.with_arguments([total, item], {}))

    return total


def partial_method(run: Run, call: Invocation) -> Value:
    """Evaluate functools.partialmethod.

    functools.partialmethod(f, 1)
    """
    if not call.arguments:
        return Unknown("partialmethod()", "")

    return PartialMethod(call.arguments[0], tuple(call.arguments[1:]), call.keywords)


def partial(run: Run, call: Invocation) -> Value:
    """Evaluate functools.partial.

    functools.partial(f, 1)
    """
    if call.arguments:
        return Partial(call.arguments[0], tuple(call.arguments[1:]), call.keywords)

    return Unknown("partial()", "")


OPERATORS: dict[str, type[ast.operator]] = {
    "and_": ast.BitAnd,
    "or_": ast.BitOr,
    "add": ast.Add,
    "mul": ast.Mult,
    "sub": ast.Sub,
    "truediv": ast.Div,
    "mod": ast.Mod,
    "pow": ast.Pow,
    "concat": ast.Add,
    "xor": ast.BitXor,
}

COMPARISONS: dict[str, type[ast.cmpop]] = {
    "eq": ast.Eq,
    "ne": ast.NotEq,
    "lt": ast.Lt,
    "gt": ast.Gt,
    "le": ast.LtE,
    "ge": ast.GtE,
}


def operator_call(kind: type[ast.operator]) -> Handler:
    """Return what computes as the operator does.

    operator.add(a, b)
    """

    def apply(run: Run, call: Invocation) -> Value:
        """Return what the operator makes of two arguments, columns or values."""
        if len(call.arguments) != 2:
            return unknown_value()

        left, right = call.arguments
        if has_column(call.arguments):
            return binary(run, kind, left, right, call.node)

        made = ast.BinOp(ast.Constant(None), kind(), ast.Constant(None))
        return combine_values(run, ast.copy_location(made, call.node), left, right)

    return apply


def comparison_call(kind: type[ast.cmpop]) -> Handler:
    """Return what compares as the operator does.

    operator.eq(a, b)
    """

    def apply(run: Run, call: Invocation) -> Value:
        """Return the comparison of two arguments, columns or values."""
        if len(call.arguments) != 2:
            return unknown_value()

        left, right = call.arguments
        if has_column(call.arguments):
            return compare(run, kind, left, right, call.node)

        return known_or_unknown(compare_values(kind(), left, right))

    return apply


def has_column(arguments: Arguments) -> bool:
    """Return whether one of the arguments is a Column."""
    return any_is(arguments, ColumnValue)


def chain(run: Run, call: Invocation) -> Value:
    """Evaluate itertools.chain.

    itertools.chain(a, b)
    """
    several = items_of_each(call.arguments)
    if several is None:
        return unknown_value()

    return list(itertools.chain.from_iterable(several))


def chain_from(run: Run, call: Invocation) -> Value:
    """Evaluate itertools.chain.from_iterable.

    itertools.chain.from_iterable(lists)
    """
    return chain(run, call.with_arguments(items_of(argument_at(call.arguments)) or [], {}))


def product(run: Run, call: Invocation) -> Value:
    """Evaluate itertools.product.

    itertools.product(years, months)
    """
    several = items_of_each(call.arguments)
    repeat = call.keywords.get("repeat", 1)
    if several is None or not isinstance(repeat, int) or repeat > WIDEST:
        return unknown_value()

    several *= repeat
    if math.prod(map(len, several)) > MOST_ITEMS:
        return Unknown("…", TOO_LARGE)

    return list(itertools.product(*several))


def path_join(run: Run, call: Invocation) -> Value:
    """Evaluate os.path.join.

    os.path.join(base, "orders")
    """
    parts: list[Value] = []
    for position, argument in enumerate(call.arguments):
        if position and not (isinstance(parts[-1], str) and parts[-1].endswith("/")):
            parts.append("/")

        parts.append(argument)

    return text_of_parts(parts)


def path_part(pick: Callable[[str], str]) -> Handler:
    """Return what evaluates a function of os.path.

    os.path.basename(path), os.path.dirname(path)
    """

    def part(run: Run, call: Invocation) -> Value:
        """Return the part of a path that the program knows, else an unknown path."""
        held = argument_at(call.arguments)
        if is_text(held):
            return pick(held)

        return Unknown("…", "a path")

    return part


def files_of_pattern(run: Run, call: Invocation) -> Value:
    """glob.glob("raw/*.csv")      the pattern represents all files that it finds"""
    held = call.argument(0, "pathname")
    if isinstance(held, Pattern):
        return [held]

    if not isinstance(held, str):
        return Unknown(label_of(call.node), "files that only a run finds")

    return [Pattern(held, Confidence.HIGH, "one of the files that a pattern finds")]


def configuration(run: Run, call: Invocation) -> Value:
    """Return a value of the configuration.

    os.getenv("ENV"), dbutils.widgets.get("day")      a default is not its value
    """
    label = argument_at(call.arguments)
    if not isinstance(label, str):
        label = label_of(call.node)

    return Unknown(str(label), "configuration", Confidence.LOW)


def widget(run: Run, call: Invocation) -> Value:
    """Return the value of a widget, where the definition of a job tells it.

    dbutils.widgets.get("day")
    """
    launch = run.program.launch()
    given = dict(launch.parameters) if launch is not None else {}
    name = call.argument(0, "name")
    if is_text(name) and name in given:
        return given[name]

    return configuration(run, call)


def field(run: Run, call: Invocation) -> Value:
    """Evaluate dataclasses.field.

    dataclasses.field(default_factory=list)
    """
    return Builder("field", dict(call.keywords))


def default_dict(run: Run, call: Invocation) -> Value:
    """Evaluate collections.defaultdict.

    collections.defaultdict(list)
    """
    given = argument_at(call.arguments, 1)
    made = DefaultDict(given) if isinstance(given, dict) else DefaultDict()
    made.factory = argument_at(call.arguments)
    return made


def ordered_dict(run: Run, call: Invocation) -> Value:
    """Evaluate collections.OrderedDict.

    collections.OrderedDict(pairs)
    """
    return BUILTINS["dict"](run, call)


def named_tuple(run: Run, call: Invocation) -> Value:
    """Evaluate collections.namedtuple.

    namedtuple("Job", "source target")
    """
    if len(call.arguments) < 2:
        return Unknown("namedtuple()", "computed")

    names = call.arguments[1]
    if isinstance(names, str):
        names = names.replace(",", " ").split()

    if not isinstance(names, (list, tuple)) or not all_are(names, str):
        return Unknown("namedtuple()", "computed")

    given = items_of(call.keywords.get("defaults")) or []
    defaults = [*[None] * (len(names) - len(given)), *given]
    fields = list(zip(names, defaults, strict=False))
    return Class(str(call.arguments[0]), [Library(NAMED_TUPLE)], {}, fields)


def as_dict(run: Run, call: Invocation) -> Value:
    """Evaluate dataclasses.asdict.

    dataclasses.asdict(config)
    """
    held = argument_at(call.arguments)
    if isinstance(held, Instance):
        return plain_value(held)

    return Unknown("asdict()", "computed")


def plain_value(held: Value) -> Value:
    """Return an object with fields as a dict, throughout."""
    if isinstance(held, Instance) and held.home.all_fields:
        return {name: plain_value(held.names.get(name)) for name, _ in held.home.all_fields}

    if isinstance(held, (list, tuple)):
        return type(held)(plain_value(item) for item in held)

    return held


def replace_fields(run: Run, call: Invocation) -> Value:
    """Evaluate dataclasses.replace.

    dataclasses.replace(config, target="b")
    """
    held = argument_at(call.arguments)
    if isinstance(held, Instance):
        return Instance(held.home, {**held.names, **call.keywords})

    return held


def template(run: Run, call: Invocation) -> Value:
    """Evaluate string.Template.

    string.Template("SELECT $columns FROM $source")
    """
    return Builder("template", {"text": call.argument(0, "template")})


def simple_namespace(run: Run, call: Invocation) -> Value:
    """Evaluate types.SimpleNamespace.

    types.SimpleNamespace(source="a")
    """
    return Instance(Class("SimpleNamespace", [], {}), dict(call.keywords))


def copy_of(run: Run, call: Invocation) -> Value:
    """Evaluate copy.copy and copy.deepcopy.

    copy.copy(config), copy.deepcopy(config)
    """
    held = argument_at(call.arguments)
    return copy_container(held)


def json_loads(run: Run, call: Invocation) -> Value:
    """json.loads(text), json.loads(Path("conf.json").read_text())"""
    if isinstance(argument_at(call.arguments), Builder):
        return LIBRARIES["json.load"](run, call)

    found = Unknown("json.loads()", "a text that only a run knows", Confidence.LOW)
    held = argument_at(call.arguments)
    if not is_text(held) or len(held) >= LONGEST_JSON:
        return found

    try:
        return json.loads(held)
    except ValueError:
        return found


def wraps(run: Run, call: Invocation) -> Value:
    """Evaluate functools.wraps.

    functools.wraps(f)      a decorator that changes nothing
    """
    return Library("functools.wrapped")


def first_argument(run: Run, call: Invocation) -> Value:
    """Return the value that is given.

    functools.wraps(f)(g), Path("lake")
    """
    return argument_at(call.arguments)


LONGEST_JSON = 1_000_000
LONGEST_MATCHED = 200


def are_short(texts: Arguments) -> bool:
    """Return whether a pattern and what it is applied to are short texts."""
    return all(is_text(each) and len(each) < LONGEST_MATCHED for each in texts)


def regex_sub(run: Run, call: Invocation) -> Value:
    """re.sub("[^a-z]", "_", name)      over short texts"""
    if len(call.arguments) != 3 or not are_short(call.arguments):
        return unknown_value()

    pattern, by, text = call.arguments
    try:
        return compile_pattern(pattern, looks_around=True).sub(by, text)
    except SlowPattern:
        return unknown_value()


def regex_test(how: str) -> Handler:
    """Return what evaluates a test by a regular expression.

    re.match("^amt_", name)      whether it matches; what it matches is not followed
    """

    def test(run: Run, call: Invocation) -> Value:
        """Return the match of two known texts: `re.match(pattern, text)`."""
        texts = call.arguments[:2]
        if len(texts) < 2 or not are_short(texts):
            return unknown_value()

        try:
            found = getattr(compile_pattern(texts[0], looks_around=True), how)(texts[1])
        except SlowPattern:
            return unknown_value()

        if found is None:
            return None

        return Builder("match", {"groups": [found[0], *found.groups()]})

    return test


LIBRARIES: dict[str, Handler] = {
    **STANDARD,
    "functools.reduce": reduce,
    "functools.partial": partial,
    "functools.partialmethod": partial_method,
    "functools.wraps": wraps,
    "functools.wrapped": first_argument,
    "functools.lru_cache": wraps,
    **{f"operator.{name}": operator_call(kind) for name, kind in OPERATORS.items()},
    **{f"operator.{name}": comparison_call(kind) for name, kind in COMPARISONS.items()},
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chain_from,
    "itertools.product": product,
    "os.path.join": path_join,
    "posixpath.join": path_join,
    "glob.glob": files_of_pattern,
    "glob.iglob": files_of_pattern,
    "pathlib.Path": first_argument,
    "pathlib.Path.cwd": working_folder,
    "os.getcwd": working_folder,
    "os.path.abspath": absolute_path,
    "os.path.realpath": absolute_path,
    "os.path.basename": path_part(posixpath.basename),
    "os.path.dirname": path_part(posixpath.dirname),
    "argparse.ArgumentParser": parser,
    "os.getenv": configuration,
    "os.environ.get": configuration,
    "dbutils.widgets.get": widget,
    "dbutils.widgets.getArgument": widget,
    "dataclasses.field": field,
    "dataclasses.asdict": as_dict,
    "dataclasses.replace": replace_fields,
    "collections.defaultdict": default_dict,
    "collections.OrderedDict": ordered_dict,
    "collections.namedtuple": named_tuple,
    "string.Template": template,
    "types.SimpleNamespace": simple_namespace,
    "copy.deepcopy": copy_of,
    "copy.copy": copy_of,
    "json.loads": json_loads,
    "re.sub": regex_sub,
    **{f"re.{how}": regex_test(how) for how in ("match", "search", "fullmatch")},
    "typing.cast": lambda run, call: argument_at(call.arguments, 1),
    "textwrap.dedent": first_argument,
    "inspect.cleandoc": first_argument,
}  # fmt: skip
