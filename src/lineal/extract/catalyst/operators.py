"""Catalyst's operators, one function each: a plan's frame from the frames of its children."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from lineal.algebra.expression import VALUE, decides
from lineal.algebra.frame import (
    NOTHING,
    Frame,
    Items,
    Lineage,
    Part,
    Slot,
    Struct,
    absorb,
    doubted,
    is_own,
    pour,
    scan,
    union,
    united,
)
from lineal.extract.catalyst.expressions import (
    Scope,
    field_at,
    gather,
    is_part,
    is_part_of_column,
    item_of,
    struct_of,
    value_of,
)
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.diagnostic import Code
from lineal.model.edge import Dataset, Doubt
from lineal.model.way import IDENTITY, Clause, Confidence, How, Way

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan

FILTERS = decides(How.FILTER, Clause.WHERE)
JOINS = decides(How.JOIN, Clause.JOIN_ON)
LATERAL = decides(How.JOIN, Clause.LATERAL)
GROUPS = decides(How.GROUP_BY, Clause.GROUP_BY)
DISTINCT = decides(How.GROUP_BY, Clause.DISTINCT)
SORTS = decides(How.SORT, Clause.ORDER_BY)
INTERSECTS = decides(How.FILTER, Clause.INTERSECT)
EXCEPTS = decides(How.FILTER, Clause.EXCEPT)

Operator = Callable[[Node, "Scope | None", "Plan"], Frame]


def frame_of(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    return OPERATORS.get(node.name, unknown)(node, outer, plan)


def only_child(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """SubqueryAlias, Limit, Sample, Repartition …      the same rows or some of them, decided by no column"""
    return frame_of(node.children[0], outer, plan)


def sample(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """randomSplit([0.5, 0.5])      the sort below it is the engine's own: it makes the split repeatable"""
    below = node.children[0]
    inserted = below.name == "Sort" and below.args.get("global") is False
    return frame_of(below.children[0] if inserted else below, outer, plan)


