"""One analyzed plan: its frame, its sink, and the extraction that comes out of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from lineal.algebra.edges import name as name_dataset
from lineal.algebra.frame import Frame
from lineal.algebra.functions import with_meaning
from lineal.algebra.lineage import NOTHING, Lineage
from lineal.algebra.relation import rename, take_row
from lineal.extract.catalyst.commands import commands_in, sink_of
from lineal.extract.catalyst.expressions import Scope, class_function_name
from lineal.extract.catalyst.operators import CHANGES, frame_of, refer_to_outputs
from lineal.extract.catalyst.sink import Sink
from lineal.extract.catalyst.tree import (
    Node,
    expression_id,
    leaf_outputs,
    read_tree,
    table_identifier,
)
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Calls, Column, Dataset, Read
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.ledger import Columns, Coverage, Files, Statements
from lineal.model.paths import is_path, path_name, places
from lineal.model.script import Meaning
from lineal.model.sequences import flatten
from lineal.model.way import Clause, Confidence

SESSION_CATALOG = "spark_catalog"
MOST_CALLS = 32
"""So many calls around a column are listed."""


class Names:
    """How the engine's identifiers become dataset names: the session's own catalog and database
    are left out.
    """

    def __init__(
        self,
        namespace: str = "",
        database: str = "default",
        views: frozenset[str] = frozenset(),
        meanings: Iterable[Meaning] = (),
        datasets: Mapping[str, str] | None = None,
    ) -> None:
        """Keep how tables of a plan map to datasets; `datasets` holds those with another name."""
        self.namespace = namespace
        self.datasets = {table.lower(): name for table, name in (datasets or {}).items()}
        """tables that are named differently from their datasets"""
        self.database = database
        self.views = views
        """temporary views that stand for datasets; every other one is composed away"""
        self.own_functions = {
            each.name.rpartition(".")[2].lower(): with_meaning(each, None) for each in meanings
        }
        """the project's rows for functions, by their names"""

    def dataset_name(self, parts: list[str]) -> str:
        """spark_catalog.default.t      t; delta.`/lake/orders`: the path"""
        if is_path(parts[-1]) and (len(parts) == 1 or "/" in parts[-1]):
            return path_name(parts[-1])

        if len(parts) == 3 and parts[0] == SESSION_CATALOG:
            parts = parts[1:]

        if len(parts) == 2 and parts[0] == self.database:
            parts = parts[1:]

        name = ".".join(parts)
        return self.datasets.get(name.lower(), name)


