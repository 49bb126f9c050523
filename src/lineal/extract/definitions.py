"""Definitions: a name is resolved by evaluating its definition first, whatever order the statements came in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

from lineal.algebra.frame import NOTHING, Frame, Scan, Slot, edges_of, renamed, slot_at
from lineal.extract.sql.dialects import Facts, facts_of
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.parse import deep, parse, uncollected
from lineal.extract.sql.query import query, with_
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.scope import Scope, Source
from lineal.extract.sql.statements import Plan, Unsupported, plan_of
from lineal.model.diagnostic import Code, Diagnostic, Place, order_of
from lineal.model.edge import Column, Dataset, Doubt, Edge, Read, Usage
from lineal.model.extraction import ColumnInfo, Coverage, DatasetInfo, Extraction
from lineal.model.names import Fold
from lineal.model.script import Corpus, Function, Script
from lineal.model.way import IDENTITY, Clause, Confidence, Way

DEEPEST_DIRECT = 40
"""A definition evaluates what it reads by a call, down to here; a longer chain goes through a work list."""


SLIPS = (AttributeError, TypeError, KeyError, IndexError, ValueError, AssertionError)
"""A shape of tree that nobody has thought of: it costs one statement its result, never the others theirs."""


def extract(corpus: Corpus) -> Extraction:
    """All lineage of a corpus."""
    return Definitions(corpus).extract()


class Pending(Exception):
    """The chain of definitions is too long for calls: evaluate this one first."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry


class Definition:
    """One statement that writes a dataset."""

    __slots__ = ("evaluation", "facts", "frame", "parameters", "plan", "reading", "target")

    def __init__(
        self, plan: Plan, reading: Reading, facts: Facts, target: Dataset, parameters: tuple[str, ...] = ()
    ) -> None:
        self.plan = plan
        self.reading = reading
        self.facts = facts
        self.target = target
        self.parameters = parameters
        self.frame: Frame | None = None
        self.evaluation: Evaluation | None = None


class Entry:
    """A name with the statements that define it, and its scan once they are evaluated."""

    __slots__ = ("active", "broken", "dataset", "declared", "definitions", "kind", "scanned")

    def __init__(self, dataset: Dataset, kind: str) -> None:
        self.dataset = dataset
        self.kind = kind
        self.definitions: list[Definition] = []
        self.declared: DatasetInfo | None = None
        self.scanned: Frame | None = None
        self.active = False
        self.broken = False

    @property
    def defining(self) -> list[Definition]:
        """The statements that decide the schema: an INSERT only where nothing else does."""
        deciding = [definition for definition in self.definitions if definition.plan.defines]
        if deciding or (self.declared is not None and self.declared.complete):
            return deciding
        return self.definitions


