"""The expressions of a plan as SQL: what only plans write gets a name that can be looked up."""

from __future__ import annotations

import re
from typing import Any

from lineal.extract.sql.dialects import parser_dialect

SPECIAL = re.compile(
    r"""(?P<kept>'(?:[^']|'')*'|"(?:[^"]|"")*")
    |(?P<window>\bOVER\ \(\?\))
    |(?P<exists>\bEXISTS\((?:hashed\ )?SubPlan\ \d+\))
    |\((?P<hashed>hashed\ )?(?P<plan>(?:rescan\ )?(?:SubPlan|InitPlan)\ \d+)\)(?:\.(?P<column>col\d+))?
    |(?P<parameter>\$\d+)""",
    re.VERBOSE,
)


def as_sql(text: str, parameters: set[str]) -> str:
    """Rewrite an expression of a plan as SQL that parses.

    (SubPlan 1), $0, sum(x) OVER (?)      "SubPlan 1".col1, "$0".col1, sum(x) OVER ()
    """

    def write_part(found: re.Match[str]) -> str:
        """Return a part of the plan's text as SQL that parses."""
        if found["kept"]:
            return found["kept"]

        if found["window"]:
            return "OVER ()"

        if found["exists"]:
            return "TRUE"

        if found["parameter"]:
            return (
                f'"{found["parameter"]}".col1'
                if found["parameter"] in parameters
                else found["parameter"]
            )

        return f'"{found["hashed"] or ""}{found["plan"].removeprefix("rescan ")}".{found["column"] or "col1"}'

    return SPECIAL.sub(write_part, text)


def parse_expression(text: str) -> Any:
    """The tree of an expression."""
    return parser_dialect("postgres").parse(f"SELECT {text}")[0]


def normal(node: Any) -> str:
    """Two expressions that are written alike, whatever the parentheses around them."""
    return str(node.unnest().sql(dialect="postgres", comments=False))
