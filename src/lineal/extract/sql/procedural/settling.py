"""The order in which assignments are evaluated: what one needs comes first, circles together.

WHILE … LOOP x := y; y := x + z; END LOOP      a circle of two assignments
"""

from __future__ import annotations

from collections.abc import Iterator

from lineal.extract.sql.procedural.flow import Assignment, Body


def circles(
    assignment: Assignment, body: Body, settled: set[Assignment], active: set[Assignment]
) -> list[list[Assignment]]:
    """The assignments that one needs and that are neither settled nor being evaluated, those first
    that need no other (Tarjan's algorithm).
    """
    found: list[list[Assignment]] = []
    index: dict[Assignment, int] = {}
    low: dict[Assignment, int] = {}
    path: list[Assignment] = []
    on_path: set[Assignment] = set()
    work: list[tuple[Assignment, Iterator[Assignment]]] = []

    def visit(node: Assignment) -> None:
        """Enter an assignment: number it and put it on the path."""
        index[node] = low[node] = len(index)
        path.append(node)
        on_path.add(node)
        work.append((node, iter(list(body.needs(node)))))

    visit(assignment)

    while work:
        node, needed = work[-1]
        waiting = (other for other in needed if other not in settled and other not in active)
        following = next(waiting, None)
        if following is None:
            work.pop()
            if work:
                low[work[-1][0]] = min(low[work[-1][0]], low[node])

            if low[node] == index[node]:
                start = path.index(node)
                found.append(path[start:])
                on_path.difference_update(path[start:])
                del path[start:]
        elif following not in index:
            visit(following)
        elif following in on_path:
            low[node] = min(low[node], index[following])

    return found
