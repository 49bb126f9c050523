"""MERGE, UPDATE and DELETE: as Spark keeps them, as the commands of Delta, and as Spark rewrites
them.

A table that can change single rows is written by a plan that has little of the statement left: for

    UPDATE t SET a = b + 1 WHERE c

the query is `SELECT id, if(c, b + 1, a) AS a, b, c FROM t`, and a MERGE is a join of both sides
with a list of what becomes of a row. The statement is read out of it again: a column that is given
its own value is not assigned.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING

from lineal.algebra.changes import delete, merge_into, update, with_all_columns
from lineal.algebra.clauses import FILTERS, JOINS
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage, absorb
from lineal.algebra.relation import narrow, one_row, put_side_by_side
from lineal.extract.catalyst.expressions import Scope, expressions_over, gather, path_from_column
from lineal.extract.catalyst.expressions.casts import is_inserted
from lineal.extract.catalyst.operators import frame_of
from lineal.extract.catalyst.sink import Sink
from lineal.extract.catalyst.tree import Node, expression_id
from lineal.model.diagnostic import Code
from lineal.model.sequences import flatten, instances
from lineal.model.way import IDENTITY, Clause, Way

if TYPE_CHECKING:
    from lineal.extract.catalyst.plan import Plan

Assigned = Iterable[tuple[str, Node]]
"""The name of a column, and an expression that it is set to."""


# -- as they are written ---------------------------------------------------------------------------


def read_update(node: Node, plan: Plan) -> Sink | None:
    """UPDATE t SET a = b + 1 WHERE c"""
    table = node.children[0]
    frame = frame_of(table, None, plan)
    columns = assigned_values(map(assignment_in, node.trees("assignments")), frame, plan)
    return write_update(table, frame, columns, node.trees("condition"), frame, plan)


def read_delete(node: Node, plan: Plan) -> Sink | None:
    """DELETE FROM t WHERE a"""
    table = node.children[0]
    frame = frame_of(table, None, plan)
    return write_delete(table, frame, node.trees("condition"), frame, plan)


def read_merge(node: Node, plan: Plan) -> Sink | None:
    """MERGE INTO t USING s ON … WHEN MATCHED AND … THEN UPDATE SET a = s.b"""
    table, source = node.children
    frame = frame_of(table, None, plan)
    assignments, conditions = parts_of_clauses(node.trees_of(ACTIONS), "Assignment")
    assigned = list(map(assignment_in, assignments))
    return write_merge(
        table, frame, source, node.trees("mergeCondition"), conditions, assigned, plan
    )


ACTIONS = ("matchedActions", "notMatchedActions", "notMatchedBySourceActions")
"""The fields of Spark's own MERGE that hold its WHEN clauses."""


def parts_of_clauses(clauses: list[Node], action: str) -> tuple[list[Node], list[Node]]:
    """WHEN MATCHED AND c THEN UPDATE SET a = b      what the clauses set, and their conditions"""
    parts = flatten(clause.children for clause in clauses)
    actions = [part for part in parts if part.name == action]
    return actions, [part for part in parts if part.name != action]


def assignment_in(node: Node) -> tuple[str, Node]:
    """t.a = s.b, t.a.c = s.b      into a"""
    key, value = node.children
    while key.children:
        key = key.children[0]

    return str(key.args.get("name", "")), value


# -- the commands of Delta -------------------------------------------------------------------------


def read_delta_update(node: Node, plan: Plan) -> Sink | None:
    """UpdateCommand(target, [id, b + 1, b, c], c)

    a value for every column, in the order of the table
    """
    table = node.trees("target")[0]
    frame = frame_of(table, None, plan)
    pairs = zip((slot.name for slot in frame.slots), node.trees("updateExpressions"), strict=False)
    columns = assigned_values(changed_values(pairs, frame), frame, plan)
    return write_update(table, frame, columns, node.trees("condition"), frame, plan)


def read_delta_delete(node: Node, plan: Plan) -> Sink | None:
    """DeleteCommand(target, condition)"""
    table = node.trees("target")[0]
    frame = frame_of(table, None, plan)
    return write_delete(table, frame, node.trees("condition"), frame, plan)


def read_delta_merge(node: Node, plan: Plan) -> Sink | None:
    """MergeIntoCommand(source, target, condition, matchedClauses, …)

    a clause has a value for every column
    """
    table, source = node.trees("target")[0], node.trees("source")[0]
    frame = frame_of(table, None, plan)
    actions, conditions = parts_of_clauses(node.trees_of(DELTA_CLAUSES), "DeltaMergeAction")
    pairs = ((str(action.args["targetColNameParts"][0]), action.children[0]) for action in actions)
    return write_merge(
        table,
        frame,
        source,
        node.trees("condition"),
        conditions,
        changed_values(pairs, frame),
        plan,
    )


DELTA_CLAUSES = ("matchedClauses", "notMatchedClauses", "notMatchedBySourceClauses")
"""The fields of Delta's MERGE that hold its WHEN clauses."""


# -- as Spark rewrites them ------------------------------------------------------------------------


