"""Draws docs/pictures/architecture.svg, the diagram of ARCHITECTURE.md for the site: python docs/diagram.py

The site has no network at view time, so that it cannot load a program that draws Mermaid.
"""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

PICTURE = Path(__file__).resolve().parent / "pictures" / "architecture.svg"
WIDTH, HEIGHT = 980, 400
BOX, INK, LINE = "#eef2fb", "#1f2a44", "#7a869a"
STYLE = "font-family='system-ui, sans-serif' font-size='14'"


class Box(NamedTuple):
    """A room or an input: its text, and where its middle is."""

    text: str
    x: int
    y: int
    width: int = 104
    height: int = 36

    def edge(self, toward: Box) -> tuple[int, int]:
        """Return the point on the side that faces another box."""
        if abs(toward.x - self.x) * self.height >= abs(toward.y - self.y) * self.width:
            return self.x + (self.width if toward.x > self.x else -self.width) // 2, self.y
        return self.x, self.y + (self.height if toward.y > self.y else -self.height) // 2


BOXES = {
    "input": Box("folder, dbt project,\nquery log, PostgreSQL", 85, 90, 150, 52),
    "session": Box("Spark session", 85, 300, 120),
    "projects": Box("projects", 265, 90),
    "incremental": Box("incremental", 265, 170),
    "resolve": Box("resolve", 265, 240),
    "spark": Box("spark", 265, 300),
    "sql": Box("sql", 435, 120, 90),
    "pyspark": Box("pyspark", 435, 180, 90),
    "catalyst": Box("catalyst", 435, 240, 90),
    "postgres": Box("postgres", 435, 300, 90),
    "algebra": Box("algebra", 590, 210),
    "graph": Box("graph", 730, 140),
    "store": Box("store", 730, 280),
    "rules": Box("rules", 860, 70, 90),
    "views": Box("views", 860, 170, 90),
    "cli": Box("cli, web, deliver", 860, 280, 130),
}
ARROWS = (
    "input projects",
    "projects incremental",
    "incremental resolve",
    "resolve sql",
    "resolve pyspark",
    "session spark",
    "spark catalyst",
    "projects postgres",
    "sql algebra",
    "pyspark algebra",
    "catalyst algebra",
    "postgres algebra",
    "algebra graph",
    "algebra store",
    "graph rules",
    "graph views",
    "rules views",
    "views cli",
)


def draw() -> str:
    """Return the diagram as SVG."""
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' role='img' {STYLE}>",
        "<title>How the rooms of lineal are connected</title>",
        "<defs><marker id='end' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' markerHeight='7' orient='auto'>"
        f"<path d='M0 0 L8 4 L0 8 z' fill='{LINE}'/></marker></defs>",
        f"<rect x='375' y='60' width='120' height='280' rx='10' fill='none' stroke='{LINE}' stroke-dasharray='4 4'/>",
        f"<text x='435' y='84' text-anchor='middle' fill='{LINE}'>extract</text>",
        *map(arrow, ARROWS),
        *map(box, BOXES.values()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def arrow(pair: str) -> str:
    """Return the arrow between two boxes."""
    start, end = (BOXES[name] for name in pair.split())
    (x1, y1), (x2, y2) = start.edge(end), end.edge(start)
    return f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{LINE}' stroke-width='1.5' marker-end='url(#end)'/>"


def box(each: Box) -> str:
    """Return a box with its text."""
    left, top = each.x - each.width // 2, each.y - each.height // 2
    lines = each.text.split("\n")
    first = each.y + 5 - 9 * (len(lines) - 1)
    texts = [
        f"<text x='{each.x}' y='{first + 18 * number}' text-anchor='middle' fill='{INK}'>{escape(line)}</text>"
        for number, line in enumerate(lines)
    ]
    size = f"width='{each.width}' height='{each.height}'"
    shape = f"<rect x='{left}' y='{top}' {size} rx='6' fill='{BOX}' stroke='{LINE}'/>"
    return shape + "".join(texts)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
