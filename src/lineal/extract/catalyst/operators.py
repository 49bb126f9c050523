"""Catalyst's operators, one function each: a plan's frame from the frames of its children.

Each function finds the expressions and outputs of its operator; the verb that it calls says what
the operator means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from lineal.algebra.clauses import DISTINCT, FILTERS, SORTS
from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Expression, Lineage, as_expression, pour, united
from lineal.algebra.relation import (
    SetOperation,
    Title,
    beside,
    distinct,
    doubt_columns,
    everything_in,
    explode,
    extend,
    group,
    join,
    narrow,
    project,
    recurse,
    refer_to,
    rename,
    repeat,
    scan,
    scan_together,
    set_operation,
    values,
)
from lineal.algebra.values import Items, Struct, read_item, read_part
from lineal.extract.catalyst.expressions import (
    Scope,
    influences_of,
    is_part,
    is_part_of_column,
    lineage_with_parts,
    listed_item,
)
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.diagnostic import Code
from lineal.model.edge import Doubt
from lineal.model.way import IDENTITY, Clause, Confidence, Way

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan

Operator = Callable[[Node, "Scope | None", "Plan"], Frame]


def frame_of(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    return OPERATORS.get(node.name, unknown_operator)(node, outer, plan)


def only_child(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SubqueryAlias, Limit, Sample, Repartition …

    the same rows or some of them, decided by no column
    """
    return frame_of(node.children[0], outer, plan)