def read_rewritten(node: Node, plan: Plan) -> Sink | None:
    """ReplaceData(t, condition, query), WriteDelta(t, condition, query)

    all rows of a group, or the changes
    """
    query = node.children[-1]
    table = (node.trees("originalTable") or node.trees("table"))[0]
    rows = operator_below(query, "MergeRows")
    if rows is not None:
        return read_rewritten_merge(rows, table, plan)

    frame = frame_of(table, None, plan)
    everything = put_side_by_side([frame, *(frame_of(leaf, None, plan) for leaf in leaves(query))])
    if node.note.get("command") == "DELETE":
        return write_delete(table, frame, node.trees("condition"), everything, plan)

    return read_rewritten_update(node, query, table, frame, everything, plan)


def read_rewritten_update(
    node: Node, query: Node, table: Node, frame: Frame, everything: Frame, plan: Plan
) -> Sink | None:
    """SELECT id, if(c, b + 1, a) AS a, b, c FROM t; or SELECT id, b + 1 AS a, b, c FROM t WHERE c"""
    names = {slot.name for slot in frame.slots}
    conditions = node.trees("condition")
    whole = node.name == "ReplaceData"
    columns: dict[str, Lineage] = {}
    for projection in projections(query):
        pairs = first_of_each_name(projected_items(projection), names)
        if whole:
            pairs = [(name, chosen_value(item, name, everything)) for name, item in pairs]

        inner = frame_of(projection.children[0], None, plan)
        around = put_side_by_side([everything, inner])
        assigned = assigned_values(changed_values(pairs, everything), around, plan)
        for name, lineage in assigned.items():
            absorb(lineage, columns.setdefault(name, {}))

    return write_update(table, frame, columns, conditions, everything, plan)


def read_rewritten_merge(rows: Node, table: Node, plan: Plan) -> Sink | None:
    """MergeRows([Keep(condition, values), Discard(condition), Split(condition, values, values)], t
    JOIN s ON …)
    """
    left, source = rows.children[0].children
    target, pushed = read_table(left)
    frame = frame_of(target, None, plan)
    names = {slot.name for slot in frame.slots}
    outputs = [str(output.args["name"]) for output in rows.trees("output")]
    conditions: list[Node] = []
    assigned: list[tuple[str, Node]] = []
    for instruction in rows.trees_of(INSTRUCTIONS):
        conditions += trees_at(instruction, "condition")
        for field in ("output", "otherOutput"):
            pairs = zip(outputs, trees_at(instruction, field), strict=False)
            assigned += changed_values(first_of_each_name(pairs, names), frame)

    on = [*pushed, *rows.children[0].trees("condition")]
    return write_merge(table, frame, source, on, conditions, assigned, plan)


INSTRUCTIONS = ("matchedInstructions", "notMatchedInstructions", "notMatchedBySourceInstructions")
"""The fields of MergeRows that say what becomes of a row."""


def read_table(side: Node) -> tuple[Node, list[Node]]:
    """SELECT *, true AS __row_from_target FROM t WHERE …

    the table, and what Spark has moved here from ON
    """
    pushed: list[Node] = []
    while side.children:
        if side.name == "Filter":
            pushed += side.trees("condition")

        side = side.children[0]

    return side, pushed


def projections(query: Node) -> Iterator[Node]:
    """The operators that compute the new rows: over the table, or over those of its rows that are
    meant.
    """
    below = query.children[0].name if query.children else ""
    if query.name == "Union" or below in ("Project", "Expand", "Union"):
        for child in query.children:
            yield from projections(child)
    elif query.name in ("Project", "Expand"):
        yield query


def projected_items(projection: Node) -> Iterator[tuple[str, Node]]:
    """The columns of a Project; an Expand deletes the former row, and then inserts the new one."""
    if projection.name == "Project":
        return ((str(item.args.get("name", "")), item) for item in projection.trees("projectList"))

    outputs = [str(output.args["name"]) for output in projection.trees("output")]
    return zip(outputs, projection.trees("projections")[-len(outputs) :], strict=True)


def chosen_value(item: Node, name: str, frame: Frame) -> Node:
    """if(c, b + 1, a) AS a      b + 1: that c decides is said by the statement's condition"""
    inner = without_wrappings(item)
    if inner.name == "If" and is_own_value(inner.children[2], name, frame):
        return inner.children[1]

    return item


def trees_at(node: Node, field: str) -> list[Node]:
    """The trees of a field that names them by their places among the children."""
    value = node.args.get(field)
    if not isinstance(value, list):
        value = [value]

    places = instances(value, int)
    return [node.children[place] for place in places] or node.trees(field)


def first_of_each_name(pairs: Assigned, names: Container[str]) -> Assigned:
    """The pairs of some names, the first one of each.

    The columns of the table come before those that identify a row, which may have the same names.
    """
    own = [(name, value) for name, value in pairs if name in names]
    return dict(reversed(own)).items()


def operator_below(node: Node, name: str) -> Node | None:
    """The operator of a class, where each operator above it has one child."""
    while node.name != name:
        if len(node.children) != 1:
            return None

        node = node.children[0]

    return node


