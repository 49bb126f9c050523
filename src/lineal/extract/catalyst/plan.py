"""One analysed plan: its frame, its sink, and the extraction that comes out of them."""

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
from lineal.extract.catalyst.tree import Node, expression_id, read_tree, table_identifier
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.edge import Calls, Column, Dataset, Read
from lineal.model.extraction import ColumnInfo, Coverage, DatasetInfo, Extraction
from lineal.model.paths import is_path, path_name, places
from lineal.model.script import Meaning
from lineal.model.way import Clause, Confidence

SESSION_CATALOG = "spark_catalog"


class Names:
    """How the engine's identifiers become dataset names: the session's own catalogue and database
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
        self.namespace = namespace
        self.datasets = {table.lower(): name for table, name in (datasets or {}).items()}
        """tables that are called otherwise than the datasets that they are"""
        self.database = database
        self.views = views
        """temporary views that stand for datasets; every other one is composed away"""
        self.own_functions = {
            each.name.rpartition(".")[2].lower(): with_meaning(each, None) for each in meanings
        }
        """what the project says of functions, by their names"""

    def dataset_name(self, parts: list[str]) -> str:
        if is_path(parts[-1]) and (len(parts) == 1 or "/" in parts[-1]):  # delta.`/lake/orders`
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
        return tuple(slot.key for slot in self.frame.slots)


class Origins:
    """Those that are known: by the number of their RDD, and by the ids of their columns, which a
    join with the same
    frame makes anew, and a filter leaves as they are."""

    def __init__(self, around: Origins | None = None) -> None:
        self._around = around
        self._by_rdd: dict[int, Origin] = {}
        self._by_ids: dict[tuple[str, ...], list[Origin]] = {}

    def add(self, origin: Origin) -> None:
        """A checkpoint, or once more the memory of a stream that goes on."""
        self._by_rdd[origin.rdd] = origin
        if origin.rdd >= 0:
            self._by_ids.setdefault(origin.ids, []).append(origin)

    def find(self, rdd: int, ids: tuple[str, ...]) -> Origin | None:
        found = self._with_number(rdd)
        if found is not None and len(found.frame.slots) == len(ids):
            return found
        before = [origin for origin in self._with_ids(ids) if origin.rdd < rdd]
        return max(before, key=lambda origin: origin.rdd, default=None)

    def _with_number(self, rdd: int) -> Origin | None:
        found = self._by_rdd.get(rdd)
        return (
            self._around._with_number(rdd) if found is None and self._around is not None else found
        )

    def _with_ids(self, ids: tuple[str, ...]) -> list[Origin]:
        around = self._around._with_ids(ids) if self._around is not None else []
        return [*around, *self._by_ids.get(ids, ())]


class Variable(NamedTuple):
    """SET VAR v = (SELECT max(a) FROM t)      what v was made from, wherever it is used"""

    lineage: Lineage
    plan: Plan


Variables = Mapping[str, Variable]


class Plan:
    """What the walk over one plan carries."""

    def __init__(
        self, names: Names, origins: Origins | None = None, variables: Variables | None = None
    ) -> None:
        self.names = names
        self.origins = origins or Origins()
        self.variables = variables or {}
        self.held: dict[int, Frame] = {}
        """what is known of RDDs, by their number: in a join with itself a frame has new ids on one
        side
        """
        self.ctes: dict[Any, Frame] = {}
        self.loops: dict[Any, Frame] = {}
        self.grouping: dict[str, list[Any]] = {}
        self.diagnostics: list[Diagnostic] = []
        self.columns_read: dict[tuple[Column, Clause], None] = {}
        self.datasets_read: dict[Dataset, None] = {}
        self.schemas: dict[Dataset, list[ColumnInfo]] = {}
        """the columns of what is read, where the plan says them with their types"""
        self.together: dict[Dataset, list[Dataset]] = {}
        """read.parquet(a, b, c)      b and c, which are read wherever a is"""

    def dataset(self, name: str) -> Dataset:
        return Dataset(self.names.namespace, name)

    def read(self, column: Column, clause: Clause) -> None:
        self.columns_read[column, clause] = None
        for beside in self.together.get(column.dataset, ()):
            self.columns_read[column._replace(dataset=beside), clause] = None

    def reads_dataset(self, dataset: Dataset, node: Node | None = None) -> None:
        """A leaf of the plan, whose node says what columns it has."""
        self.datasets_read[dataset] = None
        if node is not None:
            outputs = node.trees("output") or [
                *node.trees("dataCols"),
                *node.trees("partitionCols"),
            ]
            names = [
                None if each.args.get("pseudo") else str(each.args["name"]) for each in outputs
            ]
            self.knows(dataset, names, node.args.get("types"))

    def knows(self, dataset: Dataset, names: Sequence[str | None], types: Any) -> None:
        """The columns of a dataset, in the order of its types; what only the engine knows of a row
        is none.
        """
        if (
            isinstance(types, list)
            and len(types) == len(names)
            and names
            and dataset not in self.schemas
        ):
            own = [
                (name, str(kind))
                for name, kind in zip(names, types, strict=True)
                if name is not None
            ]
            self.schemas[dataset] = [
                ColumnInfo(name, kind) for name, kind in own if name not in CHANGES
            ]

    def from_origin(self, node: Node) -> Frame | None:
        """The frame of an RDD that a checkpoint or a stream has made; None if it is not known."""
        outputs = node.trees("output")
        number = int(node.args.get("rddId", 0))
        if number not in self.held:
            origin = self.origins.find(
                number, tuple(expression_id(output.args) for output in outputs)
            )
            if origin is None:
                return None
            self.held[number] = origin.frame
            self.reads_what(origin.plan)
        return refer_to_outputs(self.held[number], outputs)

    def variable_lineage(self, name: str) -> Lineage:
        """What a session's variable was made from; nothing if that was not seen, or is a constant."""
        found = self.variables.get(name.lower())
        if found is None:
            return NOTHING
        self.reads_what(found.plan)
        return found.lineage

    def reads_what(self, other: Plan) -> None:
        """What was read elsewhere is read here: by a checkpoint, for a variable."""
        self.columns_read.update(other.columns_read)
        self.datasets_read.update(other.datasets_read)
        self.schemas = {**other.schemas, **self.schemas}
        self.diagnostics += [each for each in other.diagnostics if each not in self.diagnostics]

    def report(self, code: Code, message: str) -> None:
        self.diagnostics.append(Diagnostic(code, message))

    def frames_of(self, node: Node, scope: Scope) -> list[Frame]:
        """The plans inside a subquery expression, seen from the query around."""
        return [frame_of(tree, scope, self) for tree in node.trees("plan")]

    def leaf_name(self, node: Node) -> str | None:
        return next(iter(self.leaf_names(node)), None)

    def leaf_names(self, node: Node) -> list[str]:
        """The name of a leaf: its table's identifier, else what the engine says of it (a JDBC
        table, paths).
        """
        identifier = table_identifier(node.args.get("catalogTable") or node.args.get("tableMeta"))
        if identifier:
            return [self.names.dataset_name(identifier)]
        name = node.note.get("name") or []
        if name and is_path(name[0]):
            return places(list(dict.fromkeys(path_name(each) for each in name)))
        return [self.names.dataset_name(name)] if name else []

    def view_name(self, node: Node) -> str | None:
        description = node.args.get("desc")
        identifier = table_identifier(description)
        if not identifier:
            return None
        name = self.names.dataset_name(identifier)
        temporary = bool(node.args.get("isTempView")) or len(identifier) == 1
        return name if not temporary or name.lower() in self.names.views else None


