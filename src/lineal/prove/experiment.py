"""One experiment: two queries, tables that are filled again and again, and rows that differ."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import chain, product
from random import Random

from lineal.extract.sql.runnable import BOOLEAN, DATE, NUMBERS, TEXT, Input, NotRunnable, Runnable
from lineal.graph.diff.witness import Experiment, Outcome, Row, Sample, without_experiment
from lineal.prove.engine import Engine, Refused
from lineal.prove.tables import Table, draw_rows, pools_of

DRAWS = 300
"""How often the tables are filled."""
SHUFFLES = 3
"""How often the rows are put in another order, to see whether that changes a result."""
GUESSES = (NUMBERS, TEXT, DATE, BOOLEAN)
"""The kinds that are tried for columns of which nothing tells the kind."""
MOST_UNSTABLE = 5
"""Witnesses that another order of the rows refutes in turn; after so many, chance decides."""
MOST_SHOWN = 5
"""Rows of each side that are shown."""

Columns = dict[str, dict[str, str]]
"""A table's name in lower case → its columns and their kinds."""
Difference = tuple[Counter[Row], Counter[Row]]


def experiment(before: Runnable, after: Runnable, known: Columns, seconds: float) -> Experiment:
    """Run two queries over the same random tables, and return the outcome."""
    engine = Engine(seconds)
    try:
        trial = Trial(engine, before, after, known)
        return trial.run()
    except NotRunnable as problem:
        return without_experiment(str(problem))
    except Refused as problem:
        if engine.is_over:
            return without_experiment(f"not decided in {seconds:g} seconds")

        return without_experiment(f"DuckDB refuses it: {problem}")
    finally:
        engine.close()


