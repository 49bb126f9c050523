"""Windows of time, which the analyzer makes in operators of their own.

SELECT window.start, count(*) FROM t GROUP BY window(at, '5 minutes')
"""

from __future__ import annotations

from lineal.extract.catalyst.tree import Node

MAKERS = ("Project", "Expand")
"""The operators that make a window of time."""

CONVERSION = "PreciseTimestampConversion"
"""The class by which Spark computes with times."""


def time_window_in(node: Node) -> str:
    """GROUP BY window(t, '5 minutes')

    'Project window', 'Expand session_window': the operator that makes a window, and the window's
    name; '' for any other operator
    """
    if node.name not in MAKERS:
        return ""

    items = node.trees("projectList") or node.trees("projections")
    if not items:
        return ""

    first = items[0]
    if first.name == "Alias" and makes_window(first.children[0]):
        return f"{node.name} {first.args.get('name')}"

    if makes_window(first):
        return f"{node.name} {node.trees('output')[0].args.get('name')}"

    return ""


def makes_window(node: Node) -> bool:
    """named_struct('start', …, 'end', …)      a struct that is computed of times"""
    return node.name == "CreateNamedStruct" and node.contains(CONVERSION)
