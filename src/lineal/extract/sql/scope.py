"""Scopes: which column a name means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lineal.algebra.frame import Candidates, Slot, answer, slot_at
from lineal.algebra.lineage import Lineage, add_doubt, unite_lineages
from lineal.algebra.values import keep_parts
from lineal.extract.sql.dotted_names import resolve_dotted
from lineal.extract.sql.sources import (
    NILADIC,
    NO_KEYS,
    SOMETIMES_COLUMNS,
    UNRESOLVED,
    CTEs,
    Holders,
    KeyHolders,
    Scalar,
    Source,
    field_of,
    has_own_alias,
    is_bare,
    origin_of,
)
from lineal.extract.sql.unresolved_names import (
    is_row_of_call,
    resolve_otherwise,
    row_value,
    takes_row,
)
from lineal.model.diagnostic import Code
from lineal.model.edge import Column, Doubt
from lineal.model.names import exact_name
from lineal.model.way import Clause, Confidence

if TYPE_CHECKING:
    from lineal.extract.sql.evaluation import Evaluation

__all__ = ["UNRESOLVED", "CTEs", "Scope", "Source", "field_of"]


FEW_SOURCES = 12
"""So many sources are asked one after the other; more are found by the names of their columns."""

DEEPEST_ITEM = 8
"""So deep a column is looked for in an item of a SELECT list; deeper, it is not the item's value."""

MOST_HINTS = 20
"""Columns of a statement for which a similar name is looked up: that takes time for each column."""


