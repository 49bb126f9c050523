"""lineal against the server: the reads of views by pg_depend, and the origins of values by the
planner.

Every disagreement is a diagnostic. What the planner has proved away (a CASE that is always true,
rows that cannot be) is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lineal.extract.entries import Definition
from lineal.extract.postgres import Shapes, ValueFlow, value_flow
from lineal.extract.sql.dialects import facts_of
from lineal.extract.sql.evaluation import Evaluation
from lineal.extract.sql.evaluator import QueryEvaluation
from lineal.extract.sql.reading import Reading, offset_of
from lineal.model.diagnostic import Code, Diagnostic, order_of
from lineal.model.edge import Column, Dataset
from lineal.model.extraction import Extraction
from lineal.model.script import Corpus, Script
from lineal.model.sequences import flatten, second_of_each
from lineal.projects.postgres.catalog import DIALECT, Catalog, quote_name, read_catalog
from lineal.projects.postgres.dependencies import disagreements, read_dependencies
from lineal.projects.postgres.explain import Refused, explain_statement, prepare
from lineal.projects.postgres.server import Session, session
from lineal.resolve.definitions import Definitions
from lineal.resolve.postgres.composition import compose_query, parameters_in
from lineal.resolve.postgres.origins import Origin, Origins

HEIRS = """
SELECT /* lineal */ cn.nspname || '.' || c.relname, pn.nspname || '.' || p.relname
FROM pg_catalog.pg_inherits i
JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid JOIN pg_catalog.pg_namespace cn ON cn.oid = c.relnamespace
JOIN pg_catalog.pg_class p ON p.oid = i.inhparent JOIN pg_catalog.pg_namespace pn ON pn.oid = p.relnamespace
"""


def compare_with_server(corpus: Corpus, address: str) -> Extraction:
    """The text's lineage, with a diagnostic for everything on which the server does not agree."""
    definitions = Definitions(corpus)
    static = definitions.extract()
    with session(address) as server:
        catalog = read_catalog(server, [script.text for script in corpus.scripts])
        found = [
            *stored_reads(server, catalog, corpus),
            *Values(server, catalog, definitions).disagreements(),
        ]

    diagnostics = sorted({*static.diagnostics, *found}, key=order_of)
    return Extraction(
        static.edges, static.reads, static.datasets, diagnostics, static.coverage, static.occurrences,
        failures=static.failures,
    )  # fmt: skip


def stored_reads(server: Session, catalog: Catalog, corpus: Corpus) -> Iterator[Diagnostic]:
    """The reads of the stored views: what a function's body reads is its own affair, so no function
    is known here.
    """
    asked = {script.file for script in corpus.scripts}
    views = {".".join(parts): script for parts, script in catalog.views if script.file in asked}
    alone = Corpus(DIALECT, list(views.values()), catalog.datasets, defaults=corpus.defaults)
    reads = Definitions(alone).extract().reads
    return disagreements(
        reads, read_dependencies(server), {n: s.text for n, s in views.items()}, catalog.datasets
    )


