"""A job, run for real and watched: it writes into tables of a throw-away warehouse, and Spark tells
what it wrote.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from job_run import HOLDER, JobRun, from_path, imported_from

from jobbook import Job, facts_in, schema
from lineal.model.diagnostic import Code
from lineal.spark import capture


def facts_by_capturing(job: Job, spark: Any) -> tuple[set[str], list[str]]:
    """What was captured, and what could not be."""
    run = JobRun(spark)
    try:
        text = "".join(path.read_text() for path in job.files)
        run.make_all(info for info in schema() if re.split(r"[.:]", info.dataset.name)[0] in text)
        with capture(spark, timeout=60) as captured, held(run), imported_from(job):
            runpy.run_path(str(job.entry), run_name="__main__")
    finally:
        run.drop_all()
    holders = {holder: path for path, holder in run.paths.items()}
    facts = facts_in(captured.extraction)
    named = {re.sub(rf"\b{HOLDER}\.p\d+", lambda found: holders[found[0]], fact) for fact in facts}
    problems = [
        each.message for each in captured.extraction.diagnostics if each.code is Code.NOT_CAPTURED
    ]
    return named, problems


@contextmanager
def held(run: JobRun) -> Iterator[None]:
    """Paths are tables here, a table may be made though it is there, and the session outlives the
    job.
    """
    from pyspark.sql.readwriter import DataFrameReader, DataFrameWriter

    save_as_table = DataFrameWriter.saveAsTable
    patches = [
        patch.object(type(run.spark), "stop", lambda spark: None),
        patch.object(type(run.spark), "sql", anew(run)),
        patch.object(DataFrameWriter, "saveAsTable", again(run, save_as_table)),
        *[
            patch.object(DataFrameWriter, name, to_holder(run, save_as_table))
            for name in ("save", "parquet", "csv", "json", "orc")
        ],
        *[
            patch.object(DataFrameReader, name, from_path(run))
            for name in ("load", "parquet", "csv", "json", "orc")
        ],
    ]
    with ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


def again(run: JobRun, save: Callable[..., None]) -> Callable[..., None]:
    def saveAsTable(writer: Any, name: str, *rest: Any, **named: Any) -> None:
        run.tables.add(name)
        run.make_database(name)
        try:
            save(writer, name, *rest, **named)
        except Exception as problem:
            if "ALREADY_EXISTS" not in str(problem):
                raise
            run.ask(f"DROP TABLE {name}")
            save(writer, name, *rest, **named)

    return saveAsTable


def to_holder(run: JobRun, save: Callable[..., None]) -> Callable[..., None]:
    def save_there(writer: Any, path: str, *_: Any, **__: Any) -> None:
        holder = run.holder_of(path)
        run.ask(f"DROP TABLE IF EXISTS {holder}")
        again(run, save)(writer.format("parquet"), holder)

    return save_there


def anew(run: JobRun) -> Callable[..., Any]:
    """CREATE OR REPLACE TABLE      which the catalog of the session cannot do"""

    def sql(spark: Any, sqlQuery: str, args: Any = None, **named: Any) -> Any:
        text = re.sub(
            r"^(\s*CREATE)\s+OR\s+REPLACE\s+(TABLE)", r"\1 \2", sqlQuery, flags=re.IGNORECASE
        )
        made = re.match(r"\s*CREATE\s+TABLE\s+([\w.`]+)", text, re.IGNORECASE)
        if made and made[1].upper() != "IF":
            run.tables.add(made[1])
            run.make_database(made[1])
            run.ask(f"DROP TABLE IF EXISTS {made[1]}")
        return run.sql(spark, text, args, **named)

    return sql