class Origin(NamedTuple):
    """df.checkpoint()      what the rows of an RDD were made from"""

    frame: Frame
    plan: Plan
    rdd: int = -1
    """the number of that RDD; threads that make RDDs side by side may have pushed it up"""

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of its columns."""
        return tuple(slot.key for slot in self.frame.slots)


class Origins:
    """Those that are known: by the number of their RDD, and by the ids of their columns.

    A join with the same frame makes the ids again, and a filter leaves them as they are.
    """

    def __init__(self, around: Origins | None = None) -> None:
        """Start without origins; those of `around` are found as well."""
        self._around = around
        self._by_rdd: dict[int, Origin] = {}
        self._by_ids: dict[tuple[str, ...], list[Origin]] = {}

    def add(self, origin: Origin) -> None:
        """A checkpoint, or once more the memory of a stream that goes on."""
        self._by_rdd[origin.rdd] = origin
        if origin.rdd >= 0:
            self._by_ids.setdefault(origin.ids, []).append(origin)

    def find(self, rdd: int, ids: tuple[str, ...]) -> Origin | None:
        """Find what the rows of an RDD were made from, by its number, else by its columns."""
        numbered = self._with_number(rdd)
        if numbered is not None and len(numbered.frame.slots) == len(ids):
            return numbered

        before = [origin for origin in self._with_ids(ids) if origin.rdd < rdd]
        return max(before, key=lambda origin: origin.rdd, default=None)

    def _with_number(self, rdd: int) -> Origin | None:
        """Return the origin of an RDD, here or around."""
        origin = self._by_rdd.get(rdd)
        if origin is None and self._around is not None:
            return self._around._with_number(rdd)

        return origin

    def _with_ids(self, ids: tuple[str, ...]) -> list[Origin]:
        """Return the origins whose columns have these expression ids, the outer ones first."""
        own = self._by_ids.get(ids, [])
        if self._around is None:
            return own

        return [*self._around._with_ids(ids), *own]


class Variable(NamedTuple):
    """SET VAR v = (SELECT max(a) FROM t)      what v was made from, wherever it is used"""

    lineage: Lineage
    plan: Plan


Variables = Mapping[str, Variable]


class Plan:
    """The state of the walk over one plan."""

    def __init__(
        self, names: Names, origins: Origins | None = None, variables: Variables | None = None
    ) -> None:
        """Start reading a plan: nothing of it has been evaluated."""
        self.names = names
        self.origins = origins or Origins()
        self.variables = variables or {}
        self.frames_of_rdds: dict[int, Frame] = {}
        """the known columns of RDDs, by their number: in a join with itself a frame has new ids on one
        side
        """
        self.ctes: dict[int, Frame] = {}
        self.loops: dict[int, Frame] = {}
        self.grouping: dict[str, list[Lineage]] = {}
        self.items: dict[str, Node] = {}
        """the arrays whose items the variables of lambdas are, by the id of the variable"""
        self.diagnostics: list[Diagnostic] = []
        self.columns_read: dict[tuple[Column, Clause], None] = {}
        self.datasets_read: dict[Dataset, None] = {}
        self.schemas: dict[Dataset, list[ColumnInfo]] = {}
        """the columns of the input, where the plan says them with their types"""
        self.read_together: dict[Dataset, list[Dataset]] = {}
        """read.parquet(a, b, c)      b and c, which are read wherever a is"""

    def dataset(self, name: str) -> Dataset:
        """The dataset of a name, in the namespace of this plan."""
        return Dataset(self.names.namespace, name)

    def read(self, column: Column, clause: Clause) -> None:
        """Note that a clause reads a column, of each of the datasets that are read together."""
        self.columns_read[column, clause] = None
        for beside in self.read_together.get(column.dataset, ()):
            self.columns_read[column._replace(dataset=beside), clause] = None

    def note_dataset(self, dataset: Dataset, node: Node | None = None) -> None:
        """A leaf of the plan, whose node says what columns it has."""
        self.datasets_read[dataset] = None
        if node is not None:
            names = list(map(own_name, leaf_outputs(node)))
            self.note_schema(dataset, names, node.args.get("types"))

    def note_schema(self, dataset: Dataset, names: Sequence[str | None], types: Any) -> None:
        """Note the columns of a dataset, in the order of its types.

        What only the engine knows of a row is none of them.
        """
        if not isinstance(types, list) or len(types) != len(names):
            return

        if not names or dataset in self.schemas:
            return

        self.schemas[dataset] = [
            ColumnInfo(name, str(kind))
            for name, kind in zip(names, types, strict=True)
            if name is not None and name not in CHANGES
        ]

    def info_of(self, dataset: Dataset) -> DatasetInfo:
        """A dataset that is read, with its columns where the plan says their types."""
        columns = self.schemas.get(dataset)
        return DatasetInfo(dataset, "table", columns or [], complete=columns is not None)

    def frame_of_rdd(self, node: Node) -> Frame | None:
        """The frame of an RDD that a checkpoint or a stream has made; None if it is not known."""
        outputs = node.trees("output")
        number = int(node.args.get("rddId", 0))
        if number not in self.frames_of_rdds:
            origin = self.origins.find(
                number, tuple(expression_id(output.args) for output in outputs)
            )
            if origin is None:
                return None

            self.frames_of_rdds[number] = origin.frame
            self.note_reads_of(origin.plan)

        return refer_to_outputs(self.frames_of_rdds[number], outputs)

    def variable_lineage(self, name: str) -> Lineage:
        """Return the lineage of a session variable; empty if it was not seen, or is a constant."""
        variable = self.variables.get(name.lower())
        if variable is None:
            return NOTHING

        self.note_reads_of(variable.plan)
        return variable.lineage

    def note_reads_of(self, other: Plan) -> None:
        """Take over the reads of another plan: of a checkpoint, or of a variable's query."""
        self.columns_read.update(other.columns_read)
        self.datasets_read.update(other.datasets_read)
        self.schemas = {**other.schemas, **self.schemas}
        self.diagnostics += [each for each in other.diagnostics if each not in self.diagnostics]

    def report(self, code: Code, message: str) -> None:
        """Add a diagnostic, which has no place: a plan has no text."""
        self.diagnostics.append(Diagnostic(code, message))

    def frames_of(self, node: Node, scope: Scope) -> list[Frame]:
        """The plans inside a subquery expression, seen from the query around."""
        return [frame_of(tree, scope, self) for tree in node.trees("plan")]

    def leaf_name(self, node: Node) -> str | None:
        """The name of a leaf, the first one if it reads several paths."""
        return next(iter(self.leaf_names(node)), None)

    def leaf_names(self, node: Node) -> list[str]:
        """The name of a leaf: its table's identifier, else what the engine says of it (a JDBC
        table, paths).
        """
        identifier = table_identifier(node.args.get("catalogTable") or node.args.get("tableMeta"))
        if identifier:
            return [self.names.dataset_name(identifier)]

        name = node.note.get("name")
        if not name:
            return []

        if is_path(name[0]):
            return places(list(dict.fromkeys(map(path_name, name))))

        return [self.names.dataset_name(name)]

    def view_name(self, node: Node) -> str | None:
        """The name of a view that is a dataset of its own; None for one that is composed away."""
        identifier = table_identifier(node.args.get("desc"))
        if not identifier:
            return None

        name = self.names.dataset_name(identifier)
        is_temporary = bool(node.args.get("isTempView")) or len(identifier) == 1
        if is_temporary and name.lower() not in self.names.views:
            return None

        return name