class Values:
    """The values of every statement, by its text and by its plan."""

    def __init__(self, server: Session, catalog: Catalog, definitions: Definitions) -> None:
        self.server = server
        self.catalog = catalog
        self.definitions = definitions
        self.stored = {script.file: parts for parts, script in catalog.views}
        self.there = {info.dataset.name for info in catalog.datasets}
        self.heirs: dict[str, set[str]] = {}
        for heir, parent in server.rows(HEIRS):
            self.heirs.setdefault(heir, set()).add(parent)

        functions = second_of_each(catalog.functions)
        plain = Definitions(
            Corpus(DIALECT, functions, catalog.datasets, defaults=definitions.corpus.defaults)
        )
        plain.gather_definitions()
        self.evaluation = QueryEvaluation(
            plain.references, Reading(Script("", DIALECT)), facts_of(DIALECT), Dataset("", "plan")
        )
        self.origins = Origins(definitions, self.defining)

    def disagreements(self) -> Iterator[Diagnostic]:
        """Yield each value that the server's plan makes of other columns."""
        prepare(self.server)
        for definition in self.definitions.order:
            if (
                definition.plan.query is None
                or definition.plan.moment is not None
                or definition.hidden
            ):
                continue

            if (
                definition.plan.kind == "function"
                or definition.frame is None
                or not definition.frame.complete
            ):
                continue

            yield from self.of_statement(definition)

    def of_statement(self, definition: Definition) -> Iterator[Diagnostic]:
        """Yield the disagreements about one statement."""
        try:
            flow = self.flow(definition)
        except Refused as refused:
            offset = offset_of(definition.plan.node)
            place = definition.reading.place_at(offset) if offset is not None else None
            yield Diagnostic(
                Code.ENGINE_REFUSED, f"the server does not plan the statement: {refused}", place
            )
            return

        assert definition.frame is not None
        for slot, output in zip(definition.frame.slots, flow.outputs, strict=False):
            target = f"{definition.target}.{slot.name}"
            ours = self.origins.origins_of(slot.lineage, definition)
            for column in sorted(output.origins, key=str):
                # of a view of the server's own
                inside = column.dataset.name.startswith("pg_catalog.")
                if not inside and not any(self.same(column, origin.column) for origin in ours):
                    yield Diagnostic(Code.ENGINES_DISAGREE, f"{column} -> {target}  (only in plan)")

            for origin in sorted(ours, key=str):
                if output.whole and not self.proved_away(origin, output.origins, flow):
                    yield Diagnostic(
                        Code.ENGINES_DISAGREE, f"{origin.column} -> {target}  (only in text)"
                    )

    def same(self, planned: Column, written: Column) -> bool:
        """A partition stands for the table that it is a part of."""
        if planned.name != written.name:
            return False

        waiting, met = [planned.dataset.name], set()
        while waiting:
            name = waiting.pop()
            if name == written.dataset.name:
                return True

            if name not in met:
                met.add(name)
                waiting.extend(self.heirs.get(name, ()))

        return False

    def proved_away(self, origin: Origin, planned: frozenset[Column], flow: ValueFlow) -> bool:
        """Tell whether the planner had reason to leave out an origin."""
        if (
            any(self.same(column, origin.column) for column in planned)
            or not planned
            or flow.empty
            or origin.folded
        ):
            return True

        relation = origin.column.dataset.name
        return not any(
            self.same(Column(Dataset("", name), ""), Column(Dataset("", relation), ""))
            for name in flow.scanned
        )

    # -- the plan ----------------------------------------------------------------------------------

    def flow(self, definition: Definition) -> ValueFlow:
        """Return which columns flow into each output, by the server's plan."""
        schemas = ", ".join(map(quote_name, self.server.path))
        statement = self.statement(definition)
        plan = explain_statement(
            self.server, statement, schemas, parameters_in(definition.plan.query)
        )
        views = {
            info.dataset.name: info.names for info in self.catalog.datasets if info.kind == "view"
        }
        shapes = Shapes(self.queries(definition), views)
        name = definition.target.name
        if name in views:
            shapes.keep(self.stored.get(definition.reading.script.file, ("", name))[1], views[name])

        return value_flow(plan, shapes, self.evaluation)

    def statement(self, definition: Definition) -> str:
        """A stored view is asked for as it is, one that holds rows by its query."""
        script = definition.reading.script
        schema, name = self.stored.get(script.file, ("", ""))
        if not name:
            return compose_query(definition, self.missing, self.definitions)

        if f"{schema}.{name}" in self.catalog.plain_views:
            return f"TABLE {quote_name(schema)}.{quote_name(name)}"

        return script.text.partition("\n")[2].rstrip().removesuffix(";")

    def missing(self, dataset: Dataset) -> list[Definition]:
        """Return the definitions of a dataset that the server lacks, or has as another view."""
        if dataset.name in self.there and dataset.name not in self.catalog.plain_views:
            return []

        return [
            each
            for each in self.definitions.order
            if each.target == dataset
            and each.plan.query is not None
            and each.reading.script.file not in self.stored
        ]

    def queries(self, definition: Definition) -> list[tuple[Any, Evaluation]]:
        """The query, and those of all views below it."""
        found: dict[Dataset, tuple[Any, Evaluation]] = {}
        waiting = [definition]
        while waiting:
            each = waiting.pop()
            if each.target in found or each.evaluation is None:
                continue

            found[each.target] = (each.plan.query, each.evaluation)
            waiting += flatten(map(self.defining, each.evaluation.datasets_read))

        return list(found.values())

    def defining(self, dataset: Dataset) -> list[Definition]:
        """Return the definitions of a dataset that is not a table on the server: lineage goes
        through it.
        """
        if dataset.name in self.there and dataset.name not in self.catalog.plain_views:
            return []

        entry = self.definitions.entry_of(dataset)
        if entry is not None:
            return [each for each in entry.defining if each.plan.query is not None]

        return []
