"""Notebooks: .ipynb files, Databricks source files, raw magics; as Python, line by line."""

from __future__ import annotations

import ast
import json
import re
from functools import lru_cache

from lineal.model.boundary import describe_error
from lineal.model.sequences import first_or_none

DATABRICKS = "# Databricks notebook source"
MAGIC = re.compile(r"^# MAGIC ?(.*)$")
CELL = re.compile(r"^# COMMAND -+\s*$")
LANGUAGE = re.compile(r"^\s*%{1,2}(\w+)\s*(.*)$")
MAGICS = re.compile(r"^\s*[%!]", re.MULTILINE)


def python_of(text: str, path: str) -> tuple[str, list[int] | None]:
    """The Python of a file, and for a notebook the line of the file that each line of it stands
    for.
    """
    text = text.removeprefix("\ufeff")
    if path.endswith(".ipynb"):
        return of_jupyter(text)

    if DATABRICKS in text[:200]:
        return of_databricks(text), None

    if MAGICS.search(text) and not is_python(text):
        return of_magics(text), None

    return text, None


def is_python(text: str) -> bool:
    """Tell whether a text is Python as it is: a line with `%s` is then a part of a string.

    cursor.execute('''INSERT INTO t VALUES (
        %s, %s)''')
    """
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False

    return True


def of_jupyter(text: str) -> tuple[str, list[int]]:
    """Cells of code one after the other; a cell's lines are looked up in the file where they can be
    found.
    """
    raw = text.splitlines()
    found: list[str] = []
    places: list[int] = []
    cursor = 0

    for source in code_of(text):
        for line in cell_lines(source.split("\n")):
            found.append(line)
            wanted = json.dumps(line.strip())[1:-1]
            for position in range(cursor, min(cursor + 400, len(raw))):
                if wanted and wanted in raw[position]:
                    cursor = position
                    break

            places.append(cursor + 1)

    return "\n".join(found), places


@lru_cache(maxsize=8)
def cells_or_text(text: str) -> str:
    """Return the code of a notebook without its outputs, or the text of any other program."""
    if not text.lstrip().startswith("{"):
        return text

    try:
        return "\n".join(code_of(text))
    except NotANotebook:
        return text


class NotANotebook(ValueError):
    """The text is not the JSON of a notebook."""


def code_of(text: str) -> list[str]:
    """The text of each cell of code."""
    try:
        cells = json.loads(text)["cells"]
        sources = [cell["source"] for cell in cells if cell.get("cell_type") == "code"]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise NotANotebook(f"not a Jupyter notebook: {describe_error(error)}") from None

    return [
        "".join(map(str, source)) if isinstance(source, list) else str(source) for source in sources
    ]


def of_databricks(text: str) -> str:
    """Return the cells of a Databricks notebook.

    # COMMAND ---------- between cells, # MAGIC %sql before their lines
    """
    found: list[str] = []
    cell: list[str] = []

    for line in text.split("\n"):
        if CELL.match(line):
            found += [*databricks_cell(cell), ""]
            cell = []
        else:
            cell.append(line)

    return "\n".join([*found, *databricks_cell(cell)])


def databricks_cell(lines: list[str]) -> list[str]:
    """Return the lines of a cell as Python.

    # MAGIC %sql
    """
    magic = list(map(MAGIC.match, lines))
    if not any(magic):
        return cell_lines(lines)

    stripped = [found[1] if found is not None else "" for found in magic]
    plain = ["" if found is not None else line for found, line in zip(magic, lines, strict=True)]
    converted = cell_lines(stripped)
    return [one or other for one, other in zip(converted, plain, strict=False)]


def of_magics(text: str) -> str:
    """Return the cells of a script with magics.

    A script with raw magics: %sql up to the next cell or blank line, the others ignored
    """
    lines = text.split("\n")
    found: list[str] = []
    position = 0

    while position < len(lines):
        magic = LANGUAGE.match(lines[position])
        if magic is not None and magic[1] in LONG_MAGICS:
            end = position + 1
            while end < len(lines) and not ends_magic(lines[end], magic[1]):
                end += 1

            found += cell_lines(lines[position:end])
            position = end
            continue

        line = lines[position]
        if magic or line.lstrip().startswith("!"):
            found += cell_lines([line])
        else:
            found.append(line)

        position += 1

    return "\n".join(found)


LONG_MAGICS = ("sql", "md", "sh", "scala", "r", "bash", "html")
"""Magics whose text goes on over several lines."""