def from_rdd(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """spark.createDataFrame(rdd)      the plan ends here, unless the rows are those of a checkpoint that was seen"""
    made = plan.from_origin(node)
    if made is not None:
        return made
    made_from = "the memory of a stream" if node.name == "MemoryPlan" else "an RDD"
    plan.report(Code.DYNAMIC, f"a DataFrame is made from {made_from}: the plan does not tell where its rows come from")
    return rootless(node, outer, plan)


def named(node: Node, scope: Scope) -> Slot:
    """One output column: an attribute passes through, an alias is new."""
    if node.name == "AttributeReference":
        return scope.attribute(node)
    return Slot(str(node.args.get("name", "")), expression_id(node.args), struct_of(node, scope))


def narrowed(frame: Frame, conditions: list[Node], way: Way, outer: Scope | None, plan: Plan) -> Frame:
    """The same columns; what decides the conditions decides the rows."""
    if not conditions:
        return frame
    rows = dict(frame.rows)
    scope = Scope(frame, outer, plan, way.clause)
    for condition in conditions:
        gather(condition, way, rows, scope)
    return Frame(frame.slots, rows)


def project(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    below = node.children[0]
    if below.name == "Filter" and time_window_in(node) == "Project window":
        below = below.children[0]  # what has no time is in no window: the engine's own filter
    child = frame_of(below, outer, plan)
    scope = Scope(child, outer, plan)
    return Frame([named(item, scope) for item in node.trees("projectList")], child.rows)


def time_window_in(node: Node) -> str:
    """GROUP BY window(t, '5 minutes')      the analyser makes the window in an operator of its own"""
    if node.name not in ("Project", "Expand"):
        return ""
    first = (node.trees("projectList") or node.trees("projections"))[:1]
    made = first[0].children[0] if first and first[0].name == "Alias" else first[0] if first else node
    if made.name != "CreateNamedStruct" or not contains(made, "PreciseTimestampConversion"):
        return ""
    named = first[0] if made is not first[0] else node.trees("output")[0]
    return f"{node.name} {named.args.get('name')}"


def filter_(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    below = node.children[0]
    if time_window_in(below) in ("Expand window", "Project session_window"):
        return frame_of(below, outer, plan)
    return narrowed(frame_of(below, outer, plan), node.trees("condition"), FILTERS, outer, plan)


def sort(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    return narrowed(frame_of(node.children[0], outer, plan), node.trees("order"), SORTS, outer, plan)


def join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN b ON …; of LEFT SEMI and LEFT ANTI only a remains"""
    left = frame_of(node.children[0], outer, plan)
    right = frame_of(node.children[1], outer, plan)
    both = side_by_side([left, right])
    joined = narrowed(both, node.trees("condition"), JOINS, outer, plan)
    if join_type(node) in ("LeftSemi", "LeftAnti"):
        return Frame(left.slots, joined.rows)
    return joined


def as_of_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN b, the nearest row by time or by another measure"""
    frames = [frame_of(child, outer, plan) for child in node.children]
    both = side_by_side(frames)
    conditions = [tree for field in ("asOfCondition", "condition", "rankingExpression") for tree in node.trees(field)]
    return narrowed(both, conditions, JOINS, outer, plan)


def zipped(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a.zip(b)      the columns of both, row by row"""
    return side_by_side([frame_of(child, outer, plan) for child in node.children])


def side_by_side(frames: list[Frame]) -> Frame:
    return Frame([slot for frame in frames for slot in frame.slots], united([frame.rows for frame in frames]))


def join_type(node: Node) -> str:
    kind = node.args.get("joinType")
    name = kind.get("object") or kind.get("product-class") or "" if isinstance(kind, dict) else str(kind)
    return name.rsplit(".", 1)[-1].rstrip("$")


def lateral_join(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a JOIN LATERAL (SELECT … FROM b WHERE b.id = a.id)"""
    left = table_argument(node.children[0], outer, plan) or frame_of(node.children[0], outer, plan)
    scope = Scope(left, outer, plan, Clause.LATERAL)
    slots, rows = list(left.slots), dict(left.rows)
    for lateral in node.trees("right"):
        for frame in plan.frames_of(lateral, scope):
            slots.extend(frame.slots)
            absorb(frame.rows, rows)
    return narrowed(Frame(slots, rows), node.trees("condition"), JOINS, outer, plan)


def table_argument(node: Node, outer: Scope | None, plan: Plan) -> Frame | None:
    """f(TABLE(t) PARTITION BY a ORDER BY b)      the rows of t as structs: the sort below says how f is fed, no more"""
    below = node.children[0] if node.name == "SubqueryAlias" else node
    items = below.trees("projectList")
    sorts = (
        below.children[0] if below.name == "Project" and len(items) == 1 and contains(items[0], TO_STRUCT) else below
    )
    if sorts.name != "Sort" or not sorts.children[0].name.startswith("Repartition"):
        return None
    scope = Scope(frame_of(sorts.children[0], outer, plan), outer, plan)
    return Frame([named(item, scope) for item in items], scope.frame.rows)


TO_STRUCT = "CreateNamedStruct"


def aggregate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """GROUP BY a      a decides which rows there are; the grouping below a pivot is the engine's own"""
    items = node.trees("aggregateExpressions")
    pivots = any(contains(item, "PivotFirst") for item in items)
    below = node.children[0]
    if pivots and below.name == "Aggregate":
        child = ungrouped(below, outer, plan)
    else:
        child = frame_of(below, outer, plan)
    keys = node.trees("groupingExpressions")
    scope = Scope(child, outer, plan)
    grouped = narrowed(child, keys, GROUPS, outer, plan)
    remember_grouping(keys, scope, plan)
    return Frame([named(item, scope) for item in items], grouped.rows)


def ungrouped(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    child = frame_of(node.children[0], outer, plan)
    scope = Scope(child, outer, plan)
    return Frame([named(item, scope) for item in node.trees("aggregateExpressions")], child.rows)


def contains(node: Node, name: str) -> bool:
    stack = [node]
    while stack:
        current = stack.pop()
        if current.name == name:
            return True
        stack.extend(current.children)
    return False


def expand(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """ROLLUP (a, b), UNPIVOT, window(t, …)      each input row once per projection; an output takes its item of each"""
    child = frame_of(node.children[0], outer, plan)
    scope = Scope(child, outer, plan)
    outputs, items = node.trees("output"), node.trees("projections")
    slots = []
    for position, output in enumerate(outputs):
        if items:
            found = [value_of(item, IDENTITY, scope) for item in items[position :: len(outputs)]]
        else:  # Spark's own toJSON has none; a grouping's layout: the child's columns, then spark_grouping_id
            found = [child.slots[position].lineage] if position < len(child.slots) else []
        slots.append(Slot(str(output.args["name"]), expression_id(output.args), united(found)))
    return Frame(slots, child.rows)


def remember_grouping(keys: list[Node], scope: Scope, plan: Plan) -> None:
    """GROUPING(a)      reads a bit of spark_grouping_id, the last key: which key each bit stands for"""
    if keys and keys[-1].args.get("name") == "spark_grouping_id":
        lineages = [value_of(key, IDENTITY, scope) for key in keys[:-1]]
        plan.grouping[expression_id(keys[-1].args)] = lineages


def window(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    child = frame_of(node.children[0], outer, plan)
    scope = Scope(child, outer, plan)
    made = [named(item, scope) for item in node.trees("windowExpressions")]
    return Frame([*child.slots, *made], child.rows)


def generate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """LATERAL VIEW explode(xs) AS x      x ← xs TRANSFORMATION, xs ⇒ JOIN; stack(2, a, b, c, d): by position"""
    child = frame_of(node.children[0], outer, plan)
    scope = Scope(child, outer, plan, Clause.LATERAL)
    generator = node.trees("generator")[0]
    outputs = node.trees("generatorOutput")
    rows = dict(child.rows)
    if generator.name == "Stack":
        lineages = stacked(generator, len(outputs), scope)
    elif generator.name == "JsonTuple":
        lineages = json_tuple(generator, scope)
    else:
        lineage = value_of(generator, IDENTITY, scope)
        inner = generator.children[0]
        exploded: Lineage = Part() if is_part(inner) and is_part_of_column(inner, scope) else {}
        pour(lineage, VALUE, exploded)
        held = struct_of(inner, scope)
        exploded = item_of(inner, scope) or (held.under(exploded) if isinstance(held, Struct) else exploded)
        fields = generator.args.get("fieldNames") or []
        lineages = [taken(field_at(exploded, [name])) for name in fields] or [exploded] * len(outputs)
        if not (fixed_rows(generator) or isinstance(held, Items)):
            pour(lineage, LATERAL, rows)
    made = [
        Slot(str(output.args["name"]), expression_id(output.args), lineage)
        for output, lineage in zip(outputs, lineages, strict=True)
    ]
    return Frame([*child.slots, *made], rows)


def taken(lineage: Lineage) -> Lineage:
    """inline(array(struct(a AS p)))      p ← a, TRANSFORMATION: it was taken out of a struct"""
    found: Lineage = Part() if is_own(lineage) else {}
    pour(lineage, VALUE, found)
    return found


def json_tuple(generator: Node, scope: Scope) -> list[Lineage]:
    """json_tuple(j, 'a', 'b')      j.a and j.b, in one row; a cast on the way keeps the path"""
    document, *keys = generator.children
    while document.name == "Cast":
        document = document.children[0]
    whole = struct_of(document, scope)
    names = [[str(key.args["value"])] if key.args.get("value") is not None else [] for key in keys]
    lineages: list[Lineage] = []
    for name, key in zip(names, keys, strict=True):
        lineage = value_of(key, VALUE, scope)
        pour(field_at(whole, name), VALUE, lineage)
        lineages.append(lineage)
    return lineages


def stacked(generator: Node, width: int, scope: Scope) -> list[Lineage]:
    """stack(2, a, b, c, d)      column 0 takes a and c, column 1 takes b and d"""
    arguments = generator.children[1:]
    return [
        united([value_of(argument, IDENTITY, scope) for argument in arguments[position::width]])
        for position in range(width)
    ]


def fixed_rows(generator: Node) -> bool:
    """explode(array(a, b))      always two rows: no column decides how many"""
    inner = generator.children[0] if generator.children else None
    return inner is not None and inner.name in ("CreateArray", "CreateMap", "Literal")


def union_all(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """a UNION ALL b      by position, with the ids of the first"""
    return union([frame_of(child, outer, plan) for child in node.children])


def intersect(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    frames = [frame_of(child, outer, plan) for child in node.children]
    return compared(union(frames), frames, INTERSECTS)


def except_(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    frames = [frame_of(child, outer, plan) for child in node.children]
    rows = united([frame.rows for frame in frames])
    return compared(Frame(frames[0].slots, rows), frames, EXCEPTS)


def distinct(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    frame = frame_of(node.children[0], outer, plan)
    return compared(frame, [frame], DISTINCT)


def compared(frame: Frame, frames: list[Frame], way: Way) -> Frame:
    rows = dict(frame.rows)
    for each in frames:
        for slot in each.slots:
            pour(slot.lineage, way, rows)
    return Frame(frame.slots, rows)


def deduplicate(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """dropDuplicates(["a"])      a decides which rows there are"""
    return narrowed(frame_of(node.children[0], outer, plan), node.trees("keys"), DISTINCT, outer, plan)


def merge_rows(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """MERGE … WHEN NOT MATCHED AND a THEN INSERT … WHEN NOT MATCHED THEN INSERT …      rows of either, by position"""
    child = frame_of(node.children[0], outer, plan)
    scope, rows = Scope(child, outer, plan), dict(child.rows)
    outputs = node.trees("output")
    made: list[list[Lineage]] = [[] for _ in outputs]
    for keep in node.trees("notMatchedInstructions"):
        gather(keep.children[0], FILTERS, rows, Scope(child, outer, plan, Clause.WHERE))
        for found, value in zip(made, keep.children[1:], strict=False):
            found.append(value_of(value, IDENTITY, scope))
    slots = [
        Slot(str(output.args["name"]), expression_id(output.args), united(found))
        for output, found in zip(outputs, made, strict=True)
    ]
    return Frame(slots, rows)


# -- CTEs --------------------------------------------------------------------------------------------------------


def with_cte(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WITH c AS (…) …      the definitions first, then the query"""
    *definitions, query = node.children
    for definition in definitions:
        plan.ctes[definition.args["id"]] = frame_of(definition.children[0], outer, plan)
    return frame_of(query, outer, plan)


def cte_reference(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    return by_position(plan.ctes.get(node.args["cteId"]), node.trees("output"))


def by_position(frame: Frame | None, outputs: list[Node]) -> Frame:
    """The columns of a definition under the ids of one of its references."""
    lineages = [slot.lineage for slot in frame.slots] if frame is not None else []
    slots = [
        Slot(
            str(output.args["name"]), expression_id(output.args), lineages[position] if position < len(lineages) else {}
        )
        for position, output in enumerate(outputs)
    ]
    return Frame(slots, frame.rows if frame is not None else NOTHING)


MOST_ROUNDS = 64


def union_loop(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """WITH RECURSIVE c AS (anchor UNION ALL step FROM c)      repeat until nothing new is found"""
    anchor, step = node.children
    loop = node.args["id"]
    frame = frame_of(anchor, outer, plan)
    size = -1
    for _ in range(MOST_ROUNDS):
        found = sum(len(slot.lineage) for slot in frame.slots) + len(frame.rows)
        if found == size:
            break
        size = found
        plan.loops[loop] = frame
        frame = union([frame, frame_of(step, outer, plan)])
    ids = node.args.get("outputAttrIds") or []
    keys = [f"#{item['id']}" for item in ids if isinstance(item, dict) and "id" in item]
    if len(keys) == len(frame.slots):
        return Frame([s._replace(key=k) for s, k in zip(frame.slots, keys, strict=True)], frame.rows)
    return frame


def union_loop_reference(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    return by_position(plan.loops.get(node.args["loopId"]), node.trees("output"))


# -- leaves ------------------------------------------------------------------------------------------------------


def relation(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM t      a table, a file, a stream: every column stands for itself"""
    outputs = node.trees("output") or [*node.trees("dataCols"), *node.trees("partitionCols")]
    names = plan.names_of(node)
    if not names:
        return rootless(node, outer, plan)
    if len(names) > 1:
        return several(names, outputs, plan, node)
    dataset = plan.dataset(names[0])
    plan.reads_dataset(dataset, node)
    frame = scanned(dataset, outputs)
    return without_source(frame, CHANGES) if node.note.get("changes") else frame


CHANGES = frozenset(("_change_type", "_commit_version", "_commit_timestamp"))
"""table_changes('t', 1)      what Delta puts beside the columns of t"""


def several(names: list[str], outputs: list[Node], plan: Plan, node: Node) -> Frame:
    """spark.read.parquet(a, b)      the rows of both, as by UNION ALL"""
    datasets = [plan.dataset(name) for name in names]
    for dataset in datasets:
        plan.reads_dataset(dataset, node)
    plan.together[datasets[0]] = datasets[1:]
    frames = [scanned(dataset, outputs) for dataset in datasets]
    read = {slot.key: slot.scanned for slot in frames[0].slots}
    return Frame([slot._replace(scanned=read[slot.key]) for slot in union(frames).slots], NOTHING)


def scanned(dataset: Dataset, outputs: list[Node]) -> Frame:
    """SELECT a, _metadata.file_path FROM t      a is a column of t; what only the engine knows of a row is none"""
    columns = [(str(output.args["name"]), expression_id(output.args)) for output in outputs]
    frame = scan(dataset, columns, True)
    pseudo = frozenset(str(output.args["name"]) for output in outputs if output.args.get("pseudo"))
    return without_source(frame, pseudo) if pseudo else frame


def without_source(frame: Frame, names: frozenset[str]) -> Frame:
    return Frame([Slot(slot.name, slot.key, {}) if slot.name in names else slot for slot in frame.slots], frame.rows)


def rootless(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """VALUES (1), range(10), a local DataFrame      columns without sources"""
    outputs = node.trees("output")
    return Frame([Slot(str(o.args["name"]), expression_id(o.args), {}) for o in outputs], NOTHING)


def view(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """FROM v      a view that is a dataset of its own is a hop; a temporary one is composed away"""
    name = plan.view_name(node)
    if name is None:
        return only_child(node, outer, plan)
    dataset = plan.dataset(name)
    plan.reads_dataset(dataset, node)
    if not node.children:
        return scanned(dataset, node.trees("output"))
    inner = frame_of(node.children[0], outer, plan)
    plan.knows(dataset, [slot.name for slot in inner.slots], node.args.get("types"))
    return scan(dataset, [(slot.name, slot.key) for slot in inner.slots], True)


# -- black boxes -------------------------------------------------------------------------------------------------


def black_box(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """mapInPandas(f, schema)      any output may come from any input"""
    frames = [frame_of(child, outer, plan) for child in node.children]
    doubt = Doubt(Confidence.MEDIUM, False, f"{node.name} runs code that is not read")
    everything: Lineage = {}
    for frame in frames:
        for slot in frame.slots:
            pour(slot.lineage, VALUE, everything)
    lineage = doubted(everything, doubt)
    rows = dict(united([frame.rows for frame in frames]))
    for sides, frame in zip(KEYS_FIRST, frames, strict=False):
        for slot in frame.slots[: sum(int(node.args.get(side, 0)) for side in sides)]:
            pour(slot.lineage, GROUPS, rows)
    outputs = [output for field in OUTPUTS for output in node.trees(field)]
    made = Frame([Slot(str(o.args["name"]), expression_id(o.args), lineage) for o in outputs], rows)
    keys = node.trees("groupingAttributes")
    if not keys:
        return made
    inputs = Frame([slot for frame in frames for slot in frame.slots], rows)
    return Frame(made.slots, narrowed(inputs, keys, GROUPS, outer, plan).rows)


KEYS_FIRST = (("leftGroupingLen", "groupingAttributesLen"), ("rightGroupingLen", "initGroupingAttrsLen"))
"""a.groupBy("k").cogroup(b.groupBy("k")), transformWithState      how many of a child's first columns are its keys"""

OUTPUTS = ("output", "outAttributes", "outputAttrs")
"""What operators call the columns that a function makes."""


def object_operator(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """map, flatMap, mapPartitions on objects      the serializer names the outputs"""
    frames = [frame_of(child, outer, plan) for child in node.children]
    inputs = [slot for frame in frames for slot in frame.slots]
    rows = united([frame.rows for frame in frames])
    outputs = node.trees("serializer")
    if not outputs:
        return Frame(inputs, rows)
    everything: Lineage = {}
    for slot in inputs:
        pour(slot.lineage, VALUE, everything)
    lineage = doubted(everything, Doubt(Confidence.MEDIUM, False, "made by code that is not read"))
    return Frame([Slot(str(o.args.get("name", "")), expression_id(o.args), lineage) for o in outputs], rows)


def unknown(node: Node, outer: Scope | None, plan: Plan) -> Frame:
    """An operator that is not in the table: all outputs from all inputs, and a diagnostic that names it."""
    plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the operator {node.name} of the plan is not known")
    if node.trees("output"):
        return black_box(node, outer, plan)
    frames = [frame_of(child, outer, plan) for child in node.children]
    doubt = Doubt(Confidence.MEDIUM, False, f"the operator {node.name} is not known")
    slots = [slot._replace(lineage=doubted(slot.lineage, doubt)) for frame in frames for slot in frame.slots]
    return Frame(slots, united([frame.rows for frame in frames]))


SAME_ROWS = (
    "SubqueryAlias", "GlobalLimit", "LocalLimit", "Limit", "Offset", "Tail", "Repartition", "PipeOperator",
    "RepartitionByExpression", "RebalancePartitions", "ResolvedHint", "UnresolvedHint", "CollectMetrics", "Subquery",
    "EventTimeWatermark", "WithWindowDefinition", "ReturnAnswer", "CTERelationDef", "AppendColumns", "LimitAll",
    "DeserializeToObject", "TypedFilter", "SQLFunctionNode", "Tee",
)  # fmt: skip

OPERATORS: dict[str, Operator] = {
    **dict.fromkeys(SAME_ROWS, only_child),
    "Sample": sample,
    "Project": project,
    "Filter": filter_,
    "Sort": sort,
    "Join": join,
    "LateralJoin": lateral_join,
    **dict.fromkeys(("AsOfJoin", "NearestByJoin"), as_of_join),
    "Zip": zipped,
    "Aggregate": aggregate,
    "Expand": expand,
    "Window": window,
    "Generate": generate,
    **dict.fromkeys(("Union", "SequentialStreamingUnion"), union_all),
    "Intersect": intersect,
    "Except": except_,
    "Distinct": distinct,
    "Deduplicate": deduplicate,
    "DeduplicateWithinWatermark": deduplicate,
    "MergeRows": merge_rows,
    "WithCTE": with_cte,
    "CTERelationRef": cte_reference,
    "UnionLoop": union_loop,
    "UnionLoopRef": union_loop_reference,
    "LogicalRelation": relation,
    "LogicalRelationWithTable": relation,
    "HiveTableRelation": relation,
    "DataSourceV2Relation": relation,
    "DataSourceV2ScanRelation": relation,
    "StreamingRelation": relation,
    "StreamingRelationV2": relation,
    "StreamingDataSourceV2Relation": relation,
    "StreamingDataSourceV2ScanRelation": relation,
    "LogicalRDD": from_rdd,
    "ExternalRDD": from_rdd,
    "MemoryPlan": from_rdd,
    "LocalRelation": rootless,
    "Range": rootless,
    "OneRowRelation": rootless,
    "CommandResult": rootless,
    "InMemoryRelation": rootless,
    "View": view,
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
