"""Snowpark: DataFrames of Snowflake, close to Spark's, with SQL in Snowflake's dialect.

values.py       sessions, frames, groups, writers
session.py      tables, files of stages, SQL texts, procedures by reference
frames.py       methods of frames; most are Spark's by other names
functions.py    snowflake.snowpark.functions
tables.py       merge, update and delete of a table
"""

from __future__ import annotations

import ast
import re
from typing import Any

from lineal.extract.dataframes.snowpark.frames import (
    FRAME_METHODS,
    SHORTCUTS,
    GroupFunction,
    call_frame,
    call_group_function,
    call_groups,
    item_of_frame,
    writer,
)
from lineal.extract.dataframes.snowpark.functions import (
    OWN_FUNCTIONS,
    as_in_spark,
    call_clause,
)
from lineal.extract.dataframes.snowpark.session import (
    SESSION_METHODS,
    active_session,
    call_reader,
    call_registry,
    call_session,
    call_writer,
    of_session,
    procedure,
)
from lineal.extract.dataframes.snowpark.tables import delete, merge, update
from lineal.extract.dataframes.snowpark.values import (
    MergeClause,
    Registry,
    SnowFrame,
    SnowGroups,
    SnowReader,
    SnowSession,
    SnowWriter,
)
from lineal.extract.pyspark.attributes import unknown_names
from lineal.extract.pyspark.branches import MERGES, merge_relations
from lineal.extract.pyspark.columns.functions import columns_of
from lineal.extract.pyspark.columns.trees import bound_column
from lineal.extract.pyspark.dispatch import ATTRIBUTES, CALLS, FRAMES, ITEMS, RECEIVERS, RELATIONS
from lineal.extract.pyspark.frame_libraries import KNOWN, TRACED, FrameLibrary
from lineal.extract.pyspark.frames.methods import NA
from lineal.extract.pyspark.functions_list import FUNCTION_NAMES
from lineal.extract.pyspark.invocation import Invocation
from lineal.extract.pyspark.libraries import FAMILIES
from lineal.extract.pyspark.library_functions import LIBRARIES
from lineal.extract.pyspark.relation import Relation
from lineal.extract.pyspark.run import Run
from lineal.extract.pyspark.sizes import BOUNDS, bound_frame
from lineal.extract.pyspark.types import type_call
from lineal.extract.pyspark.values import (
    ColumnValue,
    Method,
    Value,
    WindowSpec,
    trees_of,
)

MODULE = "snowflake.snowpark"
STRONG = frozenset(
    """with_column with_columns with_column_renamed group_by order_by select filter where join
    union_all union_by_name union_all_by_name drop_duplicates create_or_replace_view
    create_or_replace_temp_view copy_into_table to_pandas cache_result fillna dropna write agg
    join_table_function natural_join cross_join""".split()  # noqa: SIM905
)
"""Names that only frames of Snowpark have: what they are read from is one."""


def of_frame(run: Run, held: SnowFrame, name: str, node: ast.AST) -> Value:
    """df.columns, df.write, df.filter, df.amount"""
    if name in FRAME_METHODS or name in TABLE_METHODS:
        return Method(held, name)

    if name == "write":
        return writer(run, held, name, node)

    if name == "columns":
        relation = held.relation
        if relation.complete:
            return list(relation.names)

        return unknown_names(relation, name)

    if name == "na":
        return NullFunctions(held)

    if name == "session":
        return SnowSession()

    tree = bound_column(run, held.relation, name, node)
    if tree is not None and name.lower() not in held.relation.by_key:
        tree.meta["home"] = held.relation  # perhaps a method that nobody knows

    return ColumnValue(tree)


class NullFunctions:
    """df.na"""

    __slots__ = ("frame",)

    def __init__(self, frame: SnowFrame) -> None:
        """Keep the frame that `df.na` belongs to."""
        self.frame = frame


def call_nulls(run: Run, held: NullFunctions, name: str, call: Invocation) -> Value:
    """df.na.fill({"a": 0}), df.na.drop(subset="a")"""
    handler = NA[name] if name in NA else NA["drop"]
    found = handler(run, held.frame.relation, call)
    if isinstance(found, Relation):
        return SnowFrame(found)

    return found


