"""The experiment: draw again what lineal says does not matter, and see that it does not matter."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import duckdb
from tables import ATOMS, ROWS, TYPES, Atom, Tables, Values, draw, kind_of, one

import lineal
from generators.duck_schema import SCHEMA
from generators.statement import Statement

SHUFFLES = 12
"""How often rows are put in another order to see whether a statement's outcome depends on their
order.
"""

DECLARED = {
    table: {name: TYPES[kind] for name, kind in columns.items()}
    for table, columns in SCHEMA.items()
}


@dataclass
class Tally:
    """What became of the statements of a run."""

    compared: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    undetermined: int = 0
    draws: int = 0
    listed: int = 0
    shown: int = 0


class Claims:
    """What lineal lists for a statement: for each output column the atoms that influence it, and
    those of the rows.
    """

    def __init__(self, statement: Statement) -> None:
        target = statement.target or "result"
        found = lineal.lineage({"result": statement.text}, dialect="duckdb", schema=DECLARED)
        self.problems = [str(problem) for problem in found.diagnostics]
        self.rows: set[Atom] = set()
        self.columns: dict[str, set[Atom]] = {}
        self.names: list[str] = []
        for info in found.datasets:
            if info.dataset.name.lower() == target:
                self.names = [column.name for column in info.columns]
        if statement.target:
            for name in SCHEMA[target]:
                self.columns[name] = {
                    atom for atom in ATOMS if (atom.table, atom.column) == (target, name)
                }
        for edge in found.edges:
            if edge.into.name.lower() != target:
                continue
            into = self.rows
            if edge.field_level:
                into = self.columns.setdefault(edge.target.name.lower(), set())
            into |= atoms_of(edge.source)

    def of(self, names: Collection[str]) -> set[Atom]:
        """What the rows, taken by these columns alone, may depend on."""
        return self.rows.union(*(self.columns.get(name.lower(), set()) for name in names))


def atoms_of(column: Any) -> set[Atom]:
    table, name = column.dataset.name.lower(), column.name.lower()
    path = [part.lower() for part in column.path]
    return {
        atom
        for atom in ATOMS
        if (atom.table, atom.column) == (table, name)
        and (not path or not atom.field or atom.field == path[0])
    }


class Unsound(AssertionError):
    """An output changed with a column that is not listed for it; or lineal did not understand the
    statement.
    """

    def __init__(self, kind: str, statement: Statement, *lines: str) -> None:
        super().__init__("\n".join([statement.text, *(f"-- {line}" for line in lines)]))
        self.kind = kind
        self.statement = statement


def experiment(
    statement: Statement, random: Random, tables: Tables, tally: Tally, *, precision: bool = False,
    claims: Claims | None = None,
) -> None:  # fmt: skip
    """Run the statement, draw again what is not listed for each of its columns, and run it again."""
    used = [table for table in SCHEMA if re.search(rf"\b{table}\b", statement.text)]
    values = draw(random)
    try:
        names, before = run(statement, values, tables, used)
        if not steady(statement, values, tables, used, random, before, 1):
            tally.undetermined += 1
            return
    except duckdb.Error as problem:
        tally.refused[str(problem).splitlines()[0][:90]] += 1
        return
    claims = claims or Claims(statement)
    if claims.problems:
        raise Unsound("problem", statement, f"lineal says: {claims.problems}")
    if not statement.target and [name.lower() for name in claims.names] != distinct(names):
        raise Unsound("names", statement, f"lineal names {claims.names}, and DuckDB {names}")
    tally.compared += 1
    kept_sets = [names, *([name] for name in names)] if len(names) > 1 else [names]
    for kept in kept_sets:
        free = [atom for atom in ATOMS if atom.table in used and atom not in claims.of(kept)]
        if not free:
            continue
        again = redrawn(values, free, random)
        tally.draws += 1
        try:
            _, after = run(statement, again, tables, used)
        except duckdb.Error:
            continue
        positions = [position for position, name in enumerate(names) if name in kept]
        if seen(before, positions) != seen(after, positions) and steady(
            statement, values, tables, used, random, before, SHUFFLES
        ) and steady(statement, again, tables, used, random, after, SHUFFLES):  # fmt: skip
            guilty = narrowed(statement, values, again, free, tables, used, before, positions)
            changed = {**values, **{atom: again[atom] for atom in guilty}}
            _, after = run(statement, changed, tables, used)
            raise Unsound(
                "unsound", statement,
                f"drawing {', '.join(map(str, guilty))} again changes {', '.join(kept)}, and is not listed for it",
                *(f"{atom}: {values[atom]} -> {again[atom]}" for atom in guilty),
                f"before: {sorted(seen(before, positions).elements())}",
                f"after:  {sorted(seen(after, positions).elements())}",
            )  # fmt: skip
    if precision:
        measure(statement, names, claims, values, random, tables, used, before, tally)


def distinct(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name.lower() for name in names))


def run(
    statement: Statement,
    values: Values,
    tables: Tables,
    used: list[str],
    order: list[int] | None = None,
) -> tuple[list[str], list[tuple[Any, ...]]]:
    tables.fill(values, order or list(range(ROWS)), used)
    return tables.outcome(statement.text, statement.target)


def seen(rows: list[tuple[Any, ...]], positions: list[int]) -> Counter[str]:
    """The rows by some columns, as a bag."""
    return Counter(repr([row[position] for position in positions]) for row in rows)


def steady(
    statement: Statement, values: Values, tables: Tables, used: list[str], random: Random,
    before: list[tuple[Any, ...]], times: int,
) -> bool:  # fmt: skip
    """Whether the outcome is the same for any order of the rows: else a statement says nothing."""
    everything = list(range(len(before[0]) if before else 0))
    for _ in range(times):
        _, after = run(statement, values, tables, used, random.sample(range(ROWS), ROWS))
        if seen(before, everything) != seen(after, everything):
            return False
    return True


def redrawn(values: Values, atoms: Iterable[Atom], random: Random) -> Values:
    changed = {atom: [one(kind_of(atom), random) for _ in range(ROWS)] for atom in atoms}
    return {**values, **changed}


def narrowed(
    statement: Statement, values: Values, again: Values, free: list[Atom], tables: Tables, used: list[str],
    before: list[tuple[Any, ...]], positions: list[int],
) -> list[Atom]:  # fmt: skip
    """The single atom that makes the difference; all of them, where it takes several."""
    for atom in free:
        try:
            _, after = run(statement, {**values, atom: again[atom]}, tables, used)
        except duckdb.Error:
            continue
        if seen(before, positions) != seen(after, positions):
            return [atom]
    return free


def measure(
    statement: Statement, names: list[str], claims: Claims, values: Values, random: Random, tables: Tables,
    used: list[str], before: list[tuple[Any, ...]], tally: Tally,
) -> None:  # fmt: skip
    """How many of the listed influences show: the precision of the claims, on this little data."""
    for position, name in enumerate(names):
        for atom in claims.of([name]):
            if atom.table not in used:
                continue
            tally.listed += 1
            for _ in range(4):
                try:
                    _, after = run(statement, redrawn(values, [atom], random), tables, used)
                except duckdb.Error:
                    continue
                if seen(before, [position]) != seen(after, [position]):
                    tally.shown += 1
                    break
