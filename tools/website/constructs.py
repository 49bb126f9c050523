"""The pages "What does X do?": the cases of each construct, and all cases by topic."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from website.pages import DOCS, ROOT, DeadLink, slug

CASES = ROOT / "tests" / "cases"
MOST_IN_FULL, MOST_LISTED = 8, 40
BLOCK = re.compile(r"^```([\w-]+)([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)
DIALECT = re.compile(r"\bdialect=(\w+)")
FILE = re.compile(r"\bfile=(\S+)")
SHOWN = {"sql": "sql", "python": "python", "schema": "text", "edges": "text", "diagnostics": "text"}
"""The blocks of a case that are shown, and how they are highlighted."""
LABELS = {"schema": "Schema", "edges": "Edges", "diagnostics": "Diagnostics"}


class Case(NamedTuple):
    """A case file, as far as pages show it."""

    path: str
    title: str
    prose: str
    blocks: list[tuple[str, str, str]]

    @property
    def topic(self) -> str:
        """Return the folder of the case."""
        return self.path.split("/")[0]

    @property
    def anchor(self) -> str:
        """Return the anchor of the case on the page of its topic."""
        return self.path.split("/")[1].removesuffix(".md")

    @property
    def code(self) -> str:
        """Return the SQL and Python of the case."""
        return "\n".join(text for kind, _, text in self.blocks if kind in ("sql", "python"))

    @property
    def dialect(self) -> str:
        """Return the dialect of the case."""
        named = [DIALECT.search(options) for kind, options, _ in self.blocks if kind == "sql"]
        return next((found[1] for found in named if found), "spark")


class Construct(NamedTuple):
    """A row of constructs.toml."""

    name: str
    group: str
    pattern: re.Pattern[str]
    folders: tuple[str, ...]
    first: tuple[str, ...]
    about: str

    @property
    def place(self) -> str:
        """Return the path of the page."""
        return f"constructs/{slug(self.name).replace('_', '-').replace('--', '-').strip('-')}.md"


def read_constructs() -> list[Construct]:
    """Return the rows of constructs.toml."""
    rows = tomllib.loads((DOCS / "constructs.toml").read_text(encoding="utf-8"))["construct"]
    return [
        Construct(
            row["name"],
            row["group"],
            re.compile(row["match"], re.IGNORECASE),
            tuple(row.get("folders", ())),
            tuple(row.get("first", ())),
            row["about"],
        )
        for row in rows
    ]


def read_cases() -> list[Case]:
    """Return all cases, by path."""
    return [read_case(file) for file in sorted(CASES.glob("*/*.md"))]


def read_case(file: Path) -> Case:
    """Read one case file."""
    text = file.read_text(encoding="utf-8")
    title, _, rest = text.partition("\n")
    prose = BLOCK.sub("", rest).strip()
    path = file.relative_to(CASES).as_posix()
    return Case(
        path, title.lstrip("# ").strip(), prose, [found.groups() for found in BLOCK.finditer(text)]
    )


def cases_of(construct: Construct, cases: list[Case]) -> list[Case]:
    """Return the cases of a construct: the chosen ones, then by folder, short ones before long ones."""
    named = {case.path.removesuffix(".md"): case for case in cases}
    unknown = [name for name in construct.first if name not in named]
    if unknown:
        raise DeadLink(f"docs/constructs.toml: {construct.name}: no case {', '.join(unknown)}")

    chosen = [named[name] for name in construct.first]
    order = {folder: number for number, folder in enumerate(construct.folders)}
    found = [
        case
        for case in cases
        if (not order or case.topic in order) and construct.pattern.search(case.code)
    ]
    found.sort(key=lambda case: (order.get(case.topic, 0), len(case.code), case.path))
    return chosen + [case for case in found if case not in chosen]


def construct_pages() -> dict[str, str]:
    """Return every page of this section by its path."""
    constructs, cases = read_constructs(), read_cases()
    pages = {"constructs/index.md": index_page(constructs, cases)}
    for construct in constructs:
        pages[construct.place] = construct_page(construct, cases_of(construct, cases))
    for topic in sorted({case.topic for case in cases}):
        chosen = [case for case in cases if case.topic == topic]
        pages[f"constructs/cases-{topic}.md"] = topic_page(topic, chosen)
    return pages


def index_page(constructs: list[Construct], cases: list[Case]) -> str:
    """Return the list of all constructs by group, and of all topics."""
    parts = [
        "# What does X do?",
        "One page per SQL construct: what it does to lineage, and queries with every edge that lineal finds. "
        f"The queries are the {len(cases):,} cases that each release is tested with. "
        "[How to read edges](../concepts/edges.md)",
    ]
    for group in dict.fromkeys(construct.group for construct in constructs):
        rows = [
            f"- [{each.name}]({each.place.split('/')[1]})"
            for each in constructs
            if each.group == group
        ]
        parts += [f"## {group}", "\n".join(rows)]
    topics = sorted({case.topic for case in cases})
    rows = [
        f"- [{topic}](cases-{topic}.md): {sum(case.topic == topic for case in cases)} cases"
        for topic in topics
    ]
    return "\n\n".join([*parts, "## All cases by topic", "\n".join(rows)]) + "\n"


def construct_page(construct: Construct, cases: list[Case]) -> str:
    """Return the page of a construct: what it does, the shortest cases, and links to others."""
    parts = [f"# What does {construct.name} do?", construct.about]
    for case in cases[:MOST_IN_FULL]:
        parts += [f"## {case.title}", *case_parts(case)]
    more = cases[MOST_IN_FULL:]
    if more:
        listed = [
            f"- [{escape(case.title)}](cases-{case.topic}.md#{case.anchor}) ({case.dialect})"
            for case in more[:MOST_LISTED]
        ]
        parts += ["## More cases", "\n".join(listed)]
    if len(more) > MOST_LISTED:
        parts.append(
            f"… and {len(more) - MOST_LISTED} more: see [all cases](index.md#all-cases-by-topic)."
        )
    return "\n\n".join(parts) + "\n"


def topic_page(topic: str, cases: list[Case]) -> str:
    """Return the page with all cases of a folder."""
    about = f"All {len(cases)} cases of `tests/cases/{topic}`. `->` leads to a column, `=>` to the rows of a dataset."
    parts = [f"# All cases: {topic}", about]
    for case in cases:
        parts += [f"## {escape(case.title)} {{ #{case.anchor} }}", *case_parts(case)]
    return "\n\n".join(parts) + "\n"


def case_parts(case: Case) -> Iterator[str]:
    """Yield the prose and the blocks of a case."""
    if case.prose:
        yield case.prose
    for kind, options, text in case.blocks:
        if kind in SHOWN:
            yield f'``` {{ .{SHOWN[kind]} title="{label_of(kind, options, case)}" }}\n{text}```'


def label_of(kind: str, options: str, case: Case) -> str:
    """Return the title of a block: its file, or its dialect, or its kind."""
    file = FILE.search(options)
    if file:
        return file[1]
    return LABELS.get(kind, f"SQL ({case.dialect or 'any dialect'})")


def escape(text: str) -> str:
    """Return a title as it is written in a heading or link."""
    return text.replace("*", "\\*").replace("_", "\\_").replace("[", "\\[").replace("<", "&lt;")
