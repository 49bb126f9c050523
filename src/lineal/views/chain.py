"""The chain view: a column's way, hop by hop, from its origins down.

CHAIN: int_customer_ranking.customer_id
════════════════════════════════════════════════════════════════

  raw_customers.id                   (seed, INTEGER)
       │ rename → description: missing
  stg_customers.customer_id          (sql, INTEGER, pii)
  "Unique identifier for the customer"
       │ copy → description: modified
  int_customer_ranking.customer_id   (sql, INTEGER, pii)
  "Unique customer identifier"

3 nodes in lineage chain.

Upstream, several origins are several paths: each starts at an origin and ends where it meets a path
above it, so that every hop is written once. Downstream, a column that goes several ways is a tree.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from lineal.graph.graph import whole_column
from lineal.model.edge import Column, Dataset, Edge
from lineal.model.grouping import group_pairs
from lineal.views.report import DOWNSTREAM, UPSTREAM, Chain, Report
from lineal.views.safe import make_visible, width
from lineal.views.terminal import Line, Page, Piece, line
from lineal.views.words import confidence, count_noun, kind, node_note

RULE = "═" * 64
MARGIN = "  "
HOP = "     │ "
DEEPEST = 30
"""Branchings within branchings that are drawn; below, a line says how to go on."""


class Node(NamedTuple):
    """A line that names a column or dataset: its notes are aligned on one page."""

    before: str
    name: str
    note: str


Draft = list[Node | Line]


def view(report: Report) -> Page:
    """Return every chain of the report as text, hop by hop."""
    page: Page = []
    several = len({chain.direction for chain in report.chains}) > 1
    for chain in report.chains:
        if page:
            page.append(line())

        page += _chain(report, chain, f", {chain.direction}" if several else "")

    return page


def _chain(report: Report, chain: Chain, suffix: str) -> Page:
    """Return one chain with its heading and the number of its nodes."""
    draft = (
        _draw_upstream(report, chain)
        if chain.direction == UPSTREAM
        else _draw_downstream(report, chain)
    )
    return [
        line(Piece("CHAIN: ", "heading"), Piece(f"{chain.start}{suffix}", "heading")),
        line(Piece(RULE, "rule")),
        line(),
        *_align_notes(draft),
        line(),
        line(f"{count_noun(len(_nodes(chain)), 'node')} in lineage chain."),
    ]


def _nodes(chain: Chain) -> set[Column | Dataset]:
    """A column and its fields are one node."""
    nodes: set[Column | Dataset] = {whole_column(chain.start)}
    for edge, _ in chain.edges:
        if isinstance(edge.target, Column):
            nodes |= {whole_column(edge.source), whole_column(edge.target)}
        elif chain.direction == DOWNSTREAM:
            nodes.add(edge.target)

    return nodes


# -- upstream: paths -------------------------------------------------------------------------------


class Path(NamedTuple):
    """Hops from the last one back to the first; `joins` is the path that leads down to the first."""

    hops: list[Edge]
    joins: int | None


def _draw_upstream(report: Report, chain: Chain) -> Draft:
    """Return the paths from the origins down to the start."""
    paths, home = _paths(report, chain)
    draft: Draft = [] if paths else _node(report, chain.start, MARGIN)
    for number, path in enumerate(paths):
        if len(paths) > 1:
            draft += [line()] if number else []
            draft.append(line(Piece(f"{MARGIN}Path {_letter(number)}:", "heading")))

        draft += _path(report, path, number)
        end = path.hops[0].target
        if number and end != chain.start and isinstance(end, Column):
            draft.append(_reference_line(f"from here on as in Path {_letter(home.get(end, 0))}"))

    return draft + _rows(chain)


def _path(report: Report, path: Path, number: int) -> Draft:
    """Return one path, from its origin to where another one goes on."""
    draft: Draft = []
    if path.joins is not None:
        cycle = path.joins == number
        draft.append(
            _reference_line(
                "a cycle" if cycle else f"down to here as in Path {_letter(path.joins)}"
            )
        )

    draft += _node(report, path.hops[-1].source, MARGIN)
    for position in range(len(path.hops) - 1, -1, -1):
        edge = path.hops[position]
        # a field that is read of the column that the hop makes says more than the column
        reached = path.hops[position - 1].source if position else edge.target
        draft.append(_hop(report, edge, MARGIN + HOP))
        draft += _node(report, reached, MARGIN)

    return draft


def _paths(report: Report, chain: Chain) -> tuple[list[Path], dict[Column, int]]:
    """Return the trace cut into paths, each hop in one of them, and for each column the first path
    that has it.
    """
    traced = {(edge.source, edge.target) for edge, _ in chain.edges}

    def hops_into(column: Column) -> list[Edge]:
        """Return the traced edges into a column, in order."""
        found = (edge for edge in report.graph.into(column) if (edge.source, edge.target) in traced)
        return sorted(
            found, key=lambda edge: (edge.source == edge.target, *report.graph.order_of(edge))
        )

    home: dict[Column, int] = {chain.start: 0}
    pending = deque(hops_into(chain.start))
    paths: list[Path] = []
    while pending:
        edge = pending.popleft()
        hops, joins = [edge], home.get(edge.source)
        while joins is None:
            home[edge.source] = len(paths)
            before = hops_into(edge.source)
            if not before:
                break

            edge = before[0]
            pending.extend(before[1:])
            hops.append(edge)
            joins = home.get(edge.source)

        paths.append(Path(hops, joins if hops_into(edge.source) else None))

    return paths, home


def _rows(chain: Chain) -> Draft:
    """With rows: the columns that decide the rows of each dataset on the way."""
    deciding = group_pairs(
        (edge.target, edge) for edge, _ in chain.edges if isinstance(edge.target, Dataset)
    )
    draft: Draft = []
    for dataset, edges in deciding.items():
        draft += [line(), line(Piece(f"{MARGIN}Rows of {dataset} are decided by:", "heading"))]
        draft += [Node(MARGIN + MARGIN, str(edge.source), kind(edge)) for edge in edges]

    return draft


# -- downstream: a tree ----------------------------------------------------------------------------


class Step(NamedTuple):
    """A column or dataset that is still to be drawn."""

    at: Column | Dataset
    before: str
    branchings: int


def _draw_downstream(report: Report, chain: Chain) -> Draft:
    """Return the tree of all that the start reaches."""
    traced = {(edge.source, edge.target) for edge, _ in chain.edges}
    drawn: set[Column | Dataset] = set()
    draft: Draft = []
    pending: list[Step | Line] = [Step(chain.start, MARGIN, 0)]
    while pending:
        step = pending.pop()
        if not isinstance(step, Step):
            draft.append(step)
            continue

        hops = [
            edge for edge in _edges_out_of(report, step.at) if (edge.source, edge.target) in traced
        ]
        again = step.at in drawn and bool(hops)
        drawn.add(step.at)
        draft += _node(report, step.at, step.before)
        if again:
            draft.append(_reference_line("continues as above", step.before))
        elif hops and step.branchings >= DEEPEST:
            draft.append(_reference_line(f"continues: ask for the chain of {step.at}", step.before))
        else:
            pending.extend(reversed(list(_branches(report, step, hops))))

    return draft


def _edges_out_of(report: Report, at: Column | Dataset) -> list[Edge]:
    """Return the edges out of a column, in the order of the graph."""
    if not isinstance(at, Column):
        return []

    edges = [*report.graph.out_of(at), *report.graph.decided_by(at)]
    return sorted(edges, key=report.graph.order_of)


def _branches(report: Report, step: Step, hops: list[Edge]) -> Iterator[Step | Line]:
    """One way on goes straight down; several are branches."""
    if len(hops) == 1:
        yield _hop(report, hops[0], step.before + HOP)
        yield Step(hops[0].target, step.before, step.branchings)
        return

    for number, edge in enumerate(hops, 1):
        last = number == len(hops)
        yield _hop(report, edge, step.before + ("└── " if last else "├── "))
        yield Step(edge.target, step.before + ("    " if last else "│   "), step.branchings + 1)


# -- lines -----------------------------------------------------------------------------------------


def _node(report: Report, at: Column | Dataset, before: str) -> Draft:
    """Return the lines of a node: its name, its note and its description."""
    if not isinstance(at, Column):
        return [Node(before, str(at), f"({report.graph.kind(at)})")]

    description = report.description(at)
    draft: Draft = [Node(before, str(at), node_note(report, at))]
    if description:
        draft.append(line(Piece(before, "arrow"), Piece(f'"{description}"', "quote")))

    return draft


def _hop(report: Report, edge: Edge, before: str) -> Line:
    """│ rename → description: modified"""
    status, doubt = report.status(edge), confidence(edge)
    pieces = [Piece(before, "arrow"), Piece(kind(edge), edge.kind)]
    if status:
        pieces += [Piece(" → description: ", "note"), Piece(status, status)]

    if doubt:
        pieces.append(Piece(f" [{doubt}]", "note"))

    return line(*pieces)


def _reference_line(text: str, before: str = MARGIN) -> Line:
    """Return a line that says where a path goes on."""
    return line(Piece(before, "arrow"), Piece(f"⋮ {text}", "note"))


def _align_notes(draft: Draft) -> Page:
    """The notes of all nodes begin in one column."""
    nodes = [part for part in draft if isinstance(part, Node)]
    widest = max(width(make_visible(node.before + node.name)) for node in nodes)
    return [_laid_out(part, widest) if isinstance(part, Node) else part for part in draft]


def _laid_out(node: Node, widest: int) -> Line:
    """Return the line of a node with its note in the common column."""
    space = " " * (widest - width(make_visible(node.before + node.name)) + 3)
    return line(
        Piece(node.before, "arrow"), Piece(node.name, "name"), space, Piece(node.note, "note")
    )


def _letter(number: int) -> str:
    """A, B, …, Z, AA, AB, …"""
    letters = ""
    while number >= 0:
        number, rest = divmod(number, 26)
        letters = chr(ord("A") + rest) + letters
        number -= 1

    return letters
