"""Two graphs compared: the columns, edges, types and statements that changed, their impact, and the
advice for each.

    found = diff(Graph(before), Graph(after))
    found.verdict                     Level.SAFE, Level.REVIEW or Level.BLOCK
    found.findings                    one for each definition that was changed, the worst first

What follows from a change elsewhere (a star that passes a new column on) is no finding of its own:
it stands with its cause. A statement that is written in another way, and means the same, is
cosmetic.
"""

from __future__ import annotations

from lineal.graph.diff.causes import Finding, Reach, Restyled, findings_of, rank
from lineal.graph.diff.compare import Comparison, Detail, EdgeChange
from lineal.graph.diff.difference import Difference
from lineal.graph.diff.gates import apply_policy
from lineal.graph.diff.overlay import Overlay, overlay
from lineal.graph.diff.pairs import comparisons
from lineal.graph.diff.side import Side
from lineal.graph.graph import Graph
from lineal.model.policy import DEFAULT, Policy

__all__ = [
    "Comparison",
    "Detail",
    "Difference",
    "EdgeChange",
    "Finding",
    "Overlay",
    "Reach",
    "Restyled",
    "diff",
    "overlay",
]


def diff(base: Graph, head: Graph, policy: Policy = DEFAULT) -> Difference:
    """Return the differences between base and head."""
    before, after = Side(base), Side(head)
    pairs = comparisons(before, after)
    found, notes, restyled = findings_of(pairs, policy)
    findings = sorted(apply_policy(pairs, found, policy), key=rank)
    return Difference(pairs, tuple(findings), tuple(notes), tuple(restyled))
