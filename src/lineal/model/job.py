"""Writers of datasets: a statement of a script, or a job that an event reports, with its last run."""

from __future__ import annotations

from dataclasses import dataclass

from lineal.model.diagnostic import Place
from lineal.model.edge import Dataset


@dataclass(frozen=True)
class Run:
    """One execution of a job, as it was reported: its id, when it began and when it ended."""

    id: str
    started: str
    ended: str


@dataclass(frozen=True)
class Job:
    """Who writes the outputs. A job without a name is none: a dataset that was described on its
    own.
    """

    outputs: tuple[Dataset, ...]
    namespace: str = ""
    name: str = ""
    sql: str = ""
    dialect: str = ""
    description: str = ""
    place: Place | None = None
    """where its statement stands, or the event that tells of it"""
    location: tuple[tuple[str, str], ...] = ()
    """where its source is kept, in the words of the one who reported it: type, url, repoUrl, path,
    version …
    """
    time: str = ""
    """when it was reported; '' for jobs that are read from a text"""
    run: Run | None = None
    given: bool = False
    """it was reported, rather than read from a text: other jobs may write the same outputs from
    other columns
    """
