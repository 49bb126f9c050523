"""Puts the pages of the site together: those of docs/, and those made from code and cases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from lineal.model.diagnostic import Code
from lineal.rules import RULES
from website.constructs import construct_pages, read_constructs
from website.pages import (
    DOCS,
    Staged,
    outside_code,
    relative,
    repository_pages,
    rewrite_links,
    title_of,
)
from website.problems import problem_pages
from website.python_names import names_page

Nav = list[dict[str, "str | Nav"]]

GUIDES = {
    "Read": """repository folder-of-sql dbt sqlmesh dataform airflow pyspark pandas polars snowpark models
    query-logs postgresql project catalogs unknown-schemas scripts procedures""",
    "Ask": """selectors impact diff rewrites policy validate unused classification describe page coverage agents
    editor""",
    "Run on Spark": "run capture pipeline pipeline-cluster two-engines",
    "Connect": """openlineage openlineage-events datahub openmetadata marquez purview unity snowflake dataplex store
    json ci""",
    "Operate": "large-folders limits",
}
"""The guides by section; one that no section names is listed at the end."""

ORDER = {
    "start": "index sql dbt pyspark query-history spark-cluster",
    "concepts": "index edges usages rows confidence coverage engines",
    "comparisons": "index",
    "reference": """cli api python-names json formats rules diagnostics inputs names http-api store configuration
    accuracy speed""",
}
"""The pages of a section that come first, in this order; the others follow by name."""

SAMPLES = """\
!!! tip "Follow along"
    The commands use the sample projects in `examples/`. `lineal demo --samples` writes them into the current folder.
