"""Bulk extraction: the query history of a company, as a Spark job.

    run(Options(("history/",), "out", preset="snowflake"))

presets     which column of whose log is which
rows        a log as rows: text, user, time, id, database; and why a row is left out
csv_files, json_files, text_files
            what Spark reads of a log, and what the reader of a single machine does
statements  every statement once: equal texts first; shapes: those that differ only in literals
shelving    statements get their names on executors; book: what the driver knows of each, with
            blobs on its disk
order       which statements can be read before which, from their words; hashing: words as numbers
share       on the executors: a share of the statements is parsed and evaluated
clock       how long a statement may take; guard: children that may die of one
resolve     group by group, level by level with what is known by then; then in parts, or together
parts       parts of a log, by the facts of its records and the spellings of its names; parcels: one
            part resolved; spool, merging: the rows of all parts as tables
address     where logs and outputs are; folder: an output's folder, for one run at a time
state       what an output folder knows from an earlier run, whole or killed
tables      the result as tables, sorted; output: in Parquet, or in Delta tables
closure     what every column comes from, at any distance; closing: of a log in parts
settings    settings of a session for a while
sessions    sessions of this process, and of Spark Connect
ship        what executors need to have
stages      all of it, in order
sources     streams of query events: a folder, a topic, a table
follow      a history that is followed batch by batch; history: what its batches have counted
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession as Session

    from lineal.spark.pipeline.errors import BulkError
    from lineal.spark.pipeline.stages import Options, Summary, run

__all__ = ["BulkError", "Options", "Session", "Summary", "run"]


def __getattr__(name: str) -> Any:
    """An executor imports the file that it works with, and not all the others."""
    if name not in __all__:
        raise AttributeError(name)

    return getattr(
        import_module(f"{__name__}.{'errors' if name == 'BulkError' else 'stages'}"), name
    )
