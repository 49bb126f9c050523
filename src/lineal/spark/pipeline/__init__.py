"""Bulk extraction: the query history of a company, as a Spark job.

    run(Options(("history/",), "out", preset="snowflake"))

| file | |
|---|---|
| `presets` | which column of whose log is which |
| `rows` | a log as rows: text, user, time, id, database; and why a row is left out |
| `csv_files`, `json_files`, `text_files` | what Spark reads of a log, and what the reader of a
single machine |
| `statements`, `shapes` | every statement once: equal texts first, then those that differ only in
literals |
| `glance` | which statements can be read before which, from their words |
| `share` | on the executors: a share of the statements is parsed and evaluated, and records travel
back |
| `clock`, `guard` | how long a statement may take; and children that may die of one |
| `resolve` | level by level with what is known by then; then together, each record held against its
questions |
| `address`, `folder` | where logs and outputs are; the folder of an output, here or elsewhere, for
one run at a time |
| `state` | what an output folder knows from an earlier run, whole or killed |
| `tables`, `output` | the result as tables, sorted, in Parquet; Delta tables where the session has
Delta |
| `closure` | what every column comes from, at any distance |
| `settings` | settings of a session for a while |
| `ship` | what executors need to have |
| `pipeline` | all of it, in order |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lineal.spark.pipeline.errors import BulkError
    from lineal.spark.pipeline.stages import Options, Summary, run

__all__ = ["BulkError", "Options", "Summary", "run"]


def __getattr__(name: str) -> Any:
    """An executor imports the file that it works with, and not all the others."""
    if name not in __all__:
        raise AttributeError(name)
    return getattr(
        import_module(f"{__name__}.{'errors' if name == 'BulkError' else 'pipeline'}"), name
    )
