"""The nodes of a plan, each with the one above it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

RETURNS = re.compile(r"\$\d+")


class Node:
    """{"Node Type": "Seq Scan", "Alias": "o", "Output": ["o.id"], …}"""

    def __init__(self, said: dict[str, Any], above: Node | None = None) -> None:
        """Build a node of a plan from what EXPLAIN says of it, with the nodes below."""
        self.said = said
        self.above = above
        self.members = [Node(each, self) for each in said.get("Plans", ())]

    @property
    def kind(self) -> str:
        """Return the type of the node."""
        return str(self.said.get("Node Type", ""))

    @property
    def alias(self) -> str:
        """Return the alias that the node scans under."""
        return str(self.said.get("Alias", ""))

    @property
    def output(self) -> list[str]:
        """Return the expressions that the node gives upwards."""
        return list(self.said.get("Output", ()))

    @property
    def subplan(self) -> str:
        """Return the name of the subplan that this node is.

        SubPlan 1, InitPlan 2 (returns $0), CTE x
        """
        return str(self.said.get("Subplan Name", ""))

    @property
    def relation(self) -> str:
        """Return the table that this node scans.

        schema.table, of a node that scans one
        """
        name = self.said.get("Relation Name")
        return f"{self.said.get('Schema', '')}.{name}" if name else ""

    @property
    def inputs(self) -> list[Node]:
        """The nodes whose rows it works on; subplans are asked for by name."""
        return [member for member in self.members if not member.subplan]

    def walk(self) -> Iterator[Node]:
        """Yield the node and all nodes below it."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.members))

    def cte(self) -> Node | None:
        """Find the plan of the CTE that this node scans.

        CTE Scan on x      the plan of x, the nearest one that is called so
        """
        wanted = f"CTE {self.said.get('CTE Name', '')}"
        node: Node | None = self
        while node is not None:
            for member in node.members:
                if member.subplan == wanted:
                    return member

            node = node.above

        return None

    def working_table(self) -> Node | None:
        """Find the recursive union whose rows this node scans.

        WorkTable Scan on r      the Recursive Union that it stands in
        """
        above = self.above
        while above is not None and above.kind != "Recursive Union":
            above = above.above

        return above

    def parameters(self) -> list[str]:
        """Return the parameters that this plan fills.

        InitPlan 1 (returns $0,$1)      $0, $1
        """
        return RETURNS.findall(self.subplan) if self.subplan.startswith("InitPlan") else []
