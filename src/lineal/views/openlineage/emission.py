"""How events are written: what a user may choose."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from lineal import __version__

COLUMN_LINEAGE, EXPLICIT, BOTH = "legacy", "explicit", "both"
FACETS = (COLUMN_LINEAGE, EXPLICIT, BOTH)
"""The columnLineage facet, the experimental facets that are to supersede it, or both."""

AUTO, JOB, RUN, DATASET = "auto", "job", "run", "dataset"
EVENTS = (AUTO, JOB, RUN, DATASET)
"""Events about jobs, about runs, or about datasets; auto: a reported run stays one, a
text is a job.
"""


class Engine(NamedTuple):
    """The system behind a run; catalogs file the run's job under it."""

    name: str = "lineal"
    version: str = __version__


LINEAL = Engine()


@dataclass(frozen=True)
class Emission:
    """The settings that the events of one call share."""

    time: str
    """of lineage from a text; reported lineage keeps its own"""
    events: str = AUTO
    facets: str = COLUMN_LINEAGE
    legacy: bool = False
    """columns that decide the rows are written next to every field, instead of once for the dataset"""
    describe: bool = False
    """each transformation says its expression"""
    namespace: str = ""
    """of datasets that have none"""
    home: str = ""
    """the project's namespace: its datasets are called as those that have none"""
    prefixes: tuple[tuple[str, str], ...] = ()
    """the namespace of the datasets whose name begins so: (("raw", "postgres://raw:5432"),)"""
    job_namespace: str = ""
    repository: str = ""
    """the address below which the files are: https://…/blob/main"""
    version: str = ""
    """the revision that is read"""
    root: str = ""
    """the folder that the files' paths are written from"""
    relations: Mapping[str, str] = field(default_factory=dict)
    """the names of datasets in databases"""
    located: bool = False
    """datasets are called as databases call them, which is how catalogs find them"""
    engine: Engine = LINEAL
    """the runner of the jobs: Spark for a captured one, else lineal itself"""
