"""Count how dense the code is: `make lint` fails when a counter rises above its limit.

python tools/counters.py            the counters of src/lineal next to their limits
python tools/counters.py --rooms    the same for each room
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "lineal"
LONGEST_FUNCTION = 60
HOT_LOOP = "# noqa: C901  "
"""The first line of a loop that every column passes: its reason follows the mark."""

ANY = re.compile(r"\bAny\b")

LIMITS = {
    "branches per 100 lines": 16.0,
    "conditional expressions per 1,000 lines": 13.7,
    "nested conditional expressions": 0,
    f"functions over {LONGEST_FUNCTION} lines": 0,
    "blocks without a blank line behind them": 0,
    "lines with Any": 2280,
    "functions named by a past participle alone": 8,
}
"""Each only falls: lower a limit when the code has become lighter."""

BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.IfExp)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
BLOCKS = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.Match)
BODIES = ("body", "orelse", "finalbody")

PARTICIPLE = re.compile(
    r"_*(?:[a-z]+(?<![nsm]e)ed|made|said|kept|left|held|told|given|taken|seen|written|chosen|hidden)"
)
"""A name that tells nothing of what a function returns or does: united, _asked, made."""


def count_file(path: Path) -> Counter[str]:
    """Count the lines of a file and what makes them dense."""
    text = path.read_text(encoding="utf-8")
    found: Counter[str] = Counter(lines=text.count("\n"))
    lines = text.split("\n")
    found["any"] = sum(map(bool, map(ANY.search, lines)))
    for node in ast.walk(ast.parse(text)):
        found.update(counters_of(node))
        found["long"] += is_too_long(node, lines)
        found["dense"] += dense_blocks(node, lines)

    return found


def dense_blocks(node: ast.AST, lines: list[str]) -> int:
    """Count the blocks of a body that the next statement follows without a blank line."""
    count = 0
    for name in BODIES:
        body = getattr(node, name, None)
        if not isinstance(body, list):
            continue

        for each in body[:-1]:
            count += isinstance(each, BLOCKS) and bool(lines[each.end_lineno].strip())

    return count


def counters_of(node: ast.AST) -> Iterator[str]:
    """Name the counters that a node raises, one for each time."""
    if isinstance(node, BRANCHES):
        yield "branches"
    if isinstance(node, COMPREHENSIONS):
        yield from ["branches"] * len(node.generators)
    if isinstance(node, ast.BoolOp):
        yield from ["branches"] * (len(node.values) - 1)
    if isinstance(node, ast.IfExp):
        yield "conditional"
        if has_another_inside(node):
            yield "nested"
    if isinstance(node, FUNCTIONS) and is_participle(node):
        yield "participle"


def is_participle(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Tell whether a function that is not a property is named by a past participle alone."""
    decorators = {ast.unparse(each).rpartition(".")[2] for each in node.decorator_list}
    is_value = bool(decorators & {"property", "cached_property"})
    return not is_value and PARTICIPLE.fullmatch(node.name) is not None


def has_another_inside(node: ast.IfExp) -> bool:
    """Tell whether a conditional expression holds another one."""
    return any(isinstance(each, ast.IfExp) for each in ast.walk(node) if each is not node)


def is_too_long(node: ast.AST, lines: list[str]) -> bool:
    """Tell whether a function has too many lines and is not marked as a hot loop."""
    if not isinstance(node, FUNCTIONS) or HOT_LOOP in lines[node.lineno - 1]:
        return False

    return (node.end_lineno or node.lineno) - node.lineno >= LONGEST_FUNCTION


def figures_of(counts: Counter[str]) -> dict[str, float]:
    """Return the counters in the order of their limits."""
    lines = counts["lines"] or 1
    figures = (
        round(100 * counts["branches"] / lines, 1),
        round(1000 * counts["conditional"] / lines, 1),
        counts["nested"],
        counts["long"],
        counts["dense"],
        counts["any"],
        counts["participle"],
    )
    return dict(zip(LIMITS, figures, strict=True))


def show_rooms(counts: dict[Path, Counter[str]]) -> None:
    """Print the counters of each room, the densest first."""
    rooms: dict[str, Counter[str]] = {}
    for path, found in counts.items():
        rooms.setdefault(path.relative_to(SOURCE).parts[0], Counter()).update(found)

    for room, found in sorted(rooms.items(), key=lambda each: -each[1]["branches"]):
        figures = "  ".join(f"{value:6}" for value in figures_of(found).values())
        print(f"{room:14} {found['lines']:7,} lines  {figures}")


def main() -> int:
    """Print every counter next to its limit; 1 if one is above it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", action="store_true", help="Show each room.")
    arguments = parser.parse_args()

    counts = {path: count_file(path) for path in sorted(SOURCE.rglob("*.py"))}
    if arguments.rooms:
        show_rooms(counts)

    risen = 0
    for name, value in figures_of(sum(counts.values(), Counter())).items():
        is_above = value > LIMITS[name]
        risen += is_above
        print(f"{'ABOVE' if is_above else 'ok':6} {value:6} (at most {LIMITS[name]})  {name}")
    return 1 if risen else 0


if __name__ == "__main__":
    sys.exit(main())