class Definitions:
    """Every name of a corpus, evaluated on first use and remembered."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self.facts = facts_of(corpus.dialect)
        self.entries: dict[str, Entry] = {}
        self.declared: dict[str, DatasetInfo] = {}
        self.declared_so: dict[str, str] = {}
        self.spellings: dict[str, str] = {}
        self.order: list[Definition] = []
        self.functions: dict[str, Function] = {}
        self.bodies: dict[str, Any] = {}
        self.diagnostics: list[Diagnostic] = list(corpus.diagnostics)
        self.coverage = Coverage()
        self.evidence: dict[tuple[Dataset, str], int] | None = None
        self.learnt: dict[Dataset, dict[str, str]] | None = None
        self.depth = 0

    def extract(self) -> Extraction:
        with deep(), uncollected():
            self.gather_definitions()
            self.evaluate_all(self.order)
            self.decide()
            return self.extraction()

    # -- what there is -----------------------------------------------------------------------------------------

    def gather_definitions(self) -> None:
        for info in self.corpus.datasets:
            self.declare(info)
        for function in self.corpus.functions:
            self.add_function(function)
        for script in self.corpus.scripts:
            self.add_script(script)

    def entry(self, key: str, spelling: str, kind: str) -> Entry:
        found = self.entries.get(key)
        if found is None:
            if key not in self.declared and spelling in self.declared_so:
                return self.entry(self.declared_so[spelling], spelling, kind)
            info = self.declared.pop(key, None)
            if info is not None:
                spelling, kind = info.dataset.name, info.kind
            display = spelling if self.spellings.setdefault(spelling, key) == key else f'"{spelling}"'
            found = self.entries[key] = Entry(Dataset(self.corpus.namespace, display), kind)
            found.declared = info
        return found

    def declare(self, info: DatasetInfo) -> None:
        """A schema from YAML, a mapping, a seed: what is declared for a name; kept aside until the name is met."""
        name = info.dataset.name
        key = self.facts.table_keys[name] if "." not in name else table_key(name, self.facts.fold_table)
        held = self.declared.get(key)
        if held is None or info.complete:
            self.declared[key] = info
            self.declared_so[name] = key

    def add_function(self, function: Function) -> None:
        self.functions[function.name.lower()] = function
        if not function.table:
            return
        reading = Reading(function.body)
        trees = self.parsed(reading)
        key = table_key(function.name, self.facts.fold_table)
        entry = self.entry(key, function.name, "function")
        entry.kind = "function"
        columns = [(info.name, self.facts.fold(info.name, False)) for info in function.columns]
        for tree in trees[:1]:
            plan = Plan(function.name, key, "function", query=tree, columns=columns, node=tree)
            self.add(Definition(plan, reading, self.facts, entry.dataset, function.parameters), entry)

    def add_script(self, script: Script) -> None:
        reading = Reading(script)
        facts = facts_of(script.dialect)
        bare = 0
        for tree in self.parsed(reading):
            try:
                plan = plan_of(tree, facts)
            except SLIPS as error:
                self.report(slipped(error, place_of_statement(reading, tree)))
                continue
            if plan is None:
                self.coverage.resolved += 1
                continue
            if plan is Unsupported or not isinstance(plan, Plan):
                self.report(untraced(tree, reading))
                continue
            if not plan.name:
                bare += 1
                self.name_bare(plan, reading, tree, bare, facts)
            entry = self.entry(plan.key, plan.name, plan.kind)
            if plan.schema is not None:
                info = DatasetInfo(entry.dataset, plan.kind, plan.schema, complete=bool(plan.schema))
                if entry.declared is None or not entry.declared.complete:
                    entry.declared = info
                self.coverage.resolved += 1
                continue
            if entry.declared is None:
                entry.kind = plan.kind
            self.add(Definition(plan, reading, facts, entry.dataset), entry)

    def parsed(self, reading: Reading) -> list[Any]:
        trees, statements, diagnostics = parse(reading)
        self.coverage.read += statements
        self.coverage.parsed += len(trees)
        self.diagnostics.extend(diagnostics)
        return trees

    def name_bare(self, plan: Plan, reading: Reading, tree: Any, number: int, facts: Facts) -> None:
        """SELECT …: named after its model, its file, or its text."""
        script = reading.script
        name = script.target or file_stem(script.file)
        if not name:
            plan.name = f"query_{text_hash(reading, tree)}"
        else:
            plan.name = name if number == 1 else f"{name}_{number}"
        plan.kind = script.kind
        plan.key = table_key(plan.name, facts.fold_table)

    def add(self, definition: Definition, entry: Entry) -> None:
        others = {d.reading.script.file for d in entry.definitions if d.plan.defines}
        here = definition.reading.script.file
        if definition.plan.defines and others and here not in others:
            message = f"'{entry.dataset}' is defined in {', '.join(sorted(others))} too"
            at = place_of_statement(definition.reading, definition.plan.node)
            self.report(Diagnostic(Code.DUPLICATE_DEFINITION, message, at))
        entry.definitions.append(definition)
        self.order.append(definition)

    def report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)

    # -- evaluation --------------------------------------------------------------------------------------------

    def evaluate_all(self, definitions: Iterable[Definition]) -> None:
        for definition in definitions:
            if definition.frame is None:
                self.settle(self.entries[definition.plan.key], definition)

    def settle(self, entry: Entry, definition: Definition) -> None:
        """Evaluate a definition; what it reads through a long chain goes first, by a work list."""
        waiting: list[Entry] = []
        while definition.frame is None:
            try:
                if waiting:
                    self.schema(waiting[-1])
                    waiting.pop()
                else:
                    self.evaluate(definition, entry)
            except Pending as pending:
                if pending.entry in waiting:
                    self.cyclic(pending.entry, definition)
                    pending.entry.broken = True
                else:
                    waiting.append(pending.entry)

    def evaluate(self, definition: Definition, entry: Entry) -> Frame:
        plan = definition.plan
        if not plan.defines and any(other.plan.defines for other in entry.definitions):
            self.schema(entry)
        evaluation = Evaluation(self, definition.reading, definition.facts, definition.target)
        was_active, entry.active = entry.active, True
        self.depth += 1
        try:
            frame = self.frame_of(definition, evaluation)
        except RecursionError:
            at = place_of_statement(definition.reading, plan.node)
            evaluation.diagnostics = [Diagnostic(Code.TOO_DEEP, "the statement nests too deeply", at)]
            frame = Frame([], NOTHING)
        except SLIPS as error:
            at = place_of_statement(definition.reading, plan.node)
            evaluation.diagnostics = [slipped(error, at)]
            frame = Frame([], NOTHING)
        finally:
            self.depth -= 1
            entry.active = was_active
        definition.frame = frame
        definition.evaluation = evaluation
        return frame

    def frame_of(self, definition: Definition, evaluation: Evaluation) -> Frame:
        plan = definition.plan
        parent = parameter_scope(definition.parameters, evaluation) if definition.parameters else None
        ctes = with_(plan.with_, parent, {}, evaluation) if plan.with_ is not None else {}
        if plan.made is not None:
            return plan.made(evaluation, ctes)
        frame = query(plan.query, parent, ctes, evaluation)
        columns = plan.columns or (self.target_columns(definition) if plan.positional else [])
        if plan.partition is not None:
            columns = plan.partition.arranged(columns, frame)
        if columns:
            frame = self.listed(frame, columns, definition, evaluation)
        if plan.partition is not None:
            frame = Frame([*frame.slots, *(Slot(*named, {}) for named in plan.partition.given)], frame.rows)
        return plan.after(frame, evaluation, ctes) if plan.after is not None else frame

    def listed(
        self, frame: Frame, columns: list[tuple[str, str]], definition: Definition, evaluation: Evaluation
    ) -> Frame:
        """CREATE VIEW v (a, b) AS …, INSERT INTO t (a, b) …      by position"""
        if frame.complete and len(columns) != len(frame.slots) and definition.plan.node is not None:
            message = f"{len(columns)} columns are named, the query has {len(frame.slots)}"
            evaluation.report(Code.COLUMN_COUNT, message, definition.plan.node)
        return renamed(frame, columns)

    def target_columns(self, definition: Definition) -> list[tuple[str, str]]:
        """INSERT INTO t SELECT …      the target's schema, where it is known and complete"""
        entry = self.entries[definition.plan.key]
        if any(other.plan.defines for other in entry.definitions):
            frame = self.schema(entry)
        elif entry.declared is not None and entry.declared.complete:
            frame = self.declared_frame(entry)
        else:
            return []
        return [(slot.name, slot.key) for slot in frame.slots] if frame.complete else []

    def scan(self, key: str, spelling: str, evaluation: Evaluation, node: Any) -> tuple[Dataset, Frame]:
        entry = self.entry(key, spelling, "table")
        if entry.scanned is None:
            if entry.active:
                if evaluation.target == entry.dataset:
                    return entry.dataset, self.former_state(entry)
                self.cyclic(entry, None, evaluation, node)
                return entry.dataset, self.declared_frame(entry)
            if entry.broken:
                return entry.dataset, self.declared_frame(entry)
            if self.depth >= DEEPEST_DIRECT and any(d.frame is None for d in entry.defining):
                raise Pending(entry)
        return entry.dataset, self.schema(entry)

    def schema(self, entry: Entry) -> Frame:
        """The scan of a dataset: its definition's columns, else the declared ones, else an open star."""
        if entry.scanned is None:
            defining = entry.defining
            for definition in defining:
                if definition.frame is None:
                    self.evaluate(definition, entry)
            if not defining:
                entry.scanned = self.declared_frame(entry)
            else:
                entry.scanned = self.defined_frame(entry, defining)
        return entry.scanned

    def former_state(self, entry: Entry) -> Frame:
        """SELECT … FROM {{ this }}      what the name was before: as its other statements made it, else as declared"""
        made = [definition for definition in entry.defining if definition.frame is not None]
        if made:
            return self.defined_frame(entry, made)
        declared = self.declared_frame(entry)
        if entry.declared is None or entry.declared.complete or not entry.declared.names:
            return declared
        return Scan(entry.dataset, [(slot.name, slot.key) for slot in declared.slots if slot.star is None], True)

    def declared_frame(self, entry: Entry) -> Frame:
        """What is declared for a name."""
        info, keys = entry.declared, self.facts.keys
        names = info.names if info is not None else []
        return Scan(entry.dataset, [(name, keys[name]) for name in names], info is not None and info.complete)

    def column_type(self, dataset: Dataset, name: str) -> str:
        """The type of a column as it was declared, also of one that views pass on as it is."""
        fold = self.facts.fold
        for _ in range(DEEPEST_DIRECT):
            entry = self.entries.get(table_key(dataset.name, self.facts.fold_table))
            if entry is None:
                return ""
            frames = [definition.frame for definition in entry.defining if definition.frame is not None]
            if not frames:
                declared = entry.declared.columns if entry.declared is not None else []
                return next((info.type for info in declared if fold(info.name, False) == fold(name, False)), "")
            slot = slot_at(frames[0].index, fold(name, False))
            origins = list(slot.lineage) if slot is not None else []
            if len(origins) != 1 or origins[0][1] is not IDENTITY or origins[0][0].path:
                return ""
            dataset, name = origins[0][0].dataset, origins[0][0].name
        return ""

    def row_type(self, type_: str) -> list[ColumnInfo]:
        """The fields of a composite type, or of a table's rows: both are names of one kind."""
        key = table_key(type_, self.facts.fold_table)
        entry = self.entries.get(key)
        info = entry.declared if entry is not None else self.declared.get(key)
        return info.columns if info is not None and info.complete else []

    def defined_frame(self, entry: Entry, defining: list[Definition]) -> Frame:
        columns: dict[str, str] = {}
        complete = any(definition.plan.defines for definition in defining)
        for definition in defining:
            assert definition.frame is not None
            for slot in definition.frame.slots:
                if slot.star is None:
                    columns.setdefault(slot.key, slot.name)
                else:
                    complete = False
        if not complete and entry.declared is not None:
            for info in entry.declared.columns:
                columns.setdefault(self.facts.fold(info.name, False), info.name)
            complete = entry.declared.complete
        return Scan(entry.dataset, [(name, key) for key, name in columns.items()], complete)

    def cyclic(
        self, entry: Entry, definition: Definition | None, evaluation: Evaluation | None = None, node: Any = None
    ) -> None:
        message = f"'{entry.dataset}' is defined through itself"
        if evaluation is not None:
            evaluation.report(Code.CYCLIC_DEFINITION, message, node)
        elif definition is not None:
            at = place_of_statement(definition.reading, definition.plan.node)
            self.report(Diagnostic(Code.CYCLIC_DEFINITION, message, at))

    # -- functions ---------------------------------------------------------------------------------------------

    def body_of(self, name: str) -> Any:
        if name not in self.bodies:
            self.bodies[name] = self.parse_body(self.functions[name])
        return self.bodies[name]

    def parse_body(self, function: Function) -> Any:
        """RETURN a / b, SELECT a / b, a / b      the expression of a scalar function"""
        from sqlglot import exp

        text = function.body.text.strip().rstrip(";")
        head = text.split(None, 1)[0].lower() if text else ""
        if head == "return":
            text = text.split(None, 1)[1] if " " in text else ""
        if head not in ("select", "with"):
            text = f"SELECT {text}"
        script = Script(text, function.body.dialect, function.body.file, function.body.line)
        trees, _, diagnostics = parse(Reading(script))
        self.diagnostics.extend(diagnostics)
        if not trees or not isinstance(trees[0], exp.Select):
            return None
        tree = trees[0]
        if tree.args.get("from_") is None and len(tree.expressions) == 1:
            return tree.expressions[0].unalias()
        return exp.Subquery(this=tree)

    # -- evidence ----------------------------------------------------------------------------------------------

    def witness(self, key: str, origins: dict[Column, Slot]) -> tuple[Column, str] | None:
        """x is only used qualified with orders: then an unqualified x is orders' x, too"""
        if self.evidence is None:
            return None
        fold = self.facts.fold
        counts = {origin: self.evidence.get((origin.dataset, fold(origin.name, False)), 0) for origin in origins}
        speaking = [origin for origin, count in counts.items() if count]
        if len(speaking) != 1:
            return None
        times = "once" if counts[speaking[0]] == 1 else f"{counts[speaking[0]]} times"
        return speaking[0], f"`{speaking[0].name}` is only used with `{speaking[0].dataset}`, {times}"

    def decide(self) -> None:
        """What several sources may have is decided by the whole corpus, once all of it has been read."""
        undecided = [d for d in self.order if d.evaluation is not None and d.evaluation.undecided]
        if not undecided:
            return
        self.evidence = {}
        fold = self.facts.fold
        for definition in self.order:
            if definition.evaluation is not None:
                for column, count in definition.evaluation.learnt.items():
                    place = (column.dataset, fold(column.name, False))
                    self.evidence[place] = self.evidence.get(place, 0) + count
        for definition in undecided:
            self.evaluate(definition, self.entries[definition.plan.key])

    # -- the result --------------------------------------------------------------------------------------------

    def extraction(self) -> Extraction:
        edges = Edges()
        for definition in self.order:
            self.collect(definition, edges)
        open_definitions = self.open_definitions()
        if open_definitions:
            self.close_stars(open_definitions, edges)
        return Extraction(
            edges=edges.all(),
            reads=self.reads,
            datasets=self.dataset_infos,
            diagnostics=sorted(set(self.diagnostics), key=order_of),
            coverage=self.coverage,
            occurrences=self.corpus.occurrences,
        )

    def collect(self, definition: Definition, edges: Edges) -> None:
        frame, evaluation = definition.frame, definition.evaluation
        assert frame is not None and evaluation is not None
        fallback = (definition.plan.query or definition.plan.node, None, None, None)
        edges.add(definition.target, edges_of(frame, definition.target, definition.reading, fallback))
        self.diagnostics.extend(evaluation.diagnostics)
        self.coverage.resolved += 1
        self.coverage.references += evaluation.references
        self.coverage.ambiguous += evaluation.ambiguous
        self.coverage.unresolved += evaluation.unresolved

    def reads(self) -> list[Read]:
        """Every name that a statement mentions, once per clause."""
        reads: dict[tuple[Dataset, Dataset, str | None, Clause], Read] = {}
        for definition in self.order:
            evaluation, place_of = definition.evaluation, definition.reading.place_of
            assert evaluation is not None
            target = definition.target
            for dataset, node in evaluation.datasets_read.items():
                key: tuple[Dataset, Dataset, str | None, Clause] = (target, dataset, None, Clause.FROM)
                if key not in reads:
                    reads[key] = Read(*key, place_of(node))
            for clause, columns in evaluation.reads.items():
                for column, node in columns.items():
                    key = (target, column.dataset, column.name, clause)
                    if key not in reads:
                        reads[key] = Read(*key, place_of(node))
        return list(reads.values())

    def learnt_columns(self) -> dict[Dataset, dict[str, str]]:
        """What use tells of the columns of datasets whose schema is not known."""
        if self.learnt is None:
            self.learnt = {}
            fold = self.facts.fold
            for definition in self.order:
                assert definition.evaluation is not None
                for column in definition.evaluation.learnt:
                    self.learnt.setdefault(column.dataset, {}).setdefault(fold(column.name, False), column.name)
        return self.learnt

    def open_definitions(self) -> dict[Dataset, list[Definition]]:
        found: dict[Dataset, list[Definition]] = {}
        for definition in self.order:
            if definition.frame is not None and definition.frame.stars:
                found.setdefault(definition.target, []).append(definition)
        return found

    def close_stars(self, open_definitions: dict[Dataset, list[Definition]], edges: Edges) -> None:
        """v := SELECT * FROM t, and v.a is used somewhere: then t.a → v.a, as far as use tells"""
        learnt = self.learnt_columns()
        waiting = [
            (dataset, key, name) for dataset in open_definitions for key, name in learnt.get(dataset, {}).items()
        ]
        while waiting:
            dataset, key, name = waiting.pop()
            for definition in open_definitions.get(dataset, ()):
                assert definition.frame is not None
                if key in definition.frame.index:
                    continue
                for origin, way in closings(definition.frame, key, name):
                    self.add_closing(origin, way, Column(dataset, name), definition, edges)
                    origin_key = self.facts.fold(origin.name, False)
                    if origin_key not in learnt.setdefault(origin.dataset, {}):
                        learnt[origin.dataset][origin_key] = origin.name
                        waiting.append((origin.dataset, origin_key, origin.name))

    def add_closing(self, origin: Column, way: Way, target: Column, definition: Definition, edges: Edges) -> None:
        assert definition.frame is not None
        several = len(definition.frame.stars) > 1
        level = Confidence.LOW if several else Confidence.MEDIUM
        doubt = Doubt(level, several, f"`{target.name}` is known only from its use")
        usage = Usage(way, doubt, (definition.plan.query, None, None, doubt), definition.reading)
        edges.add(target.dataset, [Edge(origin, target, (usage,))])

    def dataset_infos(self) -> dict[Dataset, DatasetInfo]:
        """Every dataset that is defined, declared or read: the defined ones in the order of their statements."""
        learnt = self.learnt_columns()
        for key in list(self.declared):
            self.entry(key, "", "")
        infos: dict[Dataset, DatasetInfo] = {}
        for definition in self.order:
            entry = self.entries[definition.plan.key]
            if entry.dataset not in infos:
                infos[entry.dataset] = self.dataset_info(entry, learnt)
        for entry in sorted(self.entries.values(), key=lambda entry: entry.dataset):
            if entry.dataset not in infos and entry.kind != "type":
                infos[entry.dataset] = self.dataset_info(entry, learnt)
        return infos

    def dataset_info(self, entry: Entry, learnt: dict[Dataset, dict[str, str]]) -> DatasetInfo:
        frame = entry.scanned if entry.scanned is not None else self.schema(entry)
        declared = {}
        if entry.declared is not None:
            declared = {self.facts.fold(info.name, False): info for info in entry.declared.columns}
        columns = []
        for slot in frame.slots:
            if slot.star is None:
                info = declared.get(self.facts.fold(slot.name, False))
                columns.append(info._replace(name=slot.name) if info is not None else ColumnInfo(slot.name))
        if not frame.complete:
            known = {self.facts.fold(info.name, False) for info in columns}
            columns += [ColumnInfo(n) for k, n in sorted(learnt.get(entry.dataset, {}).items()) if k not in known]
        described = entry.declared.description if entry.declared is not None else ""
        place = entry.declared.place if entry.declared is not None else None
        return DatasetInfo(entry.dataset, entry.kind, columns, frame.complete, described, place)