def sample(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """randomSplit([0.5, 0.5])

    the sort below it is the engine's own: it makes the split repeatable
    """
    below = node.children[0]
    inserted = below.name == "Sort" and below.args.get("global") is False
    return frame_of(below.children[0] if inserted else below, outer, plan)


def from_rdd(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """spark.createDataFrame(rdd)

    the plan ends here, unless the rows are those of a checkpoint that was seen
    """
    known = plan.from_origin(node)
    if known is not None:
        return known
    made_from = "the memory of a stream" if node.name == "MemoryPlan" else "an RDD"
    plan.report(
        Code.DYNAMIC,
        f"a DataFrame is made from {made_from}: the plan does not tell where its rows come from",
    )
    return without_sources(node, outer, plan)


def output_slot(node: Node, scope: Scope) -> Slot:
    """One output column: an attribute passes through, an alias is new."""
    if node.name == "AttributeReference":
        return scope.find_attribute(node)
    return Slot(
        str(node.args.get("name", "")), expression_id(node.args), lineage_with_parts(node, scope)
    )


def output_slots(nodes: Iterable[Node], scope: Scope) -> Iterable[Slot]:
    """The output columns, each read when the verb asks for it."""
    return (output_slot(node, scope) for node in nodes)


def output_title(output: Node) -> Title:
    """a#12      the name of an output, and the id that later operators know it by"""
    return str(output.args.get("name", "")), expression_id(output.args)


def narrow_child(
    frame: Frame, clause: Way, conditions: list[Node], outer: Scope | None, plan: Plan
) -> Frame:
    """The conditions of an operator see the columns of its child."""
    return narrow(frame, clause, Scope(frame, outer, plan, clause.clause).expressions(conditions))


def read_project(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SELECT a, b + 1 AS c"""
    below = node.children[0]
    if below.name == "Filter" and time_window_in(node) == "Project window":
        below = below.children[0]  # what has no time is in no window: the engine's own filter
    child = frame_of(below, outer, plan)
    return project(child, output_slots(node.trees("projectList"), Scope(child, outer, plan)))


def time_window_in(node: Node) -> str:
    """GROUP BY window(t, '5 minutes')

    the analyser makes the window in an operator of its own
    """
    if node.name not in ("Project", "Expand"):
        return ""
    first = (node.trees("projectList") or node.trees("projections"))[:1]
    made = first[0] if first else node
    if first and made.name == "Alias":
        made = made.children[0]
    if made.name != "CreateNamedStruct" or not contains_operator(
        made, "PreciseTimestampConversion"
    ):
        return ""
    named = first[0] if made is not first[0] else node.trees("output")[0]
    return f"{node.name} {named.args.get('name')}"


def read_filter(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WHERE a > 1; the engine's own test of a time window is none"""
    below = node.children[0]
    if time_window_in(below) in ("Expand window", "Project session_window"):
        return frame_of(below, outer, plan)
    return narrow_child(frame_of(below, outer, plan), FILTERS, node.trees("condition"), outer, plan)


def read_sort(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """ORDER BY a"""
    return narrow_child(
        frame_of(node.children[0], outer, plan), SORTS, node.trees("order"), outer, plan
    )


def read_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN b ON …; of LEFT SEMI and LEFT ANTI only a remains"""
    sides = [frame_of(child, outer, plan) for child in node.children]
    only_first = join_type(node) in ("LeftSemi", "LeftAnti")
    return join(sides, conditions_of(node, ("condition",), outer, plan), only_first)


def conditions_of(
    node: Node, fields: Iterable[str], outer: Scope | None, plan: Plan
) -> Callable[[Frame], list[Expression]]:
    """What a join's condition means, once its sides stand beside each other."""

    def expressions(both: Frame) -> list[Expression]:
        scope = Scope(both, outer, plan, Clause.JOIN_ON)
        return [scope.expression(tree) for field in fields for tree in node.trees(field)]

    return expressions


def read_as_of_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN b, the nearest row by time or by another measure"""
    sides = [frame_of(child, outer, plan) for child in node.children]
    fields = ("asOfCondition", "condition", "rankingExpression")
    return join(sides, conditions_of(node, fields, outer, plan))


def read_zip(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a.zip(b)      the columns of both, row by row"""
    return beside([frame_of(child, outer, plan) for child in node.children])


def join_type(node: Node) -> str:
    kind = node.args.get("joinType")
    name = (
        kind.get("object") or kind.get("product-class") or ""
        if isinstance(kind, dict)
        else str(kind)
    )
    return name.rsplit(".", 1)[-1].rstrip("$")


def read_lateral_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN LATERAL (SELECT … FROM b WHERE b.id = a.id)"""
    left = table_argument(node.children[0], outer, plan) or frame_of(node.children[0], outer, plan)
    scope = Scope(left, outer, plan, Clause.LATERAL)
    right = [frame for lateral in node.trees("right") for frame in plan.frames_of(lateral, scope)]
    return join([left, *right], conditions_of(node, ("condition",), outer, plan))


def table_argument(node: Node, outer: Scope | None, plan: Plan) -> Frame | None:
    """f(TABLE(t) PARTITION BY a ORDER BY b)

    the rows of t as structs: the sort below says how f is fed, no more
    """
    below = node.children[0] if node.name == "SubqueryAlias" else node
    items = below.trees("projectList")
    sorts = below
    if below.name == "Project" and len(items) == 1 and contains_operator(items[0], TO_STRUCT):
        sorts = below.children[0]
    if sorts.name != "Sort" or not sorts.children[0].name.startswith("Repartition"):
        return None
    child = frame_of(sorts.children[0], outer, plan)
    return project(child, output_slots(items, Scope(child, outer, plan)))


TO_STRUCT = "CreateNamedStruct"


def read_aggregate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """GROUP BY a; the grouping below a pivot is the engine's own"""
    items = node.trees("aggregateExpressions")
    pivots = any(contains_operator(item, "PivotFirst") for item in items)
    below = node.children[0]
    if pivots and below.name == "Aggregate":
        child = without_grouping(below, outer, plan)
    else:
        child = frame_of(below, outer, plan)
    keys = node.trees("groupingExpressions")
    grouped_by = Scope(child, outer, plan, Clause.GROUP_BY).expressions(keys)
    return group(child, grouped_by, grouped_slots(items, keys, Scope(child, outer, plan), plan))


def grouped_slots(items: list[Node], keys: list[Node], scope: Scope, plan: Plan) -> Iterable[Slot]:
    """The output columns of a grouping, which may name its keys by their bits."""
    remember_grouping(keys, scope, plan)
    yield from output_slots(items, scope)


def without_grouping(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """What an Aggregate lists, of rows that no user has grouped."""
    child = frame_of(node.children[0], outer, plan)
    return project(
        child, output_slots(node.trees("aggregateExpressions"), Scope(child, outer, plan))
    )


def contains_operator(node: Node, name: str) -> bool:
    """Whether a tree has a node of that class."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.name == name:
            return True
        stack.extend(current.children)
    return False


def read_expand(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """ROLLUP (a, b), UNPIVOT, window(t, …)

    each input row once per projection; an output takes its item of each
    """
    child = frame_of(node.children[0], outer, plan)
    scope = Scope(child, outer, plan)
    outputs, items = node.trees("output"), node.trees("projections")
    columns = []
    for position, output in enumerate(outputs):
        if items:
            found = [
                influences_of(item, IDENTITY, scope) for item in items[position :: len(outputs)]
            ]
        else:  # Spark's own toJSON has none; a grouping's layout: the child's columns, then spark_grouping_id
            found = [slot.lineage for slot in child.slots[position : position + 1]]
        columns.append((output_title(output), found))
    return repeat(child, columns)


def remember_grouping(keys: list[Node], scope: Scope, plan: Plan) -> None:
    """GROUPING(a)

    reads a bit of spark_grouping_id, the last key: which key each bit stands for
    """
    if keys and keys[-1].args.get("name") == "spark_grouping_id":
        lineages = [influences_of(key, IDENTITY, scope) for key in keys[:-1]]
        plan.grouping[expression_id(keys[-1].args)] = lineages


def read_window(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SELECT *, sum(a) OVER (PARTITION BY b)"""
    child = frame_of(node.children[0], outer, plan)
    return extend(child, output_slots(node.trees("windowExpressions"), Scope(child, outer, plan)))


def read_generate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """LATERAL VIEW explode(xs) AS x, stack(2, a, b, c, d), json_tuple(j, 'a', 'b')"""
    child = frame_of(node.children[0], outer, plan)
    scope = Scope(child, outer, plan, Clause.LATERAL)
    generator = node.trees("generator")[0]
    outputs = node.trees("generatorOutput")
    arrays: list[Expression] = []
    if generator.name == "Stack":
        lineages = stack_values(generator, len(outputs), scope)
    elif generator.name == "JsonTuple":
        lineages = json_values(generator, scope)
    else:
        array = influences_of(generator, IDENTITY, scope)
        item = item_value(generator.children[0], array, scope)
        # inline(xs): a column for each field of an item
        fields = generator.args.get("fieldNames") or []
        lineages = [read_part(item, [name]) for name in fields] or [item] * len(outputs)
        if not (has_fixed_rows(generator) or isinstance(item, Items)):
            arrays = [scope.expression(generator)]
    items = (
        Slot(*output_title(output), lineage)
        for output, lineage in zip(outputs, lineages, strict=True)
    )
    return explode(child, items, arrays)


def item_value(inner: Node, array: Lineage, scope: Scope) -> Lineage:
    """explode(xs)

    an item of xs, with the fields of its structs; of a computed array it is no part of a column
    """
    listed = listed_item(inner, scope)
    if listed:
        return listed
    held = lineage_with_parts(inner, scope)
    item = read_item(array, is_part(inner) and is_part_of_column(inner, scope))
    return held.under(item) if isinstance(held, Struct) else item


def json_values(generator: Node, scope: Scope) -> list[Lineage]:
    """json_tuple(j, 'a', 'b')      j.a and j.b, in one row; a cast on the way keeps the path"""
    document, *keys = generator.children
    while document.name == "Cast":
        document = document.children[0]
    whole = lineage_with_parts(document, scope)
    lineages: list[Lineage] = []
    for key in keys:
        name = key.args.get("value")
        lineage = influences_of(key, VALUE, scope)
        pour(read_part(whole, [] if name is None else [str(name)]), VALUE, lineage)
        lineages.append(lineage)
    return lineages


def stack_values(generator: Node, width: int, scope: Scope) -> list[Lineage]:
    """stack(2, a, b, c, d)      column 0 takes a and c, column 1 takes b and d"""
    arguments = [influences_of(argument, IDENTITY, scope) for argument in generator.children[1:]]
    return [united(arguments[position::width]) for position in range(width)]


def has_fixed_rows(generator: Node) -> bool:
    """explode(array(a, b))      always two rows: no column decides how many"""
    inner = generator.children[0] if generator.children else None
    return inner is not None and inner.name in ("CreateArray", "CreateMap", "Literal")


def read_union(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a UNION ALL b      with the ids of the first"""
    return combine(SetOperation.UNION_ALL, node, outer, plan)


def read_intersect(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a INTERSECT b"""
    return combine(SetOperation.INTERSECT, node, outer, plan)


def read_except(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a EXCEPT b"""
    return combine(SetOperation.EXCEPT, node, outer, plan)


def combine(operation: SetOperation, node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """The children of an operator, as branches of a set operation."""
    return set_operation(operation, [frame_of(child, outer, plan) for child in node.children])


def read_distinct(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SELECT DISTINCT …, a UNION b"""
    return distinct(frame_of(node.children[0], outer, plan))


def read_deduplicate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """dropDuplicates(["a"])"""
    child = frame_of(node.children[0], outer, plan)
    keys = Scope(child, outer, plan, Clause.DISTINCT).expressions(node.trees("keys"))
    return distinct(child, keys, DISTINCT)


def read_merge_rows(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """MERGE … WHEN NOT MATCHED AND a THEN INSERT … WHEN NOT MATCHED THEN INSERT …

    rows of either, by position
    """
    child = frame_of(node.children[0], outer, plan)
    scope = Scope(child, outer, plan)
    outputs = node.trees("output")
    conditions: list[Node] = []
    found: list[list[Lineage]] = [[] for _ in outputs]
    for keep in node.trees("notMatchedInstructions"):
        condition, *inserted = keep.children
        conditions.append(condition)
        for lineages, value in zip(found, inserted, strict=False):
            lineages.append(influences_of(value, IDENTITY, scope))
    kept = narrow_child(child, FILTERS, conditions, outer, plan)
    return repeat(kept, zip(map(output_title, outputs), found, strict=True))


# -- CTEs ------------------------------------------------------------------------------------------


def read_with_cte(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WITH c AS (…) …      the definitions first, then the query"""
    *definitions, query = node.children
    for definition in definitions:
        plan.ctes[definition.args["id"]] = frame_of(definition.children[0], outer, plan)
    return frame_of(query, outer, plan)


def read_cte_reference(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM c, which WITH has defined"""
    return refer_to_outputs(plan.ctes.get(node.args["cteId"]), node.trees("output"))


def refer_to_outputs(frame: Frame | None, outputs: list[Node]) -> Frame:
    """The columns of a definition under the ids of one of its references."""
    titles = map(output_title, outputs)
    return refer_to(frame, titles) if frame is not None else values(titles)


def read_union_loop(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WITH RECURSIVE c AS (anchor UNION ALL step FROM c)"""
    anchor, again = node.children

    def step(frame: Frame) -> Frame:
        plan.loops[node.args["id"]] = frame
        return frame_of(again, outer, plan)

    frame = recurse(frame_of(anchor, outer, plan), step)
    ids = node.args.get("outputAttrIds") or []
    keys = [f"#{item['id']}" for item in ids if isinstance(item, dict) and "id" in item]
    if len(keys) != len(frame.slots):
        return frame
    return rename(frame, [(slot.name, key) for slot, key in zip(frame.slots, keys, strict=True)])


def read_union_loop_reference(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM c inside the definition of c"""
    return refer_to_outputs(plan.loops.get(node.args["loopId"]), node.trees("output"))


# -- leaves ----------------------------------------------------------------------------------------


def read_relation(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM t      a table, a file, a stream: every column stands for itself"""
    outputs = node.trees("output") or [*node.trees("dataCols"), *node.trees("partitionCols")]
    datasets = [plan.dataset(name) for name in plan.leaf_names(node)]
    if not datasets:
        return without_sources(node, outer, plan)
    for dataset in datasets:
        plan.reads_dataset(dataset, node)
    sourceless = pseudo_columns(outputs)
    if len(datasets) > 1:  # spark.read.parquet(a, b)
        plan.together[datasets[0]] = datasets[1:]
        return scan_together(datasets, [output_title(output) for output in outputs], sourceless)
    if node.note.get("changes"):
        sourceless |= CHANGES
    return scan(datasets[0], map(output_title, outputs), True, sourceless)


CHANGES = frozenset(("_change_type", "_commit_version", "_commit_timestamp"))
"""table_changes('t', 1)      what Delta puts beside the columns of t"""


def pseudo_columns(outputs: list[Node]) -> frozenset[str]:
    """SELECT a, _metadata.file_path FROM t

    what only the engine knows of a row is no column of t
    """
    return frozenset(str(output.args["name"]) for output in outputs if output.args.get("pseudo"))


def without_sources(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """VALUES (1), range(10), a local DataFrame      columns without sources"""
    return values(map(output_title, node.trees("output")))


def read_view(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM v      a view that is a dataset of its own is a hop; a temporary one is composed away"""
    name = plan.view_name(node)
    if name is None:
        return only_child(node, outer, plan)
    dataset = plan.dataset(name)
    plan.reads_dataset(dataset, node)
    if not node.children:
        outputs = node.trees("output")
        return scan(dataset, map(output_title, outputs), True, pseudo_columns(outputs))
    inner = frame_of(node.children[0], outer, plan)
    plan.knows(dataset, [slot.name for slot in inner.slots], node.args.get("types"))
    return scan(dataset, [(slot.name, slot.key) for slot in inner.slots], True)


# -- black boxes -----------------------------------------------------------------------------------


def black_box(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """mapInPandas(f, schema)

    any output may come from any input, grouped by the keys that the operator has
    """
    frames = [frame_of(child, outer, plan) for child in node.children]
    inputs = beside(frames)
    doubt = Doubt(Confidence.MEDIUM, False, f"{node.name} runs code that is not read")
    lineage = everything_in(inputs.slots, doubt)
    outputs = [output for field in OUTPUTS for output in node.trees(field)]
    grouping = Scope(inputs, outer, plan, Clause.GROUP_BY).expressions(
        node.trees("groupingAttributes")
    )
    keys = [*(as_expression(slot.lineage) for slot in first_keys(node, frames)), *grouping]
    return group(inputs, keys, [Slot(*output_title(output), lineage) for output in outputs])


def first_keys(node: Node, frames: list[Frame]) -> Iterable[Slot]:
    """a.groupBy("k").cogroup(b.groupBy("k"))      the keys of a child are its first columns"""
    for sides, frame in zip(KEYS_FIRST, frames, strict=False):
        yield from frame.slots[: sum(int(node.args.get(side, 0)) for side in sides)]


KEYS_FIRST = (
    ("leftGroupingLen", "groupingAttributesLen"),
    ("rightGroupingLen", "initGroupingAttrsLen"),
)
"""a.groupBy("k").cogroup(b.groupBy("k")), transformWithState

how many of a child's first columns are its keys
"""

OUTPUTS = ("output", "outAttributes", "outputAttrs")
"""What operators call the columns that a function makes."""


def object_operator(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """map, flatMap, mapPartitions on objects      the serializer names the outputs"""
    inputs = beside([frame_of(child, outer, plan) for child in node.children])
    outputs = node.trees("serializer")
    if not outputs:
        return inputs
    lineage = everything_in(
        inputs.slots, Doubt(Confidence.MEDIUM, False, "made by code that is not read")
    )
    return project(inputs, [Slot(*output_title(output), lineage) for output in outputs])


def unknown_operator(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """An operator that is not in the table: all outputs from all inputs, and a diagnostic that
    names it.
    """
    plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the operator {node.name} of the plan is not known")
    if node.trees("output"):
        return black_box(node, outer, plan)
    inputs = beside([frame_of(child, outer, plan) for child in node.children])
    return doubt_columns(
        inputs, Doubt(Confidence.MEDIUM, False, f"the operator {node.name} is not known")
    )


SAME_ROWS = (
    "SubqueryAlias", "GlobalLimit", "LocalLimit", "Limit", "Offset", "Tail", "Repartition", "PipeOperator",
    "RepartitionByExpression", "RebalancePartitions", "ResolvedHint", "UnresolvedHint", "CollectMetrics", "Subquery",
    "EventTimeWatermark", "WithWindowDefinition", "ReturnAnswer", "CTERelationDef", "AppendColumns", "LimitAll",
    "DeserializeToObject", "TypedFilter", "SQLFunctionNode", "Tee",
)  # fmt: skip

OPERATORS: dict[str, Operator] = {
    **dict.fromkeys(SAME_ROWS, only_child),
    "Sample": sample,
    "Project": read_project,
    "Filter": read_filter,
    "Sort": read_sort,
    "Join": read_join,
    "LateralJoin": read_lateral_join,
    **dict.fromkeys(("AsOfJoin", "NearestByJoin"), read_as_of_join),
    "Zip": read_zip,
    "Aggregate": read_aggregate,
    "Expand": read_expand,
    "Window": read_window,
    "Generate": read_generate,
    **dict.fromkeys(("Union", "SequentialStreamingUnion"), read_union),
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
    "AttachDistributedSequence": only_child,
    "MapPartitions": object_operator,
    "MapElements": object_operator,
    "MapGroups": object_operator,
    "CoGroup": object_operator,
    "FlatMapGroupsInR": object_operator,
    "SerializeFromObject": object_operator,
}