class Scope:
    """The sources that names are looked up in, the scope around, and the aliases that a clause may
    see.
    """

    __slots__ = (
        "alias_first",
        "aliases",
        "all_scanned",
        "clause",
        "covered",
        "ctes",
        "each",
        "evaluation",
        "flat",
        "grouped",
        "holders",
        "key_holders",
        "merged",
        "merged_reads",
        "order",
        "parent",
        "rows",
        "scanned_keys",
        "sources",
        "spans",
        "steps",
        "windows",
    )

    def __init__(self, evaluation: Evaluation, parent: Scope | None, ctes: CTEs) -> None:
        """Start the scope of a SELECT without sources, inside the scope of the query around."""
        self.evaluation = evaluation
        self.parent = parent
        self.ctes = ctes
        self.sources: dict[str, Source] = {}
        self.order: list[Source] = []
        self.holders: Holders | None = None
        self.flat: dict[str, Slot] | None = None
        self.all_scanned = False
        self.scanned_keys: set[str] = NO_KEYS
        self.merged: dict[str, Slot] = {}
        self.merged_reads: dict[str, list[Column]] = {}
        self.covered: dict[str, list[Source]] = {}
        self.key_holders: dict[str, KeyHolders] = {}
        self.each: Slot | None = None
        self.aliases: dict[str, Slot] = {}
        self.grouped: dict[str, Slot] = {}
        self.alias_first = False
        self.windows: dict[str, exp.Window] = {}
        self.rows: Lineage | None = None
        self.steps: list[tuple[Source, list[str] | None, bool]] = []
        self.clause = Clause.SELECT
        self.spans: dict[int, int] = {}
        """how many columns an item of the SELECT list is, by its position, if it is not one"""

    def add(self, source: Source) -> None:
        """Add a member of FROM, under its alias and its name."""
        self.flat = None
        self.order.append(source)
        if source.alias:
            self.sources.setdefault(source.alias, source)

        if source.name != source.alias:
            self.sources.setdefault(source.name, source)

    def remove(self, source: Source) -> None:
        """a LEFT SEMI JOIN b      b is seen by ON only"""
        self.flat = self.holders = None
        self.key_holders = {}
        self.order.remove(source)
        for alias in (source.alias, source.name):
            if self.sources.get(alias) is source:
                del self.sources[alias]

    def replace(self, source: Source) -> None:
        """FROM a JOIN b ON … PIVOT (…)

        what has been joined is one source now, under every name it had
        """
        names = list(self.sources)
        self.flat = self.holders = None
        self.order, self.steps = [], [(source, None, False)]
        self.sources = {} if source.alias else dict.fromkeys(names, source)
        self.merged, self.merged_reads, self.covered, self.key_holders = {}, {}, {}, {}
        self.add(source)

    def column(self, node: exp.Column) -> Slot:
        """The slot that `x`, `t.x` or `t.x.field` means here; UNRESOLVED, with a diagnostic, if
        there is none.
        """
        evaluation = self.evaluation
        evaluation.references += 1
        args = node.args
        spelled = args["this"].args
        try:
            name = spelled["this"]
        except KeyError:
            return self.starred_row(node)

        key = evaluation.fold(name, True) if spelled.get("quoted") else evaluation.keys[name]
        if args.get("table") is not None:
            slot = self.qualified_column(name, key, node)
        elif self.merged or self.alias_first:
            slot = self.unqualified_column(name, key, node)
        else:
            flat = self.flat if self.flat is not None else self.flatten()
            slot = flat.get(key)
            if slot.__class__ is tuple:
                slot = slot_at(flat, key)

            if slot is None:
                slot = self.unqualified_column(name, key, node)
            elif slot.scanned is not None and (self.all_scanned or key in self.scanned_keys):
                reads = evaluation.reads[self.clause]
                if slot.scanned not in reads:
                    reads[slot.scanned] = node
                elif evaluation.further is not None:
                    evaluation.further.append((self.clause, slot.scanned, node))

        if slot is None:
            slot = resolve_otherwise(self, name if name.__class__ is str else key, key, node)

        if evaluation.notes is not None:
            evaluation.notes.columns.append((node, slot, self))

        return slot

    def starred_row(self, node: exp.Column) -> Slot:
        """t.* = u.*      a row as a value: all of its columns"""
        return Slot(
            "", "", unite_lineages(slot.lineage for slot in self.evaluation.star_slots(node, self))
        )

    def flatten(self) -> dict[str, Slot]:
        """All columns of all sources in one table, for the common case that each name is certain:
        every schema is complete, and no name is there twice. Else the table stays empty.
        """
        order = self.order
        if len(order) == 1:
            source = order[0]
            certain = not source.stars and source.frame.__class__ is not Candidates
            self.flat = source.index if certain else {}
            self.all_scanned = source.dataset is not None
            return self.flat

        flat: dict[str, Slot] = {}
        self.flat = flat
        if any(source.stars or source.frame.__class__ is Candidates for source in order):
            return flat

        scanned = 0
        for source in order:
            flat.update(source.index)
            scanned += source.dataset is not None

        if len(flat) != sum(len(source.index) for source in order):
            self.flat = flat = {}

        self.all_scanned = scanned == len(order) > 0
        if scanned and not self.all_scanned:
            self.scanned_keys = {
                key for source in order if source.dataset is not None for key in source.index
            }

        return flat

    # -- qualified ---------------------------------------------------------------------------------

    def qualified_column(self, name: str, key: str, node: exp.Column) -> Slot | None:
        """t.x, s.t.x, and the nested fields that look the same: column.field, t.column.field"""
        args = node.args
        evaluation = self.evaluation
        table = args["table"]
        spelled = table.args
        quoted = spelled.get("quoted")
        if quoted:
            table_key = evaluation.fold_table(spelled["this"], True)
        else:
            table_key = evaluation.table_keys[spelled["this"]]

        db = args.get("db")
        if db is None:
            scope: Scope | None = self
            while scope is not None:
                source = scope.sources.get(table_key)
                if source is not None:
                    slot = source.index.get(key)
                    if slot is None:
                        source = scope.namesake(source, key)
                        slot = source.index.get(key)

                    if slot.__class__ is tuple:
                        slot = slot_at(source.index, key)

                    if slot is not None:
                        if slot.scanned is not None and source.dataset is not None:
                            if source.stars and slot.name != name:
                                self.read_spelled(slot.scanned, name, key, node)
                            else:
                                evaluation.read(slot.scanned, self.clause, node)
                        elif source.frame.__class__ is Candidates:
                            self.read_candidates(slot, self.clause, node)

                        return slot

                    if name.__class__ is not str:
                        return self.positional(source, key, node)

                    if key in evaluation.facts.pseudo_columns and key not in SOMETIMES_COLUMNS:
                        evaluation.references -= 1
                        return UNRESOLVED

                    return self.from_stars(source, name, key, node)

                scope = scope.parent

        return resolve_dotted(
            self,
            [part for part in (args.get("catalog"), db, table, args["this"]) if part is not None],
            node,
        )

    def namesake(self, source: Source, key: str) -> Source:
        """Return the source that has a column, of those that share a name with this one.

        FROM a AS x JOIN b AS x ON …      Spark: x.c is the one of the two that has it
        """
        if source.stars:
            return source

        name = source.alias or source.name
        for each in self.order:
            if name == (each.alias or each.name) and (key in each.index or each.stars):
                return each

        return source

    def find_source(self, key: str) -> Source | None:
        """Find a source by its key, here or in the scopes around."""
        scope: Scope | None = self
        while scope is not None:
            source = scope.sources.get(key)
            if source is not None:
                return source

            scope = scope.parent

        return None

    # -- unqualified -------------------------------------------------------------------------------

    def sources_with(self, key: str) -> Sequence[Source]:
        """The sources that are known to have a column, perhaps among others."""
        if len(self.order) <= FEW_SOURCES:
            return self.order

        return self.held_sources().by_key.get(key, ())

    def open_sources(self) -> Sequence[Source]:
        """The sources with columns that are not known, perhaps among others."""
        return self.order if len(self.order) <= FEW_SOURCES else self.held_sources().open

    def held_sources(self) -> Holders:
        """The sources by the names of their columns."""
        if self.holders is None:
            self.holders = Holders()

        self.holders.add(self.order)
        return self.holders

    def unqualified_column(
        self,
        name: str,
        key: str,
        node: exp.Column,
        certain: bool = False,
        clause: Clause | None = None,
    ) -> Slot | None:
        """x: the source that has it, then an alias, then the scope around, then the sources that
        may have it.

        `clause` is the clause that the name stands in, when a scope is asked for a name of a
        subquery.
        """
        clause = clause or self.clause
        if self.alias_first:
            alias = self.aliases.get(key)
            if alias is not None:
                return alias

        slot = self.known(name, key, node, clause)
        if slot is not None:
            return slot

        scalar = self.ctes.get(key)
        if isinstance(scalar, Scalar):
            return Slot(name, key, self.evaluation.value_of(scalar.node, self))

        if key in self.grouped:
            return self.grouped[key]

        alias = self.aliases.get(key)
        open_here = any(source.stars for source in self.open_sources())
        if alias is not None:
            if open_here:
                return self.mark_guess(alias, f"`{name}` is an alias of this SELECT")

            return alias

        if open_here:
            return self.in_open_sources(name, key, node, certain, clause)

        field = self.field_of_items(name, key, node, clause)
        if field is not None:
            return field

        if self.parent is not None:
            return self.parent.unqualified_column(name, key, node, certain, clause)

        return None

    def in_open_sources(
        self, name: str, key: str, node: exp.Column, certain: bool, clause: Clause
    ) -> Slot | None:
        """Find a name where a source has unknown columns: a scope around that surely has it, then
        the sources that may have it.
        """
        scope = None if self.is_compared_with(node, key) else self.parent
        while scope is not None:
            slot = scope.known(name, key, node, clause) if scope.has_surely(key) else None
            if slot is not None:
                return self.perhaps_outer(slot, name)

            scope = scope.parent

        if certain and not self.may_be_column():
            return None

        row = self.row_by_alias(name, key, node)
        return row or self.resolve_in_open_source(name, key, node, clause)

    def is_compared_with(self, node: exp.Column, key: str) -> bool:
        """a IN (SELECT a FROM s), a = a

        whether the column is an item of a query that a column of its name is compared with: compared
        with itself, it would decide nothing
        """
        if self.parent is None:
            return False

        if equals_itself(node):
            return True

        item: Any = node
        for _ in range(DEEPEST_ITEM):
            if item is None or item.arg_key == "expressions":
                break

            item = item.parent

        select = item.parent if item is not None else None
        within = select.parent if isinstance(select, exp.Select) else None
        while isinstance(within, exp.Subquery):
            within = within.parent

        if not isinstance(within, exp.In):
            return False

        compared = within.this.find_all(exp.Column)
        fold = self.evaluation.fold
        return any(fold(each.name, each.this.args.get("quoted")) == key for each in compared)

    def row_by_alias(self, name: str, key: str, node: exp.Column) -> Slot | None:
        """SELECT to_json(o) FROM orders AS o      o is the row, unless orders has a column o"""
        facts = self.evaluation.facts
        source = self.find_source(key)
        if source is not None and is_row_of_call(node, facts.name):
            return row_value(self, source, node)

        if not facts.rows_are_values:
            return None

        if source is None or key in self.ctes:
            return None

        if not has_own_alias(source) and not takes_row(node.parent):
            return None

        return self.guessed_row(source, name, node)

    def guessed_row(self, source: Source, name: str, node: exp.Column) -> Slot:
        """A row where a column of that name is possible, too."""
        row = row_value(self, source, node)
        return self.mark_guess(row, f"`{name}` is the name of a source here")

    def perhaps_outer(self, slot: Slot, name: str) -> Slot:
        """b IN (SELECT a FROM s)

        the a of the query around, unless s, whose columns are not known, has an a
        """
        stars = [slot.star for source in self.open_sources() for slot in source.stars]
        if any(star is not None and star.made is None for star in stars):
            return self.mark_guess(slot, f"`{name}` may also belong to the query inside")

        return slot

    def field_of_items(self, name: str, key: str, node: exp.Column, clause: Clause) -> Slot | None:
        """(SELECT max(price) FROM UNNEST(items))

        a field of the items, whose type is not known, unless the query around certainly has a column
        of that name
        """
        items = [source.items for source in self.order if source.items is not None]
        if len(items) != 1 or key in self.evaluation.facts.reserved_names:
            return None

        if self.find_source(key) is not None:  # SELECT l FROM UNNEST(lines) AS l: the row itself
            return None

        around = self.parent
        while around is not None:
            slot = around.known(name, key, node, clause)
            if slot is not None:
                return slot

            around = around.parent

        slot = field_of(Slot(name, key, items[0]), [name], node)
        guess = self.mark_guess(slot, f"`{name}` may also belong to the query around")
        return guess._replace(lineage=keep_parts(guess.lineage, slot.lineage))

    def known(self, name: str, key: str, node: exp.Column, clause: Clause) -> Slot | None:
        """The slot of the one source that certainly has the column."""
        merged = self.merged.get(key)
        if merged is not None:
            for origin in self.merged_reads.get(key, ()):
                self.evaluation.read(origin, clause, node)

            others = self.beside(key, self.sources_with(key))
            if others:
                return self.ambiguous(name, [merged, *others], node)

            return merged

        found: Slot | None = None
        several: list[Slot] | None = None
        incomplete = False
        for source in self.sources_with(key):
            slot = slot_at(source.index, key)
            if slot is not None:
                if found is None:
                    found = slot
                    incomplete = bool(source.stars)
                else:
                    several = [*(several or [found]), slot]

                if slot.scanned is None and source.frame.__class__ is Candidates:
                    self.read_candidates(slot, clause, node)
                elif source.stars and slot.scanned is not None and slot.name != name:
                    self.read_spelled(slot.scanned, name, key, node, clause)
                elif source.dataset is not None:
                    self.evaluation.read(origin_of(slot), clause, node)

        if several is not None:
            return self.ambiguous(name, several, node)

        if incomplete and found is not None and self.count_open() > 1:
            return self.mark_guess(found, f"only one source is known to have `{name}`")

        return found

    def read_spelled(
        self,
        column: Column,
        name: str,
        key: str,
        node: exp.Column,
        clause: Clause | None = None,
    ) -> None:
        """SELECT t.ID FROM t, where only INSERT INTO t (Id) tells of it: both spellings count"""
        self.evaluation.read(column, clause or self.clause, node, learn=False)
        if not isinstance(name, str):  # t.$1 has one spelling
            return

        spelled = Column(column.dataset, self.origin_name(name, key))
        learnt = self.evaluation.learnt
        learnt[spelled] = learnt.get(spelled, 0) + 1

    def read_candidates(self, slot: Slot, clause: Clause, node: exp.Column) -> None:
        """Note that a column of any of several datasets is read."""
        self.evaluation.ambiguous += 1
        for origin, _ in slot.lineage:
            self.evaluation.read(origin, clause, node, learn=False)

    def has_surely(self, key: str) -> bool:
        """Whether a complete schema says that a source has a column: one learnt from use does not
        outrank the tables of a subquery.
        """
        return key in self.merged or any(
            key in source.index and not source.stars for source in self.sources_with(key)
        )

    def has(self, node: exp.Column) -> bool:
        """Whether a source is known to have a column of that name."""
        return self.knows(self.evaluation.fold(node.name, False))

    def knows(self, key: str) -> bool:
        """Tell whether a source is known to have a column under a folded name."""
        return any(key in source.index for source in self.sources_with(key))

    def beside(self, key: str, members: Sequence[Source]) -> list[Slot]:
        """t JOIN u USING (a) JOIN w ON …      the merged a covers t's and u's, and not w's"""
        covered = self.covered.get(key, ())
        return [
            slot_at(member.index, key)
            for member in members
            if key in member.index and member not in covered
        ]

    def positional(self, source: Source, key: str, node: exp.Expr) -> Slot | None:
        """t.$2      the second column of t; of a file or an unknown table, a column of that name"""
        position = int(key[1:]) - 1 if key[1:].isdigit() else -1
        if any(slot.star is not None for slot in source.frame.slots[: position + 1]):
            return self.from_stars(source, key, key, node)

        if not 0 <= position < len(source.frame.slots):
            return None

        slot = source.frame.slots[position]
        if source.dataset is not None:
            self.evaluation.read(origin_of(slot), self.clause, node)

        return slot

    def row(self, node: exp.Expr) -> Source | None:
        """(t).a, (t).*, $1.*

        the source that an unqualified name means, where no column has that name
        """
        if isinstance(node, exp.Parameter) and self.evaluation.around is not None:
            return self.evaluation.around.row_of(node)

        if not isinstance(node, exp.Column) or node.args.get("table") is not None:
            return None

        identifier = node.args["this"]
        key = self.evaluation.fold(identifier.name, identifier.args.get("quoted"))
        if self.knows(key):
            return None

        return self.find_source(
            self.evaluation.fold_table(identifier.name, identifier.args.get("quoted"))
        )

    def resolve_in_open_source(
        self, name: str, key: str, node: exp.Column, clause: Clause
    ) -> Slot | None:
        """x over unknown schemas: the only source that may have it, else what the corpus says, else
        all of them.
        """
        if key in self.evaluation.facts.reserved_names and is_bare(node, key):
            return self.no_column()

        stars = [
            star.star
            for source in self.open_sources()
            for star in source.stars
            if star.star is not None
        ]
        written = self.origin_name(name, key)
        candidates = [slot for star in stars if (slot := answer(star, written, key)) is not None]
        if not candidates:
            if self.parent is not None:
                return self.parent.unqualified_column(name, key, node, clause=clause)

            return None

        evaluation = self.evaluation
        if key in evaluation.facts.pseudo_columns and key not in SOMETIMES_COLUMNS:
            return None

        if len(candidates) == 1:
            slot = candidates[0]
            if self.parent is not None and self.parent.reaches_source():
                return self.mark_guess(
                    self.learnt(slot, node, clause), f"`{name}` may also belong to the query around"
                )

            return self.learnt(slot, node, clause)

        origins = {origin: slot for slot in candidates for origin, _ in slot.lineage}
        if len(origins) == 1:
            return self.learnt(candidates[0], node, clause)

        best = evaluation.witness(key, origins)
        if best is not None:
            origin, evidence = best
            evaluation.read(origin, clause, node)
            return self.mark_guess(origins[origin], evidence)

        source = self.find_source(key)
        if source is not None and evaluation.facts.rows_are_values:
            return self.guessed_row(source, name, node)

        evaluation.undecided = True
        for origin in origins:
            evaluation.read(origin, clause, node, learn=False)

        return self.ambiguous(name, candidates, node)

    def reaches_source(self) -> bool:
        """Say whether this scope or one around it has a source."""
        scope: Scope | None = self
        while scope is not None:
            if scope.order:
                return True

            scope = scope.parent

        return False

    def may_be_column(self) -> bool:
        """s.x where no source is called s: s may be a struct column of the only unknown source, or of
        any of them where such fields are written with a dot.
        """
        several = self.evaluation.facts.fields_by_dot
        return several or self.count_open() == 1

    def count_open(self) -> int:
        """How many sources have columns that are not known."""
        return sum(1 for source in self.open_sources() if source.stars)

    def from_stars(self, source: Source, name: str, key: str, node: exp.Expr) -> Slot | None:
        """t.x, where t's columns are not all known"""
        written = self.origin_name(name, key)
        slot = source.answers.get(written)
        if slot is None:
            if (
                key in self.evaluation.facts.reserved_names
                and is_bare(node, key)
                and key not in NILADIC
            ):
                return self.no_column()

            found = [
                a
                for star in source.stars
                if star.star is not None and (a := answer(star.star, written, key))
            ]
            if not found:
                return None

            slot = found[0] if len(found) == 1 else self.ambiguous(name, found, node)
            source.answers[written] = slot

        return self.learnt(slot, node, self.clause)

    def origin_name(self, name: str, key: str) -> str:
        """t."Id"      another column than t.Id, where the dialect tells them apart"""
        return name if self.evaluation.keys[name] == key else exact_name(name)

    def learnt(self, slot: Slot, node: exp.Expr, clause: Clause) -> Slot:
        """Note a slot's columns as read, and return the slot."""
        for origin, _ in slot.lineage:
            self.evaluation.read(origin, clause, node)

        return slot

    def mark_guess(self, slot: Slot, evidence: str) -> Slot:
        """Mark a slot's lineage as a guess, with its evidence."""
        doubt = Doubt(Confidence.MEDIUM, False, evidence)
        lineage = keep_parts(add_doubt(slot.lineage, doubt), slot.lineage)
        return Slot(slot.name, slot.key, lineage)

    def ambiguous(self, name: str, slots: list[Slot], node: exp.Expr) -> Slot:
        """Every candidate, flagged."""
        evaluation = self.evaluation
        evaluation.ambiguous += 1
        candidates = sorted({str(origin.dataset) for slot in slots for origin, _ in slot.lineage})
        message = f"column '{name}' may come from any of {', '.join(candidates)}"
        evaluation.report(Code.AMBIGUOUS_COLUMN, message, node)
        doubt = Doubt(Confidence.LOW, True, message)
        return Slot(
            name, slots[0].key, unite_lineages(add_doubt(slot.lineage, doubt) for slot in slots)
        )

    # -- not a column ------------------------------------------------------------------------------

    def no_column(self) -> Slot:
        """rownum, ids.NEXTVAL      a name that means something, and no column"""
        self.evaluation.references -= 1
        return UNRESOLVED

    def did_you_mean(self, name: str) -> str:
        """Suggest the column whose name is closest; nothing, where none is, or where most columns
        of a statement are not found.
        """
        if self.evaluation.unresolved > MOST_HINTS:
            return ""

        from lineal.model.names import closest

        columns = {slot.name: source for source in self.order for slot in source.frame.slots}
        near = closest(name, list(columns))
        if near is None:
            return ""

        if near.lower() != name.lower():
            return f"did you mean '{near}'?"

        fold = self.evaluation.fold
        if fold(near, True) != fold(near, False):
            return f'did you mean "{near}", in quotes?'

        return f"did you mean '{columns[near].alias}.{near}'?"


def equals_itself(node: exp.Column) -> bool:
    """a = a      whether a name is compared with the same name"""
    test = node.parent
    if not isinstance(test, exp.EQ) or not isinstance(test.this, exp.Column):
        return False

    return isinstance(test.expression, exp.Column) and bool(test.this == test.expression)