class PlanReading:
    """A plan is exact, and has no text to point into."""

    level = Confidence.EXACT

    def place(self, trail: Any) -> Place | None:
        return None

    def expression(self, trail: Any) -> str:
        return ""

    def calls(self, trail: Any) -> Calls:
        names: list[str] = []
        while trail is not None and len(names) < 32:
            _, calls, inner, _ = trail
            here: list[str] = []
            while calls is not None:
                call, calls = calls
                here.append(class_function_name(call.name))
            names.extend(reversed(here))
            trail = inner
        return tuple(name for name in names if name)

    def failed(self, error: Exception, trail: Any) -> None:
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
    """What a plan makes, for those that go on with its rows and have lost its plan."""
    plan = Plan(names, origins, variables)
    root = read_tree(text)
    sink = sink_of(root, plan)
    return Origin(sink.frame if sink is not None else frame_of(root, None, plan), plan, rdd)


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
    found = [
        extracted(command, target, Plan(names or Names(), origins, variables))
        for command in commands_in(read_tree(text))
    ]
    return found[0] if len(found) == 1 else together(found)


def extracted(root: Node, target: str, plan: Plan) -> Extraction:
    sink = sink_of(root, plan)
    if sink is None:
        sink = Sink(target, "query", frame_of(root, None, plan))
    return extraction_of(sink, plan)


def together(parts: list[Extraction]) -> Extraction:
    """FROM s INSERT INTO a … INSERT INTO b …

    one statement, and what each of its commands writes
    """
    datasets: dict[Dataset, DatasetInfo] = {}
    for part in parts:
        datasets = {**part.datasets, **datasets}
    return Extraction(
        edges=[edge for part in parts for edge in part.edges],
        reads=[read for part in parts for read in part.reads],
        datasets=datasets,
        diagnostics=[diagnostic for part in parts for diagnostic in part.diagnostics],
        coverage=Coverage(
            read=1, parsed=1, resolved=1, references=sum(part.coverage.references for part in parts)
        ),
    )


def extraction_of(sink: Sink, plan: Plan) -> Extraction:
    frame = sink.frame
    if sink.columns:
        frame = rename(frame, [(name, name) for name in sink.columns])
    target = plan.dataset(sink.name)
    reading = PlanReading()
    info = DatasetInfo(
        target, sink.kind, [ColumnInfo(slot.name) for slot in frame.slots], complete=True
    )
    datasets = {target: info}
    for dataset in plan.datasets_read:
        columns = plan.schemas.get(dataset)
        datasets.setdefault(
            dataset, DatasetInfo(dataset, "table", columns or [], complete=columns is not None)
        )
    reads = [Read(target, dataset, None, Clause.FROM, None) for dataset in plan.datasets_read]
    reads += [
        Read(target, column.dataset, column.name, clause, None)
        for column, clause in plan.columns_read
    ]
    return Extraction(
        edges=name_dataset(frame, target, reading),
        reads=reads,
        datasets=datasets,
        diagnostics=plan.diagnostics,
        coverage=Coverage(read=1, parsed=1, resolved=1, references=len(plan.columns_read)),
    )