FOREIGN = ("md", "sh", "scala", "r", "bash", "html", "fs")
"""Magics whose text is not Python."""


LANGUAGES = {
    "scala": "Scala",
    "r": "R",
    "sparkr": "R",
    "kotlin": "Kotlin",
    "csharp": "C#",
}
"""Magics of languages that may write tables, and are not read."""


def ends_magic(line: str, language: str) -> bool:
    """Return whether a magic ends before a line: at the next cell, at a blank line but for %md."""
    if CELL.match(line) or line.startswith("# In["):
        return True

    return language != "md" and not line.strip()


def first_line(lines: list[str]) -> int | None:
    """Return the position of the first line; comments may come before the %% of a cell."""
    filled = [position for position, line in enumerate(lines) if line.strip()]
    code = (at for at in filled if not lines[at].lstrip().startswith("#"))
    start = next(code, None)
    if start is not None and lines[start].lstrip().startswith("%%"):
        return start

    return first_or_none(filled)


def cell_lines(lines: list[str]) -> list[str]:
    """One cell as Python, with as many lines as it had."""
    first = first_line(lines)
    if first is None:
        return lines

    magic = LANGUAGE.match(lines[first])
    if magic is None:
        cell = "\n".join(lines)
        is_plain = not MAGICS.search(cell) or is_python(cell)
        if is_plain:
            return lines

        return list(map(without_magic, lines))

    language, rest = magic[1], magic[2]
    if language in ("sql", "spark_sql", "sparksql"):
        body = ["" if rest.startswith("#") else rest, *lines[first + 1 :]]
        body = [line.rstrip().removesuffix("\\") for line in body]
        return [*lines[:first], *sql_call(body)]

    if language == "bigquery":
        return [*lines[:first], *bigquery_call(rest, lines[first + 1 :])]

    if language == "run" and rest:
        return [
            *lines[:first],
            f"lineal_include({rest.split('$')[0].strip()!r})",
            *([""] * (len(lines) - first - 1)),
        ]

    if language in ("python", "py", "pyspark", "time", "timeit"):
        is_timed = language == "time" and lines[first].lstrip().startswith("%time ")
        kept = rest if is_timed and rest else ""
        return [*lines[:first], kept, *map(without_magic, lines[first + 1 :])]

    if language.lower() in LANGUAGES:
        skipped = f"lineal_foreign({LANGUAGES[language.lower()]!r})"
        return [*lines[:first], skipped, *[""] * (len(lines) - first - 1)]

    if lines[first].lstrip().startswith("%%") or language in FOREIGN:
        return [""] * len(lines)

    return list(map(without_magic, lines))


def sql_call(body: list[str], call: str = "spark.sql(", rest: str = ")") -> list[str]:
    """Return a SQL cell as Python.

    %sql SELECT …      spark.sql("…"), on as many lines
    """
    safe = [line.replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in body]
    safe[0] = f'{call}"""{safe[0]}'
    last = safe[-1].rstrip()
    safe[-1] = f'{last}{" " if last.endswith(chr(34)) else ""}"""{rest}'
    return safe


BIGQUERY_CLIENT = (
    "from google.cloud import bigquery as lineal_bigquery; lineal_bigquery.Client().query("
)
DESTINATION = re.compile(r"--destination_table[\s=]+['\"]?([\w.`:{}$-]+)")


def bigquery_call(arguments: str, body: list[str]) -> list[str]:
    """Return a cell of BigQuery's SQL as Python, on as many lines.

    %%bigquery frame --destination_table shop.top      bigquery.Client().query("…", job_config=…)
    """
    if not any(line.strip() for line in body):
        return [""] * (len(body) + 1)

    rest = ")"
    written = DESTINATION.search(arguments)
    if written is not None:
        rest = f", job_config=lineal_bigquery.QueryJobConfig(destination={written[1]!r}))"

    return sql_call(["", *body], BIGQUERY_CLIENT, rest)


def without_magic(line: str) -> str:
    """Return a line without what only a notebook understands.

    %time df.count(), !ls
    """
    stripped = line.lstrip()
    indent = line[: len(line) - len(stripped)]
    if stripped.startswith("%run "):
        return f"{indent}lineal_include({stripped[5:].split('$')[0].strip()!r})"

    if stripped.startswith("%sql "):
        return indent + sql_call([stripped[5:]])[0]

    if stripped.startswith(("!", "%")) and not stripped.startswith(("!=", "%=")):
        return f"{indent}pass"

    return line
