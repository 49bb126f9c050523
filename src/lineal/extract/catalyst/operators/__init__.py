"""Catalyst's operators, one small file each: a plan's frame from the frames of its children.

    walk              the table of operators, and how children are read
    outputs           the columns that an operator puts out, the conditions that it sees
    project           SELECT a, b + 1 AS c
    filter            WHERE, ORDER BY; time_windows: what the engine filters itself
    join              JOIN … ON; lateral_join: JOIN LATERAL
    aggregate         GROUP BY; expand: ROLLUP, CUBE; window: OVER
    generate          explode, stack, json_tuple
    set_operations    UNION, INTERSECT, EXCEPT, DISTINCT
    merge_rows        MERGE … WHEN NOT MATCHED
    ctes              WITH, WITH RECURSIVE
    relations         tables, files, views, RDDs; same_rows: operators that pass rows on
    black_boxes       code that is not read, operators that nobody knows

Each function finds the expressions and outputs of its operator; the verb that it calls says what
the operator means.
"""

from __future__ import annotations

from lineal.extract.catalyst.operators.aggregate import read_aggregate
from lineal.extract.catalyst.operators.black_boxes import (
    black_box,
    object_operator,
    unknown_operator,
)
from lineal.extract.catalyst.operators.ctes import (
    read_cte_reference,
    read_union_loop,
    read_union_loop_reference,
    read_with_cte,
)
from lineal.extract.catalyst.operators.expand import read_expand
from lineal.extract.catalyst.operators.filter import read_filter, read_sort
from lineal.extract.catalyst.operators.generate import read_generate
from lineal.extract.catalyst.operators.join import read_as_of_join, read_join, read_zip
from lineal.extract.catalyst.operators.lateral_join import read_lateral_join
from lineal.extract.catalyst.operators.merge_rows import read_merge_rows
from lineal.extract.catalyst.operators.outputs import refer_to_outputs
from lineal.extract.catalyst.operators.project import read_project
from lineal.extract.catalyst.operators.relations import (
    CHANGES,
    from_rdd,
    read_relation,
    read_view,
    without_sources,
)
from lineal.extract.catalyst.operators.same_rows import SAME_ROWS, only_child, sample
from lineal.extract.catalyst.operators.set_operations import (
    read_deduplicate,
    read_distinct,
    read_except,
    read_intersect,
    read_union,
)
from lineal.extract.catalyst.operators.walk import ANY_OTHER, OPERATORS, frame_of
from lineal.extract.catalyst.operators.window import read_window

__all__ = ["CHANGES", "OPERATORS", "frame_of", "refer_to_outputs"]

OPERATORS.update(
    {
        **dict.fromkeys(SAME_ROWS, only_child),
        ANY_OTHER: unknown_operator,
        "Sample": sample,
        "Project": read_project,
        "Filter": read_filter,
        "Sort": read_sort,
        "Join": read_join,
        "LateralJoin": read_lateral_join,
        "AsOfJoin": read_as_of_join,
        "NearestByJoin": read_as_of_join,
        "Zip": read_zip,
        "Aggregate": read_aggregate,
        "Expand": read_expand,
        "Window": read_window,
        "Generate": read_generate,
        "Union": read_union,
        "SequentialStreamingUnion": read_union,
        "Intersect": read_intersect,
        "Except": read_except,
        "Distinct": read_distinct,
        "Deduplicate": read_deduplicate,
        "DeduplicateWithinWatermark": read_deduplicate,
        "MergeRows": read_merge_rows,
        "WithCTE": read_with_cte,
        "CTERelationRef": read_cte_reference,
        "UnionLoop": read_union_loop,
        "UnionLoopRef": read_union_loop_reference,
        "LogicalRelation": read_relation,
        "LogicalRelationWithTable": read_relation,
        "HiveTableRelation": read_relation,
        "DataSourceV2Relation": read_relation,
        "DataSourceV2ScanRelation": read_relation,
        "StreamingRelation": read_relation,
        "StreamingRelationV2": read_relation,
        "StreamingDataSourceV2Relation": read_relation,
        "StreamingDataSourceV2ScanRelation": read_relation,
        "LogicalRDD": from_rdd,
        "ExternalRDD": from_rdd,
        "MemoryPlan": from_rdd,
        "LocalRelation": without_sources,
        "Range": without_sources,
        "OneRowRelation": without_sources,
        "CommandResult": without_sources,
        "InMemoryRelation": without_sources,
        "View": read_view,
        "MapInPandas": black_box,
        "MapInArrow": black_box,
        "PythonMapInArrow": black_box,
        "ScriptTransformation": black_box,
        "FlatMapGroupsInPandas": black_box,
        "FlatMapGroupsInArrow": black_box,
        "FlatMapCoGroupsInPandas": black_box,
        "FlatMapCoGroupsInArrow": black_box,
        "FlatMapGroupsInPandasWithState": black_box,
        "TransformWithStateInPandas": black_box,
        "TransformWithStateInPySpark": black_box,
        "MapPartitions": object_operator,
        "MapElements": object_operator,
        "MapGroups": object_operator,
        "CoGroup": object_operator,
        "FlatMapGroupsInR": object_operator,
        "SerializeFromObject": object_operator,
    }
)
