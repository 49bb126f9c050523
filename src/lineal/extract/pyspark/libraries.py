"""What libraries offer: the standard library's harmless parts, configuration, and PySpark's own
names.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from lineal.extract.pyspark.arguments import parser
from lineal.extract.pyspark.columns.functions import ColumnFunction, columns_of, handler_of, ordered
from lineal.extract.pyspark.columns.trees import binary, compare
from lineal.extract.pyspark.delta import delta_table
from lineal.extract.pyspark.dispatch import BUILTINS, Arguments, Keywords, invoke
from lineal.extract.pyspark.expressions import combined, compared, iterated, text_of_parts
from lineal.extract.pyspark.glue import glue_call
from lineal.extract.pyspark.paths import absolute_path, working_folder
from lineal.extract.pyspark.pipelines import pipeline_call
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.standard import STANDARD
from lineal.extract.pyspark.types import type_call
from lineal.extract.pyspark.value_methods import builtin
from lineal.extract.pyspark.values import (
    NAMED_TUPLE,
    Builder,
    Class,
    ColumnValue,
    DefaultDict,
    Instance,
    Library,
    Method,
    Partial,
    PartialMethod,
    Pattern,
    Session,
    Unknown,
    Value,
    WindowSpec,
    is_known,
    items_of,
    label_of,
)
from lineal.model.way import Confidence

Handler = Callable[[Run, Arguments, Keywords, Any], Value]

FUNCTIONS = re.compile(r"^pyspark\.sql\.(connect\.)?functions(\.builtin)?\.(\w+)$")
TYPES = re.compile(r"^pyspark\.sql\.types\.(\w+)$")
WINDOW = re.compile(r"^pyspark\.sql(\.window)?\.Window(Spec)?\.(\w+)$")
SESSION = re.compile(
    r"^pyspark\.sql(\.session|\.connect)?\.SparkSession|^databricks\.connect\.DatabricksSession"
)
UNBOUND = re.compile(r"^pyspark\.sql\..*?\b(DataFrame|Column)\.(\w+)$")
CONFIGURATION = (
    "argparse.",
    "sys.argv",
    "os.environ",
    "configparser",
    "dbutils.",
    "yaml.",
    "json.load",
    "toml",
    "click.",
)


@lru_cache(maxsize=4_096)
def column_function(name: str) -> tuple[ColumnFunction, str] | None:
    """pyspark.sql.functions.sum      what makes a Column of it, and its name in SQL"""
    found = FUNCTIONS.match(name)
    return handler_of(found[3]) if found is not None else None


def call(run: Run, name: str, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """name(…), where name belongs to a library"""
    of_columns = column_function(name)
    if of_columns is not None:
        make, spelled = of_columns
        return make(
            run,
            spelled,
            ordered(spelled, arguments, keywords) if keywords else arguments,
            keywords,
            node,
        )
    if name.startswith("builtins."):
        return builtin(name[9:])(run, arguments, keywords, node)
    handler = LIBRARIES.get(name)
    if handler is not None:
        return handler(run, arguments, keywords, node)
    found = TYPES.match(name)
    if found is not None and (found[1].endswith("Type") or found[1] == "StructField"):
        return type_call(run, found[1], arguments, keywords, node)
    found = WINDOW.match(name)
    if found is not None:
        return window(run, found[3], arguments, node)
    if SESSION.match(name):
        last = name.rsplit(".", 1)[-1]
        return (
            Session()
            if last in ("getOrCreate", "getActiveSession", "active", "create", "SparkSession")
            else Library(name)
        )
    found = UNBOUND.match(name)
    if found is not None and arguments:
        return invoke(run, Method(arguments[0], found[2]), arguments[1:], keywords, node)
    last = name.rsplit(".", 1)[-1]
    if last in ("SQLContext", "HiveContext"):
        return Session()
    if name.startswith(("delta.", "io.delta")) and "DeltaTable." in name:
        return delta_table(run, last, arguments, keywords, node)
    if name.startswith(("dlt.", "pyspark.pipelines", "databricks.declarative")):
        return pipeline_call(run, name, arguments, keywords, node)
    if name.startswith("awsglue."):
        return glue_call(run, name, arguments, keywords, node)
    if name.startswith("pyspark.sql.Row") or name == "pyspark.sql.types.Row":
        return dict(keywords) if keywords else list(arguments)
    level = (
        Confidence.LOW
        if name.startswith(CONFIGURATION)
        or any(w in name.lower() for w in ("config", "conf.", "secret", "param", "args", "environ"))
        else Confidence.UNKNOWN
    )
    if (
        level is Confidence.UNKNOWN
        and arguments
        and isinstance(arguments[0], Relation)
        and len(arguments) == 1
        and not keywords
    ):
        return Unknown(f"{last}()", f"what {name}() does is not known")
    return Unknown(label_of(node), f"what {name}() gives is only known when it runs", level)


def window(run: Run, name: str, arguments: Arguments, node: Any) -> Value:
    """Window.partitionBy("a"), Window.orderBy("b")"""
    trees = (
        tuple(item.tree for item in columns_of(run, arguments, node))
        if name in ("partitionBy", "orderBy")
        else ()
    )
    return WindowSpec(trees if name == "partitionBy" else (), trees if name == "orderBy" else ())


def reduce(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """functools.reduce(DataFrame.union, frames), reduce(lambda df, c: …, columns, df)"""
    items = iterated(run, arguments[1], node) if len(arguments) > 1 else None
    if items is None:
        held = arguments[1] if len(arguments) > 1 else None
        if len(arguments) > 2:
            run.dynamic(
                "a reduce over what only a run knows",
                node,
                getattr(held, "level", Confidence.UNKNOWN),
            )
            return arguments[2]
        return Unknown("reduce()", "over what only a run knows")
    if len(arguments) > 2:
        items = [arguments[2], *items]
    if not items:
        return Unknown("reduce()", "of nothing")
    total = items[0]
    for item in items[1:]:
        total = invoke(run, arguments[0], [total, item], {}, node)
    return total


def partial_method(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    if not arguments:
        return Unknown("partialmethod()", "")
    return PartialMethod(arguments[0], tuple(arguments[1:]), keywords)


def partial(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return (
        Partial(arguments[0], tuple(arguments[1:]), keywords)
        if arguments
        else Unknown("partial()", "")
    )


def operator_call(name: str) -> Handler:
    import ast

    kinds: dict[str, Any] = {
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
    comparisons: dict[str, Any] = {
        "eq": ast.Eq,
        "ne": ast.NotEq,
        "lt": ast.Lt,
        "gt": ast.Gt,
        "le": ast.LtE,
        "ge": ast.GtE,
    }

    def apply(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        if len(arguments) == 2 and any(isinstance(argument, ColumnValue) for argument in arguments):
            if name in kinds:
                return binary(run, kinds[name], arguments[0], arguments[1], node)
            return compare(run, comparisons.get(name, ast.Eq), arguments[0], arguments[1], node)
        if len(arguments) == 2 and name in kinds:
            made = ast.BinOp(ast.Constant(None), kinds[name](), ast.Constant(None))
            return combined(run, ast.copy_location(made, node), arguments[0], arguments[1])
        if len(arguments) == 2 and name in comparisons:
            known = compared(comparisons[name](), arguments[0], arguments[1])
            return Unknown("…", "computed") if known is None else known
        return Unknown("…", "computed")

    return apply


def chain(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    several = [items_of(argument) for argument in arguments]
    if any(items is None for items in several):
        return Unknown("…", "computed")
    return [item for items in several for item in items or []]


def chain_from(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return chain(run, items_of(arguments[0]) or [], {}, node) if arguments else []


def product(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    from itertools import islice
    from itertools import product as products

    several = [items_of(argument) for argument in arguments]
    if any(items is None for items in several):
        return Unknown("…", "computed")
    return [tuple(each) for each in islice(products(*[items or [] for items in several]), 5_000)]


def path_join(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """os.path.join(base, "orders")"""
    parts: list[Value] = []
    for position, argument in enumerate(arguments):
        if position and not (isinstance(parts[-1], str) and parts[-1].endswith("/")):
            parts.append("/")
        parts.append(argument)
    return text_of_parts(parts)


def path_part(pick: Callable[[str], str]) -> Handler:
    def part(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        held = arguments[0] if arguments else None
        return (
            pick(held)
            if isinstance(held, str) and not isinstance(held, Pattern)
            else Unknown("…", "a path")
        )

    return part


def configuration(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """os.getenv("ENV"), dbutils.widgets.get("day")      a default is not its value"""
    label = arguments[0] if arguments and isinstance(arguments[0], str) else label_of(node)
    return Unknown(str(label), "configuration", Confidence.LOW)


def field(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return Builder("field", dict(keywords))


def default_dict(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    made = DefaultDict(
        arguments[1] if len(arguments) > 1 and isinstance(arguments[1], dict) else {}
    )
    made.factory = arguments[0] if arguments else None
    return made


def ordered_dict(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return BUILTINS["dict"](run, arguments, keywords, node)


def named_tuple(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """namedtuple("Job", "source target")"""
    if len(arguments) < 2:
        return Unknown("namedtuple()", "computed")
    names = (
        arguments[1].replace(",", " ").split() if isinstance(arguments[1], str) else arguments[1]
    )
    if not isinstance(names, (list, tuple)) or not all(isinstance(name, str) for name in names):
        return Unknown("namedtuple()", "computed")
    given = items_of(keywords.get("defaults")) or []
    defaults = [*[None] * (len(names) - len(given)), *given]
    return Class(
        str(arguments[0]), [Library(NAMED_TUPLE)], {}, list(zip(names, defaults, strict=False))
    )


def as_dict(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """dataclasses.asdict(config)"""
    held = arguments[0] if arguments else None
    return plain_value(held) if isinstance(held, Instance) else Unknown("asdict()", "computed")


def plain_value(held: Value) -> Value:
    if isinstance(held, Instance) and held.home.all_fields:
        return {name: plain_value(held.names.get(name)) for name, _ in held.home.all_fields}
    if isinstance(held, (list, tuple)):
        return type(held)(plain_value(item) for item in held)
    return held


def replaced(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """dataclasses.replace(config, target="b")"""
    held = arguments[0] if arguments else None
    return Instance(held.home, {**held.names, **keywords}) if isinstance(held, Instance) else held


def template(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """string.Template("SELECT $columns FROM $source")"""
    return Builder("template", {"text": arguments[0] if arguments else keywords.get("template")})


def simple_namespace(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return Instance(Class("SimpleNamespace", [], {}), dict(keywords))


def copied(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    held = arguments[0] if arguments else None
    return list(held) if isinstance(held, list) else dict(held) if isinstance(held, dict) else held


def json_loads(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    import json

    held = arguments[0] if arguments else None
    if isinstance(held, str) and is_known(held) and len(held) < 1_000_000:
        try:
            return json.loads(held)
        except ValueError:
            pass
    return Unknown("json.loads()", "a text that only a run knows", Confidence.LOW)


def wraps(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return Library("functools.wrapped")


def first_argument(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    return arguments[0] if arguments else None


SLOW = r"[+*}]\)*[+*{]|\(\?"
"""Patterns that may take for ever over a short text, and those that are not plain."""


def regex_sub(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
    """re.sub("[^a-z]", "_", name)      over short texts and plain patterns"""
    short = len(arguments) == 3 and all(
        isinstance(a, str) and is_known(a) and len(a) < 200 for a in arguments
    )
    if short and not re.search(SLOW, arguments[0]):
        try:
            return re.sub(*arguments)
        except re.error:
            pass
    return Unknown("…", "computed")


def regex_test(how: str) -> Handler:
    """re.match("^amt_", name)      whether it matches; what it matches is not followed"""

    def test(run: Run, arguments: Arguments, keywords: Keywords, node: Any) -> Value:
        short = len(arguments) >= 2 and all(
            isinstance(a, str) and is_known(a) and len(a) < 200 for a in arguments[:2]
        )
        if short and not re.search(SLOW, arguments[0]):
            try:
                found = getattr(re, how)(*arguments[:2])
            except re.error:
                return Unknown("…", "computed")
            return Builder("match", {"groups": [found[0], *found.groups()]}) if found else None
        return Unknown("…", "computed")

    return test


OPERATORS = (
    "and_",
    "or_",
    "add",
    "mul",
    "sub",
    "truediv",
    "mod",
    "pow",
    "concat",
    "xor",
    "eq",
    "ne",
    "lt",
    "gt",
    "le",
    "ge",
)

LIBRARIES: dict[str, Handler] = {
    **STANDARD,
    "functools.reduce": reduce,
    "functools.partial": partial,
    "functools.partialmethod": partial_method,
    "functools.wraps": wraps,
    "functools.wrapped": first_argument,
    "functools.lru_cache": wraps,
    **{f"operator.{name}": operator_call(name) for name in OPERATORS},
    "itertools.chain": chain,
    "itertools.chain.from_iterable": chain_from,
    "itertools.product": product,
    "os.path.join": path_join,
    "posixpath.join": path_join,
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
    "dbutils.widgets.get": configuration,
    "dataclasses.field": field,
    "dataclasses.asdict": as_dict,
    "dataclasses.replace": replaced,
    "collections.defaultdict": default_dict,
    "collections.OrderedDict": ordered_dict,
    "collections.namedtuple": named_tuple,
    "string.Template": template,
    "types.SimpleNamespace": simple_namespace,
    "copy.deepcopy": copied,
    "copy.copy": copied,
    "json.loads": json_loads,
    "re.sub": regex_sub,
    **{f"re.{how}": regex_test(how) for how in ("match", "search", "fullmatch")},
    "typing.cast": lambda run, arguments, keywords, node: arguments[1] if len(arguments) > 1 else None,
    "textwrap.dedent": first_argument,
    "inspect.cleandoc": first_argument,
}  # fmt: skip
