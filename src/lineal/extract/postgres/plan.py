"""The walk over a plan: each node's outputs are expressions over the aliases below it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from sqlglot import exp
from sqlglot.errors import SqlglotError

from lineal.algebra.expression import VALUE
from lineal.algebra.frame import Frame, Slot
from lineal.algebra.lineage import Lineage, unite_lineages
from lineal.algebra.relation import one_row, project, rename
from lineal.extract.postgres.shapes import NUMBERED, Shapes
from lineal.extract.postgres.texts import as_sql, normal, parse_expression
from lineal.extract.postgres.tree import Node
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.expressions import gather
from lineal.extract.sql.scope import Scope, Source
from lineal.model.edge import Column, Dataset
from lineal.model.way import IDENTITY

UNTOLD = Column(Dataset("", "?"), "?")
"""Stands for whatever a plan does not tell: what a hashed subplan compares, what VALUES lists."""

APPENDS = ("Append", "Merge Append")
OPAQUE: Lineage = {(UNTOLD, IDENTITY): None}


class Output(NamedTuple):
    """One column of the result: the columns that its value is made of."""

    origins: frozenset[Column]
    whole: bool
    """nothing else flows into it"""


class ValueFlow(NamedTuple):
    outputs: list[Output]
    scanned: frozenset[str]
    """the relations that the plan reads, schema.table"""
    empty: bool
    """the planner has proved that there are no rows, somewhere"""


def value_flow(plan: dict[str, Any], shapes: Shapes, evaluation: Evaluation) -> ValueFlow:
    """Return where each output column of a plan comes from.

    {"Plan": {"Node Type": …}}      what EXPLAIN printed for one statement
    """
    root = Node(plan["Plan"])
    walk = Walk(root, shapes, evaluation)
    outputs = list(map(output, walk.outputs(root)))
    nodes = list(root.walk())
    scanned = frozenset(node.relation for node in nodes if node.relation)
    return ValueFlow(
        outputs, scanned, any(node.said.get("One-Time Filter") == "false" for node in nodes)
    )


def output(lineage: Lineage) -> Output:
    """Return the origins of one output column."""
    direct = {origin for origin, way in lineage if way.direct}
    return Output(
        frozenset(Column(o.dataset, o.name) for o in direct - {UNTOLD}), UNTOLD not in direct
    )


class Walk:
    """One plan, with the frames of its aliases as far as they were asked for."""

    def __init__(self, root: Node, shapes: Shapes, evaluation: Evaluation) -> None:
        """Index the nodes of a plan by their aliases, subplans and parameters."""
        self.root = root
        self.shapes = shapes
        self.evaluation = evaluation
        self.nodes = list(root.walk())
        self.aliases = {node.alias: node for node in self.nodes if node.alias}
        self.subplans = {
            node.subplan.partition(" (")[0]: node for node in self.nodes if node.subplan
        }
        self.parameters = {
            name: (node, position)
            for node in self.nodes
            for position, name in enumerate(node.parameters())
        }
        self.used = self.names_used()
        self.frames: dict[str, Frame | None] = {}
        self.recursive: dict[int, list[Lineage]] = {}

    # -- nodes -------------------------------------------------------------------------------------

    def outputs(self, node: Node) -> list[Lineage]:
        """The lineage of each value that a node gives upwards."""
        if node.kind in APPENDS:
            return self.append_outputs(node)

        if node.kind == "Recursive Union":
            return self.recursion(node)

        if node.output:
            return [self.lineage(text, node) for text in node.output]

        inputs = node.inputs
        return self.outputs(inputs[0]) if len(inputs) == 1 and node.kind in PASSING else []

    def append_outputs(self, node: Node) -> list[Lineage]:
        """Return the outputs of an Append.

        a UNION ALL b      by position; of EXCEPT only what stands before it
        """
        members = node.inputs[:1] if is_except(node) else node.inputs
        lists = list(map(self.outputs, members))
        length = min(map(len, lists), default=0)
        return [unite_lineages(each[position] for each in lists) for position in range(length)]

    def recursion(self, node: Node) -> list[Lineage]:
        """The least fixpoint over both branches."""
        if id(node) in self.recursive:
            return self.recursive[id(node)]

        start, again = node.inputs[:2]
        found = self.outputs(start)
        while True:
            self.recursive[id(node)] = found
            self.frames = {
                alias: frame for alias, frame in self.frames.items() if not self.within(alias, node)
            }
            more = self.outputs(again)
            grown = list(map(unite_lineages, zip(found, more, strict=False)))
            if list(map(set, grown)) == list(map(set, found)):
                return found

            found = grown

    def within(self, alias: str, node: Node) -> bool:
        """Tell whether an alias belongs to a node below another one."""
        inside: Node | None = self.aliases.get(alias)
        while inside is not None and inside is not node:
            inside = inside.above

        return inside is node

    # -- expressions -------------------------------------------------------------------------------

    def lineage(self, text: str, node: Node) -> Lineage:
        """The lineage of an expression of a node."""
        try:
            tree = parse_expression(as_sql(text, set(self.parameters)))
            tree = self.read_joined(tree, node)
            scope = self.scope(tree)
            into: Lineage = {}
            for item in tree.expressions:
                gather(item, IDENTITY, into, scope)
        except (SqlglotError, LookupError, TypeError, AttributeError, ValueError, StopIteration):
            return OPAQUE

        return {**into, **OPAQUE} if self.evaluation.unresolved else into

    def scope(self, tree: Any) -> Scope:
        """The aliases that an expression names."""
        self.evaluation.unresolved = 0
        self.evaluation.diagnostics.clear()
        scope = Scope(self.evaluation, None, {})
        tables = {
            column.args["table"].name
            for column in tree.find_all(exp.Column)
            if column.args.get("table")
        }
        if any(not column.args.get("table") for column in tree.find_all(exp.Column)):
            tables |= set(self.aliases) if len(self.aliases) == 1 else set()

        for alias in sorted(tables):
            frame = self.frame(alias)
            if frame is not None:
                scope.add(Source(alias, alias, frame))

        self.evaluation.unresolved = 0
        return scope

    def read_joined(self, tree: Any, node: Node) -> Any:
        """a.id + 1 above the Append of a UNION ALL: the plan writes its first member's expression
        for all of them
        """
        for append in appends_below(node):
            texts = self.first_texts(append)
            keys: dict[str, list[int]] = {}
            for position, text in enumerate(texts):
                keys.setdefault(
                    normal(parse_expression(as_sql(text, set(self.parameters))).expressions[0]), []
                ).append(position)

            name = f"append {id(append)}"
            self.frames.setdefault(name, self.positions(self.append_outputs(append), keys))
            tree = tree.transform(
                lambda each, keys=keys, name=name: outputs_by_position(each, keys, name)
            )

        return tree

    def positions(self, lineages: list[Lineage], keys: dict[str, list[int]]) -> Frame:
        """Return a frame with a column for each position of an Append."""
        slots = []
        for places in keys.values():
            known = [lineages[place] for place in places if place < len(lineages)]
            lineage = known[0] if len(known) == 1 else OPAQUE
            slots.append(Slot(f"c{places[0]}", f"c{places[0]}", lineage))

        return project(one_row(), slots)

    def first_texts(self, append: Node) -> list[str]:
        """Return the expressions that the first member of an Append gives."""
        first = append.inputs[0]
        while first.kind in APPENDS or (not first.output and first.inputs):
            first = first.inputs[0]

        return first.output

    # -- aliases -----------------------------------------------------------------------------------

    def frame(self, alias: str) -> Frame | None:
        """Return the frame of an alias, or None inside its own definition."""
        if alias not in self.frames:
            self.frames[alias] = None  # a circle ends here
            self.frames[alias] = self.frame_of_alias(alias)

        return self.frames[alias]

    def frame_of_alias(self, alias: str) -> Frame | None:
        """Return the frame of an alias of the plan, a subplan or a parameter."""
        if alias in self.parameters:
            node, position = self.parameters[alias]
            return frame_by_position(self.outputs(node)[position : position + 1])

        if alias.startswith("hashed ") or (alias.startswith("SubPlan ") and self.shapes.exists):
            return frame_by_position([OPAQUE])

        if alias in self.subplans and alias not in self.aliases:
            return frame_by_position(self.outputs(self.subplans[alias]))

        node = self.aliases[alias] if alias in self.aliases else self.part_of(alias)
        if node.relation:
            return self.scan_table(node, alias)

        return ALIASES.get(node.kind, Walk.untold)(self, node)

    def scan_table(self, node: Node, alias: str) -> Frame:
        """Return the frame of a table, with the column names that its alias lists.

        Seq Scan on a t, where the text says FROM a AS t(one, two)
        """
        assert node.relation
        spelling = node.relation
        frame: Frame = self.evaluation.catalog.scan(
            spelling, spelling, self.evaluation, exp.Identifier(this=alias)
        )[1]
        own = [slot.name for slot in frame.slots]
        used = self.used.get(alias, set()) - {"*"}
        names = self.shapes.columns_under_alias(alias, used, own)
        if names == own:
            return frame

        return rename(frame, [(name, name) for name in names])

    def part_of(self, alias: str) -> Node:
        """Find the node of a table that the plan scans in parts.

        people.id, where the plan scans people_1 and people_2, its heirs: one is as good as the
        other
        """
        return next(
            node
            for other, node in self.aliases.items()
            if NUMBERED.sub("", other) == alias and node.relation
        )

    def subquery_frame(self, node: Node) -> Frame:
        """Return the frame of a subquery.

        Subquery Scan on s      by the names that the text gives
        """
        inputs = node.inputs
        values = self.outputs(inputs[0]) if inputs else []
        if node.alias.startswith("*SELECT* "):
            names = list(map(self.last_name, node.output))
            return self.shape_frame(names[: len(values)], values)

        return self.by_name(node, values)

    def cte(self, node: Node) -> Frame:
        """Return the frame of a CTE."""
        plan = node.cte()
        return self.by_name(node, self.outputs(plan)) if plan is not None else self.untold(node)

    def working_table(self, node: Node) -> Frame:
        """Return the frame of a recursive CTE inside its own definition."""
        union = node.working_table()
        return (
            self.by_name(node, self.recursive.get(id(union), []))
            if union is not None
            else self.untold(node)
        )

    def by_name(self, node: Node, values: list[Lineage]) -> Frame:
        """Return the frame of an alias, with the column names that the text gives."""
        used = self.used.get(node.alias, set()) - {"*"}
        names = self.shapes.columns(node.alias, used, len(values))
        if names is None and node.said.get("CTE Name"):
            names = self.shapes.columns(str(node.said["CTE Name"]), used, len(values))

        return self.shape_frame(names, values) if names is not None else self.untold(node)

    def shape_frame(self, names: list[str], values: list[Lineage]) -> Frame:
        """Return a frame with the given names and values."""
        return project(
            one_row(), [Slot(name, name, value) for name, value in zip(names, values, strict=False)]
        )

    def function(self, node: Node) -> Frame:
        """Return the frame of a table function.

        Function Scan on unnest u      every column is made of what the call takes
        """
        call = str(node.said.get("Function Call", ""))
        if node.said.get("Schema") != "pg_catalog" or not call:
            return self.untold(node)

        taken = self.lineage(call, node)
        made: Lineage = {}
        for origin, way in taken:
            made[origin, VALUE.after.get(way) or way] = None

        return self.everywhere(node, made)

    def untold(self, node: Node) -> Frame:
        """Return the frame of a node of which the plan tells nothing."""
        return self.everywhere(node, OPAQUE)

    def everywhere(self, node: Node, lineage: Lineage) -> Frame:
        """The same for every name; a row is one more, so that t.* has it, too"""
        names = self.used.get(node.alias, set()) | {"*"}
        return project(one_row(), [Slot(name, name, lineage) for name in sorted(names)])

    # -- names -------------------------------------------------------------------------------------

    def names_used(self) -> dict[str, set[str]]:
        """Alias → the columns of it that any output names."""
        found: dict[str, set[str]] = {}
        only = next(iter(self.aliases)) if len(self.aliases) == 1 else ""
        for node in self.nodes:
            for text in node.output:
                try:
                    tree = parse_expression(as_sql(text, set(self.parameters)))
                except SqlglotError:
                    continue

                for column in tree.find_all(exp.Column):
                    found.setdefault(column.table or only, set()).add(column.name or "*")

        return found

    def last_name(self, text: str) -> str:
        """Return the column that an expression names first, or an empty text."""
        column = next(iter(parse_expression(text).find_all(exp.Column)), None)
        return column.name if column is not None else ""


PASSING = frozenset(
    ("Materialize", "Memoize", "Hash", "Sort", "Limit", "Unique", "LockRows", "Gather", "Result")
)

ALIASES = {
    "Subquery Scan": Walk.subquery_frame,
    "CTE Scan": Walk.cte,
    "WorkTable Scan": Walk.working_table,
    "Function Scan": Walk.function,
}
"""Objects other than relations have a meaning by their kind; the plan tells nothing of others."""


def frame_by_position(values: Iterable[Lineage]) -> Frame:
    """Return a frame whose columns are named by their positions.

    (SubPlan 1).col2
    """
    return project(
        one_row(), [Slot(f"col{n}", f"col{n}", value) for n, value in enumerate(values, 1)]
    )


def is_except(node: Node) -> bool:
    """Tell whether a node is the Append below an EXCEPT.

    SetOp Except over an Append, with or without a Sort between
    """
    above = node.above
    while above is not None and above.kind in ("Sort", "Incremental Sort", "Materialize"):
        above = above.above

    return (
        above is not None
        and above.kind == "SetOp"
        and str(above.said.get("Command", "")).startswith("Except")
    )


def appends_below(node: Node) -> list[Node]:
    """Return the appends whose members a node's expressions may name; an alias hides those below
    it.
    """
    found: list[Node] = []
    waiting = list(node.inputs) if not node.alias else []
    while waiting:
        each = waiting.pop()
        if each.kind in APPENDS:
            found.append(each)
        elif not each.alias:
            waiting.extend(each.inputs)

    return found


def outputs_by_position(node: Any, keys: dict[str, list[int]], name: str) -> Any:
    """An expression of the first member, by the position that it stands for."""
    if not isinstance(
        node,
        (exp.Column, exp.Paren, exp.Alias, exp.Literal, exp.Cast, exp.Null, exp.Func, exp.Binary),
    ):
        return node

    if isinstance(node, exp.Alias):
        return node

    places = keys.get(normal(node))
    if places is None or (isinstance(node.parent, exp.Paren) and normal(node.parent) in keys):
        return node

    return exp.Column(
        this=exp.to_identifier(f"c{places[0]}"), table=exp.to_identifier(name, quoted=True)
    )