def leaves(node: Node) -> Iterator[Node]:
    """The leaves of a plan, from left to right."""
    if not node.children:
        yield node

    for child in node.children:
        yield from leaves(child)


# -- what they do ----------------------------------------------------------------------------------


def write_update(
    table: Node,
    frame: Frame,
    columns: dict[str, Lineage],
    conditions: list[Node],
    around: Frame,
    plan: Plan,
) -> Sink | None:
    """UPDATE t SET a = b + 1 WHERE c"""
    rows = narrow_statement(one_row(), FILTERS, conditions, around, plan).rows
    return write_into(table, frame, update(slots_of(columns), rows), plan)


def write_delete(
    table: Node, frame: Frame, conditions: list[Node], around: Frame, plan: Plan
) -> Sink | None:
    """DELETE FROM t WHERE a"""
    rows = narrow_statement(one_row(), FILTERS, conditions, around, plan).rows
    return write_into(table, frame, delete(rows), plan)


def write_merge(
    table: Node,
    frame: Frame,
    source: Node,
    on: list[Node],
    conditions: list[Node],
    assigned: Assigned,
    plan: Plan,
) -> Sink | None:
    """MERGE INTO t USING s ON … WHEN MATCHED AND … THEN UPDATE SET a = s.b"""
    given = frame_of(source, None, plan)
    both = put_side_by_side([frame, given])
    met = narrow_statement(given, JOINS, on, both, plan)
    rows = narrow_statement(met, FILTERS, conditions, both, plan).rows
    columns = assigned_values(assigned, both, plan)
    return write_into(table, frame, merge_into(slots_of(columns), rows), plan)


def narrow_statement(
    frame: Frame, clause: Way, conditions: list[Node], around: Frame, plan: Plan
) -> Frame:
    """Conditions over everything that the statement sees, which decide the rows of one frame."""
    return narrow(
        frame, clause, expressions_over(Scope(around, None, plan, clause.clause), conditions)
    )


def slots_of(columns: dict[str, Lineage]) -> list[Slot]:
    """The columns that a statement sets, which a plan knows by their names."""
    return [Slot(name, name, lineage) for name, lineage in columns.items()]


def assigned_values(assigned: Assigned, frame: Frame, plan: Plan) -> dict[str, Lineage]:
    """Return the values that each column is set to; several clauses may set one."""
    columns: dict[str, Lineage] = {}
    for name, value in assigned:
        gather(value, IDENTITY, columns.setdefault(name, {}), Scope(frame, None, plan, Clause.SET))

    return columns


def changed_values(pairs: Assigned, frame: Frame) -> Iterator[tuple[str, Node]]:
    """Those that are given another value than their own."""
    return (
        (name, without_own_fields(value, name, frame))
        for name, value in pairs
        if not is_own_value(value, name, frame)
    )


def without_own_fields(value: Node, name: str, frame: Frame) -> Node:
    """SET s.b = x, as named_struct('a', s.a, 'b', x)      a is left as it was"""
    struct = without_wrappings(value)
    if struct.name == "If" and struct.children[0].name == "IsNull":
        struct = without_wrappings(struct.children[2])

    if struct.name != "CreateNamedStruct":
        return value

    own = {slot.key for slot in frame.slots if slot.name == name}
    fields = zip(struct.children[0::2], struct.children[1::2], strict=True)
    kept = [pair for pair in fields if not is_field_of(own, *pair)]
    return Node(struct.name, struct.args, flatten(kept))


def is_field_of(columns: Container[str], key: Node, value: Node) -> bool:
    """'a', s.a      a field under its own name"""
    match path_from_column(value):
        case (column, field):
            return column in columns and field == str(key.args.get("value", "")).lower()

    return False


def is_own_value(value: Node, name: str, frame: Frame) -> bool:
    """SET a = a      the column keeps its value"""
    value = without_wrappings(value)
    if value.name != "AttributeReference" or value.args.get("name") != name:
        return False

    slot = frame.index.get(expression_id(value.args))
    return slot is not None and slot.name == name


def without_wrappings(value: Node) -> Node:
    """Without what an engine puts around a value that it writes."""
    while value.name in WRAPPINGS or (value.name == "Cast" and is_inserted(value)):
        value = value.children[0]

    return value


WRAPPINGS = (
    "Alias",
    "AssertNotNull",
    "KnownNotNull",
    "CheckOverflowInTableInsert",
    "CheckOverflowInTableWrite",
)
"""The classes that an engine puts around a value that it writes."""


def write_into(table: Node, frame: Frame, written: Frame, plan: Plan) -> Sink | None:
    """All columns of the table, with lineage where a value is assigned."""
    leaf = read_table(table)[0]
    name = plan.leaf_name(leaf)
    if name is None:
        plan.report(Code.UNSUPPORTED_CONSTRUCT, f"the target over {leaf.name} has no name")
        return None

    own = dict.fromkeys(slot.name for slot in frame.slots)
    return Sink(name, "table", with_all_columns(written, [(column, column) for column in own]))
