"""Providers: where a run finds the rows of a source that the project does not build.

seeds/visits.csv                      a seed, enabled or not, of the name of the table
.lineal/sources/web.visits.csv        a file for the run alone; .parquet and .json, too
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lineal.model.extraction import ColumnInfo
from lineal.projects.dbt.node import Node
from lineal.projects.seeds import read_header

FOLDER = Path(".lineal") / "sources"
SUFFIXES = (".csv", ".parquet", ".json")


@dataclass(frozen=True)
class Provider:
    """The replacement of a source in a run: a seed of the project, or a file."""

    seed: Node | None = None
    file: Path | None = None

    @property
    def columns(self) -> list[ColumnInfo]:
        """The columns that are known without a run."""
        if self.seed is not None:
            return self.seed.columns

        if self.file is not None and self.file.suffix == ".csv":
            return read_header(self.file, ",", lambda _: None)

        return []


def provider_of(
    source: Node, seeds: Iterable[Node], files: Mapping[str, Path], folder: Path | None
) -> Provider | None:
    """The provider of a source: a file of its own name, a seed of its table's name, or the file of
    a disabled seed.
    """
    own = file_for(source, folder)
    if own is not None:
        return Provider(file=own)

    names = names_of(source)
    found = [seed for seed in seeds if {seed.name.lower(), seed.parts[2].lower()} & names]
    mine = [seed for seed in found if seed.package == source.package]
    if found:
        return Provider(seed=(mine or found)[0])

    file = next((files[name] for name in sorted(names) if name in files), None)
    if file is not None:
        return Provider(file=file)

    return None


def names_of(source: Node) -> set[str]:
    """web.visits      visits, web__visits, web.visits, and its identifier"""
    short = source.name.partition(".")[2]
    return {
        source.parts[2].lower(),
        short.lower(),
        source.name.replace(".", "__").lower(),
        source.name.lower(),
    }


def file_for(source: Node, folder: Path | None) -> Path | None:
    """.lineal/sources/web.visits.csv"""
    if folder is None:
        return None

    place = folder / FOLDER
    found = (place / f"{source.name}{suffix}" for suffix in SUFFIXES)
    return next((path for path in found if path.parent == place and path.exists()), None)


def with_columns(source: Node, provider: Provider) -> None:
    """Give the source the columns of its provider; their descriptions from YAML stay."""
    known = {column.name.lower(): column for column in source.columns}
    columns = [
        known.get(column.name.lower(), column)._replace(name=column.name)
        for column in provider.columns
    ]
    if columns:
        source.columns, source.complete = columns, True