def own_name(output: Node) -> str | None:
    """The name of a leaf's column; None for what only the engine knows of a row."""
    if output.args.get("pseudo"):
        return None

    return str(output.args["name"])


class PlanReading:
    """A plan is exact, and has no text to point into."""

    level = Confidence.EXACT

    def place(self, trail: Any) -> Place | None:
        """No place: a plan has no text."""
        return None

    def expression(self, trail: Any) -> str:
        """No text either."""
        return ""

    def calls(self, trail: Any) -> Calls:
        """The functions around a column, outermost first, by the names of the function table."""
        names: list[str] = []
        while trail is not None and len(names) < MOST_CALLS:
            _, calls, inner, _ = trail
            here: list[str] = []
            while calls is not None:
                call, calls = calls
                here.append(class_function_name(call.name))

            names.extend(reversed(here))
            trail = inner

        return tuple(filter(None, names))

    def report_failure(self, error: Exception, trail: Any) -> None:
        """Let an error out: a plan is small enough to fail as a whole."""
        raise error


def variables_in(
    text: str, names: Names, origins: Origins, known: Variables
) -> dict[str, Variable]:
    """SET VAR (v, w) = (SELECT max(a), b FROM t WHERE c)

    v from a, w from b, both by c; DECLARE: nothing
    """
    plan = Plan(names, origins, known)
    root = read_tree(text)
    if root.name == "CreateVariable":
        declared = [str(name) for child in root.children for name in child.note.get("name", ())]
        return {name.lower(): Variable(NOTHING, plan) for name in declared}

    frame = frame_of(root.children[0], None, plan)
    targets = [str(target.args["variable"]).lower() for target in root.trees("targetVariables")]
    fields = take_row(frame).slots
    return {name: Variable(slot.lineage, plan) for name, slot in zip(targets, fields, strict=True)}


def origin_of_plan(
    text: str, names: Names, origins: Origins, rdd: int, variables: Variables | None = None
) -> Origin:
    """Return the frame of a plan, for operators that use its rows and have lost its plan."""
    plan = Plan(names, origins, variables)
    return Origin(read_sink(read_tree(text), "", plan).frame, plan, rdd)


def extract(
    text: str,
    target: str = "query",
    names: Names | None = None,
    origins: Origins | None = None,
    variables: Variables | None = None,
) -> Extraction:
    """The lineage of a plan's JSON: of the dataset that its command writes, else of `target`.

    Spark's own `toJSON` is read, too; as it does not tell which casts the user wrote, all of them
    count.
    """
    parts: list[Extraction] = []
    for command in commands_in(read_tree(text)):
        plan = Plan(names or Names(), origins, variables)
        parts.append(extraction_of(read_sink(command, target, plan), plan))

    if len(parts) == 1:
        return parts[0]

    return unite_extractions(parts)


def read_sink(root: Node, target: str, plan: Plan) -> Sink:
    """Read what a command writes; a query alone is written to `target`."""
    sink = sink_of(root, plan)
    if sink is None:
        return Sink(target, "query", frame_of(root, None, plan))

    return sink


def unite_extractions(parts: list[Extraction]) -> Extraction:
    """FROM s INSERT INTO a … INSERT INTO b …

    one statement, and what each of its commands writes
    """
    datasets: dict[Dataset, DatasetInfo] = {}
    for part in parts:
        datasets = {**part.datasets, **datasets}

    return Extraction(
        edges=flatten(part.edges for part in parts),
        reads=flatten(part.reads for part in parts),
        datasets=datasets,
        diagnostics=flatten(part.diagnostics for part in parts),
        coverage=coverage_of(sum(part.coverage.columns.named for part in parts)),
    )


def extraction_of(sink: Sink, plan: Plan) -> Extraction:
    """The edges into a sink, and what the plan reads for it."""
    frame = sink.frame
    if sink.columns:
        frame = rename(frame, [(name, name) for name in sink.columns])

    target = plan.dataset(sink.name)
    columns = [ColumnInfo(slot.name) for slot in frame.slots]
    datasets = {target: DatasetInfo(target, sink.kind, columns, complete=True)}
    for dataset in plan.datasets_read:
        datasets.setdefault(dataset, plan.info_of(dataset))

    reads = [Read(target, dataset, None, Clause.FROM, None) for dataset in plan.datasets_read]
    reads += [
        Read(target, column.dataset, column.name, clause, None)
        for column, clause in plan.columns_read
    ]
    return Extraction(
        edges=name_dataset(frame, target, PlanReading()),
        reads=reads,
        datasets=datasets,
        diagnostics=plan.diagnostics,
        coverage=coverage_of(len(plan.columns_read)),
    )


def coverage_of(columns: int) -> Coverage:
    """Return the ledger of one plan, which names so many columns: Spark has resolved all of them."""
    return Coverage(Files(1), Statements(1), Columns(columns))
