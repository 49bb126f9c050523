"""Case files: reading them, and writing an extraction in their notation."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from lineal.model.diagnostic import Severity
from lineal.model.edge import Dataset
from lineal.model.extraction import ColumnInfo, DatasetInfo, Extraction
from lineal.model.script import Corpus, Script
from lineal.model.way import Confidence

CASES = Path(__file__).parent / "cases"
LANGUAGES = {"python": "python"}
RESULT = re.compile(r"^(result(?:_\d+)?) = ", re.MULTILINE)
BLOCK = re.compile(r"^```([\w-]+)([^\n]*)\n(.*?)^```\s*$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Case:
    path: Path
    title: str
    dialect: str
    sql: str
    schema: tuple[DatasetInfo, ...]
    edges: frozenset[str]
    reads: frozenset[str] | None
    diagnostics: tuple[str, ...]
    pyspark: str = ""
    differs: str = ""
    """why Spark cannot give these edges, when it cannot"""
    scripts: tuple[Script, ...] = ()
    """the files of a case about several files"""

    @property
    def results(self) -> list[str]:
        """What its DataFrame program calls `result`, `result_2`, …; a job that writes tables itself
        has none.
        """
        return list(dict.fromkeys(RESULT.findall(self.pyspark)))

    @property
    def is_job(self) -> bool:
        """Whether its DataFrame program writes tables itself."""
        return ".write" in self.pyspark

    @property
    def facts(self) -> set[str]:
        """A line for each usage, as job scripts have them."""
        lines = [re.split(r"\s{2,}", line) for line in self.edges if not line.startswith("->")]
        return {
            f"{pair.lower()} {usage.split()[0]}"
            for pair, usages, *_ in lines
            for usage in usages.split(", ")
        }

    @cached_property
    def complete(self) -> bool:
        """Whether every dataset's columns are known, so that an engine can analyze the statements."""
        return (
            not self.diagnostics
            and not any(".*" in line or "[" in line for line in self.edges)
            and self.knows_all
        )

    @property
    def knows_all(self) -> bool:
        from lineal.incremental.extraction import extract

        return all(info.complete for info in extract(corpus_of(self)).datasets.values())

    @property
    def name(self) -> str:
        return str(self.path.relative_to(CASES).with_suffix(""))


def all_cases() -> list[Case]:
    """The cases of one text each."""
    return [read_case(path) for path in sorted(CASES.glob("*/*.md")) if path.parent.name != "files"]


def file_cases() -> list[Case]:
    """The cases about several files."""
    return [read_case(path) for path in sorted(CASES.glob("files/*.md"))]


@cache
def read_case(path: Path) -> Case:
    text = path.read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    blocks = {match[1]: (match[2], match[3]) for match in found}
    options, sql = blocks.get("sql", ("", ""))
    given = option("dialect", options)
    dialect = "spark" if given is None else given
    return Case(
        path=path,
        title=text.splitlines()[0].lstrip("# ").strip(),
        dialect=dialect,
        sql=sql,
        scripts=tuple(
            Script(match[3], LANGUAGES.get(match[1], dialect), file)
            for match in found
            if (file := option("file", match[2]))
        ),
        schema=tuple(read_schema(blocks["schema"][1])) if "schema" in blocks else (),
        edges=frozenset(edge_line(line) for line in lines_of(blocks["edges"][1])),
        reads=frozenset(spaced(line) for line in lines_of(blocks["reads"][1]))
        if "reads" in blocks
        else None,
        diagnostics=tuple(sorted(lines_of(blocks["diagnostics"][1])))
        if "diagnostics" in blocks
        else (),
        pyspark=blocks["pyspark"][1] if "pyspark" in blocks else "",
        differs=blocks["spark-differs"][1].strip() if "spark-differs" in blocks else "",
    )


def option(name: str, options: str) -> str | None:
    """The value of name=value behind the language of a block."""
    found = re.search(rf"\b{name}=(\S*)", options)
    return found[1] if found else None


def lines_of(block: str) -> list[str]:
    return [
        line.strip()
        for line in block.splitlines()
        if line.strip() and not line.strip().startswith("#")
    ]


def spaced(line: str) -> str:
    name, clause = re.split(r"\s{2,}", line.strip(), maxsplit=1)
    return f"{name}  {clause}"


def edge_line(line: str) -> str:
    """One spelling for one edge: usages sorted, level in brackets."""
    parts = re.split(r"\s{2,}", line.strip())
    if len(parts) == 1:
        return parts[0]
    usages = ", ".join(sorted(usage.strip() for usage in parts[1].split(",")))
    return "  ".join([parts[0], usages, *parts[2:]])


def read_schema(block: str) -> list[DatasetInfo]:
    datasets = []
    for line in lines_of(block):
        name, columns = line.split("(", 1)
        infos = [column_info(item) for item in top_level_items(columns.rsplit(")", 1)[0])]
        datasets.append(DatasetInfo(Dataset("", name.strip()), "table", infos, complete=True))
    return datasets


def column_info(item: str) -> ColumnInfo:
    quoted = re.match(r'\s*["`]([^"`]+)["`]\s*(.*)', item)
    if quoted:
        return ColumnInfo(quoted[1], quoted[2].strip())
    name, _, kind = item.strip().partition(" ")
    return ColumnInfo(name, kind.strip())


def top_level_items(text: str) -> list[str]:
    items, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += char in "(<"
        depth -= char in ")>"
        if char == "," and depth == 0:
            items.append(text[start:i])
            start = i + 1
    return [item for item in [*items, text[start:]] if item.strip()]


def corpus_of(case: Case) -> Corpus:
    if case.scripts:
        return Corpus(case.dialect, list(case.scripts), list(case.schema))
    script = Script(case.sql, case.dialect, file=case.path.name, target="result")
    return Corpus(case.dialect, [script], list(case.schema))


def edges_in(extraction: Extraction, given: Iterable[DatasetInfo] = ()) -> frozenset[str]:
    """The extraction's edges as case files write them; of a table that was given, only what a
    statement touches.
    """
    known = {info.dataset for info in given}
    lines = set()
    reached = set()
    for edge in extraction.edges:
        usages = sorted(
            {usage.how.value + (" masked" if usage.masked else "") for usage in edge.usages}
        )
        arrow = "->" if edge.field_level else "=>"
        line = f"{edge.source} {arrow} {edge.target}  {', '.join(usages)}"
        if edge.level < Confidence.HIGH:
            line += f"  [{edge.level.name}{' ambiguous' if edge.ambiguous else ''}]"
        lines.add(line)
        reached.add(edge.target)
    for info in extraction.datasets.values():
        if info.dataset in defined(extraction) - known:
            for column in info.columns:
                if not any(str(target) == f"{info.dataset}.{column.name}" for target in reached):
                    lines.add(f"-> {info.dataset}.{column.name}")
    return frozenset(lines)


def defined(extraction: Extraction) -> set[Dataset]:
    targets = {edge.into for edge in extraction.edges} | {read.target for read in extraction.reads}
    return targets | {
        info.dataset for info in extraction.datasets.values() if info.kind in ("query", "view")
    }


def reads_in(extraction: Extraction) -> frozenset[str]:
    return frozenset(
        f"{read.dataset}{'.' + read.column if read.column else ''}  {read.clause.value}"
        for read in extraction.reads
    )


def codes_in(extraction: Extraction) -> tuple[str, ...]:
    return tuple(
        sorted({d.code.code for d in extraction.diagnostics if d.severity >= Severity.WARNING})
    )