class Edges:
    """Edges by the dataset they lead into; several statements into one target unite."""

    def __init__(self) -> None:
        self.into: dict[Dataset, list[Edge]] = {}

    def add(self, target: Dataset, edges: list[Edge]) -> None:
        held = self.into.get(target)
        if held is None:
            self.into[target] = edges
            return
        united = {(edge.source, edge.target): edge for edge in held}
        for edge in edges:
            before = united.get((edge.source, edge.target))
            if before is not None:
                edge = Edge(edge.source, edge.target, joined(before.usages, edge.usages))
            united[edge.source, edge.target] = edge
        self.into[target] = list(united.values())

    def all(self) -> list[Edge]:
        return [edge for edges in self.into.values() for edge in edges]


def joined(held: tuple[Usage, ...], more: tuple[Usage, ...]) -> tuple[Usage, ...]:
    """Two statements give one edge: each way once, the surer of two alike."""
    ways = {usage.way: usage for usage in held}
    for usage in more:
        before = ways.get(usage.way)
        if before is None or usage.level > before.level:
            ways[usage.way] = usage
    return tuple(ways.values())


def closings(frame: Frame, key: str, name: str) -> list[tuple[Column, Way]]:
    from lineal.algebra.frame import answer

    found = [answer(slot.star, name, key) for slot in frame.stars if slot.star is not None]
    return [influence for slot in found if slot is not None for influence in slot.lineage]