TABLE_METHODS = {"merge": merge, "update": update, "delete": delete}


def call_method(run: Run, held: SnowFrame, name: str, call: Invocation) -> Value:
    """df.select("a"), table.merge(…)"""
    if name in TABLE_METHODS and held.table:
        return TABLE_METHODS[name](run, held, call)

    return call_frame(run, held, name, call)


def call_window(run: Run, member: Any, call: Invocation) -> Value:
    """Window.partition_by("a"), Window.order_by(col("b").desc())"""
    trees = tuple(trees_of(columns_of(run, call.arguments, call.node)))
    if "artition" in member[1]:
        return WindowSpec(trees, ())

    return WindowSpec((), trees if "rder" in member[1] else ())


def call_type(run: Run, member: Any, call: Invocation) -> Value:
    """T.StringType(), T.StructField("a", T.StringType())"""
    return type_call(run, member[1], call)


def call_function(run: Run, member: Any, call: Invocation) -> Value:
    """snowflake.snowpark.functions.sum("a")"""
    return as_in_spark(member[1])(run, call)


def call_builder(run: Run, member: Any, call: Invocation) -> Value:
    """Session.builder.configs(…).create(), Session.SessionBuilder()"""
    return SnowSession()


def merge_frames(run: Run, left: SnowFrame, right: SnowFrame) -> Value:
    """if …: df = a else: df = b"""
    table = left.table if left.table == right.table else ""
    suffixes = (*left.suffixes, *right.suffixes)
    return SnowFrame(merge_relations(left.relation, right.relation), table, suffixes)


def register() -> None:
    """Enter the rows of Snowpark in the tables of the interpreter."""
    TRACED[MODULE] = FrameLibrary(
        MODULE,
        "Snowpark",
        STRONG,
        lambda run, relation: SnowFrame(relation),
        ("snowpark.", "snowflake."),
        SnowSession,
    )
    RELATIONS[SnowFrame] = lambda held: held.relation
    FRAMES.add(SnowFrame)
    BOUNDS[SnowFrame] = bound_frame
    ATTRIBUTES.update({SnowFrame: of_frame, SnowSession: of_session})
    RECEIVERS.update({
        SnowFrame: call_method, SnowSession: call_session, SnowGroups: call_groups,
        SnowReader: call_reader, SnowWriter: call_writer, Registry: call_registry,
        MergeClause: call_clause, NullFunctions: call_nulls,
    })  # fmt: skip
    CALLS[GroupFunction] = call_group_function
    ITEMS[SnowFrame] = item_of_frame
    MERGES.append((SnowFrame, merge_frames))
    functions = f"{MODULE}.functions"
    LIBRARIES.update({f"{functions}.{name}": as_in_spark(name) for name in FUNCTION_NAMES})
    LIBRARIES.update({f"{functions}.{name}": call for name, call in OWN_FUNCTIONS.items()})
    LIBRARIES[f"{functions}.sproc"] = procedure
    LIBRARIES[f"{MODULE}.context.get_active_session"] = active_session
    FAMILIES.extend((pattern_of(text), call) for text, call in PATTERNS)
    KNOWN["Snowpark"] = {
        "Session": frozenset(SESSION_METHODS),
        "DataFrame, Table": frozenset((*FRAME_METHODS, *TABLE_METHODS)),
        "RelationalGroupedDataFrame": frozenset(("agg", "count", "pivot", "function", *SHORTCUTS)),
        "functions, besides those that Spark has": frozenset(OWN_FUNCTIONS),
    }


def pattern_of(text: str) -> Any:
    """Return a pattern over names of Snowpark."""
    return re.compile(text)


PATTERNS = (
    (r"^snowflake\.snowpark\.functions\.(\w+)$", call_function),
    (r"^snowflake\.snowpark\.(?:window\.)?Window(?:Spec)?\.(\w+)$", call_window),
    (r"^snowflake\.snowpark\.types\.(\w+)$", call_type),
    (r"^snowflake\.snowpark\.(?:session\.)?Session\b", call_builder),
)
"""Families of names, and what calls them."""

register()
