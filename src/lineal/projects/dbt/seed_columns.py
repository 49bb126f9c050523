"""The columns of a seed: those of the header of its CSV file, with what YAML says of them."""

from __future__ import annotations

from pathlib import Path

from lineal.model.plain import as_mapping
from lineal.projects.dbt.node import Node
from lineal.projects.seeds import read_header
from lineal.projects.text import Report


def take_header(node: Node, path: Path, report: Report) -> None:
    """Give a seed the columns of its file; their types and descriptions are those of YAML.

    seeds/countries.csv      code,name      column_types: {code: char(2)}
    """
    delimiter = str(node.config.get("delimiter") or ",")
    header = read_header(path, delimiter if len(delimiter) == 1 else ",", report)
    if not header:
        return

    described = {column.name.lower(): column for column in node.columns}
    declared = as_mapping(node.config.get("column_types"))
    types = {str(key).lower(): type_text(value) for key, value in declared.items()}
    node.columns = []
    for column in header:
        key = column.name.lower()
        known = described.get(key, column)
        type_ = known.type or types.get(key, "")
        node.columns.append(known._replace(name=column.name, type=type_))

    node.complete = True


def type_text(value: object) -> str:
    """Return a type as YAML says it; '' for a template that does not render."""
    return "" if isinstance(value, str) and "{{" in value else str(value)