"""
USES_SAMPLES = re.compile(r"^(?:\$ | {4})?lineal .*\bexamples/", re.MULTILINE)

DIAGRAM = re.compile(r"^```mermaid\n.*?^```$", re.MULTILINE | re.DOTALL)
DRAWN = "![How the rooms of lineal are connected](../pictures/architecture.svg)"


def stage() -> Staged:
    """Return every page of the site, with links that hold there."""
    files: dict[str, Path] = {}
    pages: dict[str, str] = {}
    for place, file in repository_pages():
        text = file.read_text(encoding="utf-8")
        pages[place] = rewrite_links(adapt(place, text), file, place, files)
    pages |= construct_pages() | problem_pages()
    pages["reference/python-names.md"] = names_page()
    link_problems(pages)
    pages["how-to/index.md"] = guides_page(pages)
    pages["decisions/index.md"] = decisions_page(pages)
    for picture in sorted((DOCS / "pictures").iterdir()):
        files[f"pictures/{picture.name}"] = picture
    files["assets/extra.css"] = DOCS / "site.css"
    return Staged(pages, files)


EXAMPLE = re.compile(r"^>>> (?:.+\n)+", re.MULTILINE)
"""A doctest, up to the next empty line."""


def adapt(place: str, text: str) -> str:
    """Return a page with the changes that the site needs."""
    if ">>> " in text:
        text = outside_code(text, lambda part: EXAMPLE.sub(r"```pycon\n\g<0>```\n", part))
    if place == "internals/architecture.md":
        return DIAGRAM.sub(lambda _: DRAWN.replace("../", "docs/"), text)
    if place.startswith("how-to/") and USES_SAMPLES.search(text):
        title, introduction, rest = text.split("\n\n", 2)
        return f"{title}\n\n{introduction}\n\n{SAMPLES}\n{rest}"
    return text


def link_problems(pages: dict[str, str]) -> None:
    """Make the codes in the tables of diagnostics and rules links to their pages."""
    place = "reference/diagnostics.md"
    for code in Code:
        named = f"| `{code.code}` |"
        pages[place] = pages[place].replace(
            named, f"| [`{code.code}`](diagnostics/{code.code}.md) |"
        )
    place = "reference/rules.md"
    for rule in RULES:
        named = f"[{rule.code}](#{rule.code.lower()})"
        pages[place] = pages[place].replace(named, f"[{rule.code}](rules/{rule.code}.md)")


def guides_page(pages: dict[str, str]) -> str:
    """Return the list of guides by section."""
    parts = ["# Guides", "One task per page."]
    for section, places in guide_sections(pages):
        rows = [
            f"- [{title_of(pages[place])}]({relative(place, 'how-to/index.md')})"
            for place in places
        ]
        parts += [f"## {section}", "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def guide_sections(pages: dict[str, str]) -> Iterator[tuple[str, list[str]]]:
    """Yield the guides of each section by their paths."""
    listed = set()
    for section, names in GUIDES.items():
        places = [f"how-to/{name}.md" for name in names.split()]
        listed.update(places)
        yield section, [place for place in places if place in pages]
    others = sorted(place for place in pages if place.startswith("how-to/") and place not in listed)
    others = [place for place in others if place != "how-to/index.md"]
    if others:
        yield "More", others


def decisions_page(pages: dict[str, str]) -> str:
    """Return the list of decisions."""
    places = sorted(place for place in pages if place.startswith("decisions/"))
    rows = [f"- [{title_of(pages[place])}]({place.split('/')[1]})" for place in places]
    return (
        "# Decisions\n\nWhy lineal is built the way it is, one page each.\n\n"
        + "\n".join(rows)
        + "\n"
    )


# -- navigation ------------------------------------------------------------------------------------


def navigation(pages: dict[str, str]) -> Nav:
    """Return the tree of pages as MkDocs takes it."""
    guides: Nav = [{"All guides": "how-to/index.md"}]
    guides += [{section: nav_entries(places, pages)} for section, places in guide_sections(pages)]
    return [
        {"Home": "index.md"},
        {"Get started": section_of("start", pages)},
        {"Guides": guides},
        {"Concepts": section_of("concepts", pages)},
        {"What does X do?": constructs_section(pages)},
        {"Reference": reference_section(pages)},
        {"Comparisons": section_of("comparisons", pages)},
        {"Internals": internals_section(pages)},
    ]


def nav_entries(places: list[str], pages: dict[str, str]) -> Nav:
    """Return the entries of some pages."""
    return [{title_of(pages[place]): place} for place in places]


def section_of(folder: str, pages: dict[str, str]) -> Nav:
    """Return the entries of the pages in a folder, in the order of ORDER."""
    first = [f"{folder}/{name}.md" for name in ORDER[folder].split()]
    found = [place for place in pages if place.startswith(f"{folder}/") and place.count("/") == 1]
    order = {place: number for number, place in enumerate(first)}
    return nav_entries(
        sorted(found, key=lambda place: (order.get(place, len(order)), place)), pages
    )


def constructs_section(pages: dict[str, str]) -> Nav:
    """Return the pages of constructs by group."""
    found: Nav = [{"All constructs": "constructs/index.md"}]
    constructs = read_constructs()
    for group in dict.fromkeys(each.group for each in constructs):
        found.append(
            {group: [{each.name: each.place} for each in constructs if each.group == group]}
        )
    topics = sorted(place for place in pages if place.startswith("constructs/cases-"))
    found.append({"All cases": [{place.split("cases-")[1][:-3]: place} for place in topics]})
    return found


def reference_section(pages: dict[str, str]) -> Nav:
    """Return the reference, with the pages of diagnostics and rules below their lists."""
    found = section_of("reference", pages)
    for entry in found:
        ((title, place),) = entry.items()
        below = str(place).removesuffix(".md") + "/"
        inner = [each for each in pages if each.startswith(below)]
        if inner:
            entry[title] = [{f"All {title.lower()}": place}, *nav_entries(inner, pages)]
    return found


def internals_section(pages: dict[str, str]) -> Nav:
    """Return the pages for developers."""
    decisions = sorted(place for place in pages if place.startswith("decisions/0"))
    inner = [
        f"internals/{name}.md"
        for name in ("architecture", "contributing", "testing", "cases", "rule-cases")
    ]
    rest = [
        f"internals/{name}.md"
        for name in ("sample-project", "security", "code-of-conduct", "changelog")
    ]
    return [
        *nav_entries([place for place in inner if place in pages], pages),
        {"Decisions": [{"All decisions": "decisions/index.md"}, *nav_entries(decisions, pages)]},
        *nav_entries(rest, pages),
    ]