class Trial:
    """Two queries and the tables that both read."""

    def __init__(self, engine: Engine, before: Runnable, after: Runnable, known: Columns) -> None:
        self.engine = engine
        self.random = Random(0)  # noqa: S311
        share_names(before, after)
        self.queries = before.sql, after.sql
        self.versions = before, after
        self.known = known
        self.tables: list[Table] = []
        self.common: list[str] = []
        self.pools = pools_of(before, after)
        self.unstable = 0

    def run(self) -> Experiment:
        """Fill the tables until the results differ, or often enough."""
        self.open_tables()
        for _ in range(DRAWS):
            for table in self.tables:
                table.rows = draw_rows(table, self.pools, self.random)

            if self.differs(self.rows):
                self.shrink()
                if self.is_stable():
                    return self.witness()

                self.unstable += 1

            if self.unstable == MOST_UNSTABLE:
                break

        if self.unstable:
            return without_experiment("the result depends on the order of rows, or on chance")

        note = f"the same rows over {DRAWS} random tables; that proves nothing"
        return Experiment(Outcome.NOT_REFUTED, note)

    # -- the tables --------------------------------------------------------------------------------

    @property
    def rows(self) -> list[list[Row]]:
        """Return the rows of all tables."""
        return [table.rows for table in self.tables]

    def open_tables(self) -> None:
        """Create the tables; where nothing tells a column's kind, try one after the other."""
        problem: Refused | None = None
        for guess, with_aliases in product(GUESSES, (False, True)):
            try:
                self.create_tables(guess, with_aliases)
            except Refused as found:
                problem = problem or found
            else:
                return

        if problem is not None:
            raise problem

    def create_tables(self, guess: str, with_aliases: bool) -> None:
        """Create the tables with a guess for the kinds that are not known, and run both queries."""
        self.tables = [
            Table(each.name, each.shown, kinds_of(each.columns, guess), [])
            for each in self.all_inputs(with_aliases)
        ]
        for table in self.tables:
            self.engine.create(table)

        names = [self.engine.result(query)[0] for query in self.queries]
        self.common = [name for name in names[0] if name in names[1]]
        if not self.common or len(set(names[0])) < len(names[0]):
            raise NotRunnable("the two versions have no columns in common")

    def all_inputs(self, with_aliases: bool) -> list[Input]:
        """Return every table that one of the versions reads, with the columns it needs.

        A name that the query itself defines (`sum(a) AS a`) is a column only if nothing else runs.
        """
        inputs = {**self.versions[0].inputs, **self.versions[1].inputs}
        found = {
            name: replace(each, columns=dict(self.known.get(name, {})))
            for name, each in inputs.items()
        }
        for version in self.versions:
            for each in found.values():
                for column, kind in version.columns.get(each.shown, {}).items():
                    each.columns[column] = each.columns.get(column) or kind

            add_loose(version, list(found.values()), with_aliases)

        return list(found.values())

    # -- the results -------------------------------------------------------------------------------

    def differs(self, rows: list[list[Row]]) -> bool:
        """Tell whether the versions return different rows over these tables."""
        before, after = self.results(rows)
        return before != after

    def results(self, rows: list[list[Row]]) -> Difference:
        """Return the rows of both versions, in the columns that both have."""
        for table, several in zip(self.tables, rows, strict=True):
            self.engine.fill(table, several)

        before, after = map(self.bag, self.queries)
        return before, after

    def bag(self, query: str) -> Counter[Row]:
        """Return the rows of one version."""
        names, rows = self.engine.result(query)
        places = list(map(names.index, self.common))
        bag: Counter[Row] = Counter()
        for row, times in rows.items():
            bag[tuple(row[at] for at in places)] += times

        return bag

    def is_stable(self) -> bool:
        """Tell whether each version returns the same whatever the order of the rows."""
        expected = self.results(self.rows)
        for _ in range(SHUFFLES):
            shuffled = [self.random.sample(each, len(each)) for each in self.rows]
            if self.results(shuffled) != expected:
                return False

        return True

    def shrink(self) -> None:
        """Take rows out as long as the results still differ."""
        for table in self.tables:
            for row in list(table.rows):
                kept = list(table.rows)
                table.rows = without_row(kept, row)
                if not self.differs(self.rows):
                    table.rows = kept

    def witness(self) -> Experiment:
        """Return the tables, and the rows that only one version returns."""
        before, after = self.results(self.rows)
        samples = [
            Sample(table.name, tuple(table.kinds), tuple(table.rows)) for table in self.tables
        ]
        return Experiment(
            Outcome.REFUTED,
            "the versions return different rows",
            tuple(samples),
            tuple(self.common),
            rows_of(before - after),
            rows_of(after - before),
        )


def share_names(before: Runnable, after: Runnable) -> None:
    """Call a table by one name in both versions."""
    taken = {each.shown: f"s{at}" for at, each in enumerate(before.inputs.values())}
    before.rename(taken)
    names = {name: each.shown for name, each in before.inputs.items()}
    renames = {}
    for at, (name, each) in enumerate(after.inputs.items()):
        renames[each.shown] = names.get(name, f"r{at}")

    after.rename(renames)


def kinds_of(columns: dict[str, str], guess: str) -> dict[str, str]:
    """Return a kind for every column; a table without columns has one that nobody reads."""
    found = {name: kind or guess for name, kind in columns.items()}
    return found or {"_": guess}


def add_loose(version: Runnable, inputs: list[Input], with_aliases: bool) -> None:
    """Add columns without a qualifier to the only table of which they can be."""
    known = set(chain.from_iterable(each.columns for each in inputs))
    read = [each for each in inputs if each.name.lower() in version.inputs]
    for column, kind in version.loose.items():
        owners = [each for each in read if column in each.columns]
        for each in owners:
            each.columns[column] = each.columns[column] or kind

        if column in version.aliases and not with_aliases:
            continue

        if column not in known and len(read) == 1:
            read[0].columns[column] = kind


def without_row(rows: list[Row], row: Row) -> list[Row]:
    """Return rows without one of them."""
    kept = list(rows)
    kept.remove(row)
    return kept


def rows_of(bag: Counter[Row]) -> tuple[Row, ...]:
    """Return the first rows of a bag, in a fixed order."""
    return tuple(sorted(bag.elements(), key=repr)[:MOST_SHOWN])
