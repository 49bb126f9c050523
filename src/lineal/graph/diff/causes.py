"""From differences to findings: a changed definition is one, with the changes that follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from lineal.graph.change import DROP, Change
from lineal.graph.diff.compare import OWN, Comparison, Detail, EdgeChange, edges_of_one
from lineal.graph.diff.pairs import Pairs
from lineal.graph.diff.side import Key, fold, key_of
from lineal.graph.effects import BREAKS, effects
from lineal.graph.graph import Graph
from lineal.graph.names_used import NamesUsed, mentions
from lineal.model.diagnostic import Code, Diagnostic, Place, Severity
from lineal.model.edge import Column
from lineal.model.grouping import group_pairs
from lineal.model.policy import SEVEREST_FIRST, Level, Policy
from lineal.model.reach import reach
from lineal.model.sequences import first_of_each, first_or_none, invert

MOST_FOLLOWED = 500
"""Columns that are gone and followed to their readers; of more than that only whether anybody
reads them.
"""
LOSSES = ("column-removed", "column-renamed")
ERRORS = "errors-added"


class Broken(NamedTuple):
    """A statement that still names a removed dataset or column."""

    dataset: str
    why: str
    place: Place | None


@dataclass(frozen=True)
class Reach:
    """The columns and datasets that a change may affect, and the statements that it breaks."""

    columns: tuple[str, ...] = ()
    datasets: tuple[str, ...] = ()
    breaks: tuple[Broken, ...] = ()


@dataclass(frozen=True)
class Finding:
    """One definition that is not as it was."""

    kind: str
    level: Level
    dataset: str
    place: Place | None
    details: tuple[Detail, ...]
    edges: tuple[EdgeChange, ...] = ()
    reach: Reach = field(default_factory=Reach)
    follows: tuple[str, ...] = ()
    """the datasets that are others because of it, without having been touched"""


class Restyled(NamedTuple):
    """A statement that was written in another way, or moved to another file, and means the same."""

    dataset: str
    note: str
    place: Place | None


def findings_of(pairs: Pairs, policy: Policy) -> tuple[list[Finding], list[Detail], list[Restyled]]:
    """Return the findings, the worst first, then the changed descriptions, then the statements that
    say the same in other words.
    """
    return _Causes(pairs, policy).all()


@dataclass
class _Root:
    """A change that nothing else explains."""

    key: Key
    details: list[Detail]
    edges: list[EdgeChange]
    comparison: Comparison | None = None
    follows: dict[Key, str] = field(default_factory=dict)


class _Causes:
    def __init__(self, pairs: Pairs, policy: Policy) -> None:
        self.pairs = pairs
        self.base, self.head = pairs.base, pairs.head
        self.policy = policy
        self.roots: dict[Key, _Root] = {}
        self.notes: list[Detail] = []
        self.restyled: list[Restyled] = []
        self.waiting: list[Comparison] = []
        self.followed = 0

    def all(self) -> tuple[list[Finding], list[Detail], list[Restyled]]:
        """Return findings, notes and restyled statements."""
        for comparison in self.pairs.common:
            self.sort(comparison)

        self.relaid()
        self.only_on_one_side()
        self.attach()
        self.join_scripts()
        self.add_errors()
        findings = [
            self.finding(root)
            for root in self.roots.values()
            if not self.policy.ignores(root.key[1])
        ]
        findings += list(map(self.error, self.errors_elsewhere(findings)))
        return (
            sorted(findings, key=rank),
            sorted(self.notes),
            sorted(self.restyled, key=lambda each: each[:2]),
        )

    # -- kinds of changes --------------------------------------------------------------------------

    def sort(self, comparison: Comparison) -> None:
        """File a comparison under its cause: a root, a follower or a change of style."""
        if comparison.is_untouched:
            return

        own = [detail for detail in comparison.details if detail.kind in OWN]
        loud = [detail for detail in own if self.policy.level(detail.kind) > Level.SAFE]
        self.notes += [detail for detail in own if detail not in loud]
        lineage = [detail for detail in comparison.details if detail.kind not in OWN]
        if comparison.key in self.pairs.renamed:
            before = self.base.name(comparison.key)
            lineage.insert(
                0, Detail("dataset-renamed", comparison.name, "", before, comparison.name)
            )

        if not lineage:
            self.restyle(comparison)
        elif self.is_follower(comparison, lineage):
            self.waiting.append(comparison)
            lineage = []

        if lineage or loud:
            edges = comparison.edges if lineage else []
            self.roots[comparison.new] = _Root(comparison.new, [*lineage, *loud], edges, comparison)

    def is_follower(self, comparison: Comparison, lineage: list[Detail]) -> bool:
        """Tell whether only other datasets changed what this one returns."""
        if comparison.key in self.pairs.renamed:
            return False

        if comparison.same_words:
            return comparison.key in self.base.statements

        return self.reads_renamed(comparison) and [detail.kind for detail in lineage] == [
            "logic-changed"
        ]

    def reads_renamed(self, comparison: Comparison) -> bool:
        """Tell whether a statement had to be edited, because what it reads goes by another name."""
        read = self.base.read_by.get(comparison.key, {})
        columns = set(first_of_each(comparison.columns_renamed))
        return any(key in self.pairs.renamed or key in columns for key in read)

    def restyle(self, comparison: Comparison) -> None:
        """Note a statement that is written in another way or has moved."""
        note = "" if comparison.same_words else "is written in another way"
        if comparison.moved is not None:
            before, after = comparison.moved
            note = f"{note}, and moved" if note else "moved"
            note = f"{note} from {before} to {after}"

        if note:
            self.restyled.append(Restyled(comparison.name, note, self.head.place(comparison.new)))

    def relaid(self) -> None:
        """A file in which only comments and layout are others: so is each of its statements."""
        edited = {
            file
            for each in self.pairs.common
            if not each.same_words
            for file in self.head.files(each.new)
        }
        told = {each.dataset for each in self.restyled}
        for each in self.pairs.common:
            before, after = self.base.texts(each.key), self.head.texts(each.new)
            quiet = (
                each.same_words and before and after and before != after and each.name not in told
            )
            if quiet and edited.isdisjoint(self.head.files(each.new)):
                note = "has other comments or another layout"
                self.restyled.append(Restyled(each.name, note, self.head.place(each.new)))

    def only_on_one_side(self) -> None:
        """Make a root of each dataset that was added or removed."""
        for key in self.pairs.removed:
            detail = Detail("dataset-removed", self.base.name(key), "", self.base.info(key).kind)
            self.roots[key] = _Root(key, [detail], edges_of_one(self.base, key, new=False))

        for key in self.pairs.added:
            detail = Detail("dataset-added", self.head.name(key), "", "", self.head.info(key).kind)
            self.roots[key] = _Root(key, [detail], edges_of_one(self.head, key, new=True))

    # -- what follows from what --------------------------------------------------------------------

    def attach(self) -> None:
        """A dataset whose statement was not touched follows the changes that lie before it."""
        waiting = {comparison.new: comparison for comparison in self.waiting}
        causes: dict[Key, list[_Root]] = {}
        for root in self.roots.values():
            for key in self.behind(root.key):
                if key in waiting:
                    causes.setdefault(key, []).append(root)

        functions = [root for root in self.roots.values() if self.is_function(root.key)]
        for key, comparison in waiting.items():
            for root in causes.get(key) or functions:
                root.follows[key] = comparison.name

            if not causes.get(key) and not functions:
                details = [detail for detail in comparison.details if detail.kind not in OWN]
                self.roots[key] = _Root(key, details, comparison.edges, comparison)

    def is_function(self, key: Key) -> bool:
        """Tell whether the key belongs to a function."""
        several = (*self.base.statements.get(key, ()), *self.head.statements.get(key, ()))
        return any(statement.kind == "function" for statement in several)

    def behind(self, start: Key) -> Iterator[Key]:
        """Everything that reads a dataset, in either graph, directly or through others."""
        old = invert(self.pairs.renamed)

        def readers_of(here: Key) -> Iterator[Key]:
            """Yield the datasets that read a dataset, by their names on the head side."""
            for key in self.base.readers.get(old.get(here, here), {}):
                yield self.pairs.renamed.get(key, key)

            yield from self.head.readers.get(here, {})

        return reach([start], readers_of)

    def join_scripts(self) -> None:
        """Of a script that counts as a whole, the datasets that only its text touches follow those
        that it changes.
        """
        scripts = group_pairs(
            (tuple(self.head.words_of(root.key)), root)
            for root in self.roots.values()
            if root.comparison is not None and not root.comparison.same_words
        )
        for several in scripts.values():
            quiet = [
                root
                for root in several
                if [detail.kind for detail in root.details] == ["logic-changed"]
            ]
            first = next((root for root in several if root not in quiet), first_or_none(quiet))
            for root in quiet:
                if first is not None and root is not first:
                    first.follows |= {root.key: self.head.name(root.key), **root.follows}
                    del self.roots[root.key]

    # -- findings ----------------------------------------------------------------------------------

    def finding(self, root: _Root) -> Finding:
        """Return the finding of a root: its most severe detail names it."""
        broken = list(self.broken_datasets(root))
        details = [self.with_readers(detail, root, broken) for detail in root.details]
        kind = min(
            (detail.kind for detail in details),
            key=lambda each: (-self.policy.level(each), _order(each)),
        )
        place = self.head.place(root.key) or self.base.place(root.key)
        return Finding(
            kind,
            self.policy.level(kind),
            self.head.name(root.key)
            if root.key in self.head.datasets
            else self.base.name(root.key),
            place,
            tuple(sorted(details, key=lambda each: (_order(each.kind), each.column))),
            tuple(root.edges),
            self.reach(root, broken),
            tuple(sorted(root.follows.values())),
        )

    def with_readers(self, detail: Detail, root: _Root, broken: list[Broken]) -> Detail:
        """column-removed becomes column-removed-read, where a statement still names the column."""
        if detail.kind in (*LOSSES, "dataset-removed", "dataset-renamed"):
            name = name_before(detail)
            read = any(name in each.why for each in broken)
        elif detail.kind == "type-changed":
            read = (root.key, fold(detail.column)) in self.head.columns_read
        else:
            return detail

        if read:
            return detail._replace(kind=f"{detail.kind}-read")

        return detail

    def broken_datasets(self, root: _Root) -> Iterator[Broken]:
        """Yield the datasets that a root breaks."""
        for detail in root.details:
            if detail.kind in LOSSES and root.comparison is not None:
                yield from self.broken_by_column(root.comparison, detail)
            elif detail.kind in ("dataset-removed", "dataset-renamed"):
                old = root.comparison.key if root.comparison is not None else root.key
                for reader in self.head.readers.get(old, {}):
                    if reader != old:
                        yield Broken(
                            self.head.name(reader),
                            f"reads {self.base.name(old)}",
                            self.head.place(reader),
                        )

    def broken_by_column(self, comparison: Comparison, detail: Detail) -> Iterator[Broken]:
        """Yield the datasets that name a column which is gone."""
        column = self.base.column(
            comparison.key, fold(detail.before if detail.kind == LOSSES[1] else detail.column)
        )
        said = f"names {detail.dataset}.{column.name}"
        self.followed += 1
        if self.followed > MOST_FOLLOWED:
            return

        lost = effects(self.base.graph, column, Change(DROP), self.used)
        for each in (*lost.datasets, *lost.consumers):
            key = key_of(each.dataset)
            new = self.pairs.renamed.get(key, key)
            if each.effect == BREAKS and new in self.head.datasets and self.still(key, new, column):
                yield Broken(self.head.name(new), said, each.place or self.head.place(new))

    @cached_property
    def used(self) -> NamesUsed:
        """Return the index of names that the base side uses."""
        return NamesUsed(self.base.graph)

    def still(self, key: Key, new: Key, column: Column) -> bool:
        """Whether a statement that named a column does so now: it was not touched, or it is refused
        for that.
        """
        if self.base.words_of(key) == self.head.words_of(new):
            return True

        files = self.head.files(new)
        return any(
            found.code is Code.UNRESOLVED_COLUMN and mentions(found.message, column.name)
            for found in self.head.graph.extraction.diagnostics
            if found.file in files
        )

    def reach(self, root: _Root, broken: Iterable[Broken]) -> Reach:
        """Return everything downstream of the changed columns; of all columns, if the rows or the
        statement changed.
        """
        if root.key in self.head.datasets:
            side, key = self.head, root.key
        else:
            side, key = self.base, root.key

        named = {
            fold(detail.column)
            for detail in root.details
            if detail.column and detail.kind != "column-added"
        }
        wide = any(not detail.column and detail.kind != "dataset-added" for detail in root.details)
        starts = (
            [*side.columns(key)] if wide else [name for name in side.columns(key) if name in named]
        )
        found = reach_columns(side.graph, [side.column(key, name) for name in starts])
        lost = [
            fold(d.before if d.kind == LOSSES[1] else d.column)
            for d in root.details
            if d.kind in LOSSES
        ]
        if lost and root.comparison is not None:
            old = root.comparison.key
            found |= reach_columns(self.base.graph, [self.base.column(old, name) for name in lost])

        datasets = {column.dataset.name for column in found} | {each.dataset for each in broken}
        columns = tuple(sorted(map(str, found)))
        return Reach(
            columns, tuple(sorted(datasets)), tuple(sorted(set(broken), key=lambda each: each[:2]))
        )

    @cached_property
    def new_errors(self) -> list[Diagnostic]:
        """Return the errors that the base side does not have."""
        known = {
            (found.code, fold(found.message)) for found in self.base.graph.extraction.diagnostics
        }
        errors = (
            each
            for each in self.head.graph.extraction.diagnostics
            if each.severity >= Severity.ERROR
        )
        return [each for each in errors if (each.code, fold(each.message)) not in known]

    def add_errors(self) -> None:
        """A statement that was changed, and cannot be read any more: one finding says both."""
        for root in self.roots.values():
            files = self.head.files(root.key) or self.base.files(root.key)
            for found in self.new_errors:
                if found.file in files:
                    root.details.append(
                        Detail(ERRORS, self.base.name(root.key), "", "", found.message)
                    )

    def errors_elsewhere(self, findings: list[Finding]) -> Iterator[Diagnostic]:
        """Return new errors that no other finding reports."""
        told = {finding.place.file for finding in findings if finding.place is not None}
        told |= {
            file
            for root in self.roots.values()
            for key in root.follows
            for file in self.head.files(key)
        }
        told |= {
            each.place.file
            for finding in findings
            for each in finding.reach.breaks
            if each.place is not None
        }
        return (
            found
            for found in self.new_errors
            if found.place is None or found.place.file not in told
        )

    def error(self, found: Diagnostic) -> Finding:
        """Return the finding of a new error."""
        detail = Detail(ERRORS, "", "", "", found.message)
        return Finding(ERRORS, self.policy.level(ERRORS), "", found.place, (detail,))


def name_before(detail: Detail) -> str:
    """Return the name that statements read before the change: of the column, or of the dataset."""
    if detail.column:
        column = detail.before if detail.kind == "column-renamed" else detail.column
        return f"{detail.dataset}.{column}"

    if detail.kind == "dataset-renamed":
        return detail.before

    return detail.dataset


def reach_columns(graph: Graph, starts: Iterable[Column]) -> set[Column]:
    """Every column that is made of these, or is in a dataset whose rows they decide."""
    starts = list(starts)
    met: set[Column] = set(starts)
    rows: set[object] = set()
    border = list(starts)
    while border:
        column = border.pop()
        targets = [edge.target for edge in graph.out_of(column)]
        for edge in graph.decided_by(column):
            if edge.target not in rows:
                rows.add(edge.target)
                targets += graph.columns(edge.into)

        for target in targets:
            if isinstance(target, Column) and target not in met:
                met.add(target)
                border.append(target)

    return met.difference(starts)


def _order(kind: str) -> int:
    """Return the position of a kind among the severest first."""
    return SEVEREST_FIRST.index(kind)


def rank(finding: Finding) -> tuple[int, int, str]:
    """Return the sort key of a finding."""
    return (-finding.level, _order(finding.kind), finding.dataset)