def parameter_scope(parameters: tuple[str, ...], evaluation: Evaluation) -> Scope:
    """A function's parameters are names without lineage."""
    scope = Scope(evaluation, None, {})
    slots = [Slot(name, evaluation.fold(name, False), NOTHING) for name in parameters]
    scope.add(Source("", "", Frame(slots, NOTHING)))
    return scope


def table_key(name: str, fold: Fold) -> str:
    return ".".join(fold(part, False) for part in name.split("."))


def file_stem(path: str) -> str:
    name = path.replace("\\", "/").rsplit("/", 1)[-1]
    return name.rsplit(".", 1)[0] if "." in name else name


def text_hash(reading: Reading, tree: Any) -> str:
    """Of the statement's words: white space and comments do not count."""
    return hashlib.sha256(reading.words_of(tree).encode()).hexdigest()[:8]


def slipped(error: Exception, at: Place | None) -> Diagnostic:
    said = f"the statement cannot be traced ({type(error).__name__}: {str(error)[:100]})"
    return Diagnostic(Code.UNSUPPORTED_CONSTRUCT, said, at, "Please report the statement.")


def untraced(tree: Any, reading: Reading) -> Diagnostic:
    """What is no statement at all did not parse, whatever sqlglot made of it."""
    from sqlglot import exp

    at = place_of_statement(reading, tree)
    if isinstance(tree, (exp.Condition, exp.Alias, exp.Tuple)):
        return Diagnostic(Code.PARSE_ERROR, "this is not a statement", at)
    return Diagnostic(Code.UNSUPPORTED_STATEMENT, f"{statement_name(tree)} is not traced", at)


def statement_name(tree: Any) -> str:
    from sqlglot import exp

    if isinstance(tree, exp.Command):
        return f"{str(tree.this).upper()} …"
    return str(tree.key).upper()


def place_of_statement(reading: Reading, node: Any) -> Place | None:
    return reading.place_of_statement(node) if node is not None else None
