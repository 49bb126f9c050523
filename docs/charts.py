"""Draws the charts of README, light and dark, from measured results: python docs/charts.py

accuracy: bench/accuracy/results.json, which `make accuracy` writes
speed:    bench/results.json, which `make bench` writes (`python bench/run.py queries` is enough)
"""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
WIDTH, LABEL, BAR, GAP, TOP = 640, 190, 22, 12, 52
ROOM = WIDTH - LABEL - 70
FONT = "font-family='system-ui, -apple-system, Segoe UI, Roboto, sans-serif'"


class Theme(NamedTuple):
    """The colors of a chart."""

    ink: str
    faint: str
    own: str
    other: str


THEMES = {
    "light": Theme("#1f2328", "#656d76", "#0969da", "#c4ccd6"),
    "dark": Theme("#e6edf3", "#8d96a0", "#4493f8", "#3d444d"),
}


class Bar(NamedTuple):
    """One bar: its label, its length and the figure behind it."""

    label: str
    value: float
    shown: str
    own: bool = False


class Chart(NamedTuple):
    """A chart: what is measured, under which conditions, and its bars."""

    title: str
    about: str
    bars: list[Bar]


def accuracy() -> Chart:
    """Return the chart of exact answers over the TPC-DS queries."""
    made = json.loads((ROOT / "bench" / "accuracy" / "results.json").read_text(encoding="utf-8"))
    suite = made["suites"]["TPC-DS"]
    exact = {name: count for name, count in suite["exact"].items() if name != "lineal, value flow"}
    bars = [
        Bar(name, count, f"{count}", name == "lineal")
        for name, count in sorted(exact.items(), key=lambda pair: (pair[0] != "lineal", -pair[1]))
    ]
    about = f"of {suite['statements']} queries, held against Spark's plans; make accuracy, {made['date']}"
    return Chart("TPC-DS: queries with every column right", about, bars)


SPEED = {
    "sqlglot: parse_one": "sqlglot, parse only",
    "lineal: text to edges": "lineal, all columns",
    "sqlglot: lineage(None, trim_selects=False)": "sqlglot lineage()",
    "sqlglot: lineage(column), column by column": "… column by column",
}
"""The rows of the bench that are drawn."""


def speed() -> Chart:
    """Return the chart of CPU times over the TPC-DS queries."""
    rows = json.loads((ROOT / "bench" / "results.json").read_text(encoding="utf-8"))["figures"]
    chosen = [each for each in rows if each.get("section", "").startswith("TPC-DS")]
    times = {each["what"]: each["seconds"] for each in chosen}
    bars = [
        Bar(label, times[what], shown_time(times[what]), label.startswith("lineal"))
        for what, label in SPEED.items()
    ]
    about = f"CPU time, smallest of several rounds; make bench, {chosen[0]['date']}"
    return Chart("TPC-DS: time to resolve 99 queries", about, bars)


def shown_time(seconds: float) -> str:
    """Return a time with its unit."""
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def draw(chart: Chart, theme: Theme) -> str:
    """Return a chart as SVG."""
    height = TOP + len(chart.bars) * (BAR + GAP)
    longest = max(bar.value for bar in chart.bars)
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {height}' role='img' {FONT}>",
        f"<title>{escape(chart.title)}: {escape(describe_chart(chart))}</title>",
        text(0, 16, chart.title, theme.ink, "font-size='15' font-weight='600'"),
        text(0, 36, chart.about, theme.faint, "font-size='12'"),
    ]
    for number, bar in enumerate(chart.bars):
        parts += draw_bar(bar, TOP + number * (BAR + GAP), bar.value / longest, theme)
    return "\n".join([*parts, "</svg>"]) + "\n"


def draw_bar(bar: Bar, y: int, share: float, theme: Theme) -> list[str]:
    """Return the label, the bar and the figure of a row."""
    weight = "font-size='13' font-weight='600'" if bar.own else "font-size='13'"
    width = max(2, round(ROOM * share))
    color = theme.own if bar.own else theme.other
    return [
        text(0, y + 16, bar.label, theme.ink, weight),
        f"<rect x='{LABEL}' y='{y}' width='{width}' height='{BAR}' rx='3' fill='{color}'/>",
        text(LABEL + width + 8, y + 16, bar.shown, theme.ink, weight),
    ]


def text(x: int, y: int, words: str, color: str, style: str) -> str:
    """Return a line of text."""
    return f"<text x='{x}' y='{y}' fill='{color}' {style}>{escape(words)}</text>"


def describe_chart(chart: Chart) -> str:
    """Return the figures of a chart in words, for readers of the screen."""
    return ", ".join(f"{bar.label} {bar.shown}" for bar in chart.bars)


CHARTS = {
    "accuracy": (ROOT / "bench" / "accuracy" / "results.json", accuracy),
    "speed": (ROOT / "bench" / "results.json", speed),
}
"""Each chart, and the results that it is drawn from."""

if __name__ == "__main__":
    for name, (results, chart) in CHARTS.items():
        if not results.is_file():
            print(f"{results.relative_to(ROOT)} is missing: {name} is not drawn")
            continue
        for theme, colors in THEMES.items():
            picture = PICTURES / f"{name}-{theme}.svg"
            picture.write_text(draw(chart(), colors), encoding="utf-8")
