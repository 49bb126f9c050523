"""Tests that are queries: each must find nothing, or no more than it says that it may.

select count(*), count(*) != 0 from (the test's query limit n)
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from typing import Any

from lineal.extract.sql.translate import SPOKEN
from lineal.extract.sql.translator import Translator, Untranslatable
from lineal.model.script import QueryTest
from lineal.spark.run.errors import message_of
from lineal.spark.run.result import Tested

COMPARED = re.compile(r"\s*(!=|<>|>=|<=|==?|>|<)\s*(\d+)\s*")
COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "!=": operator.ne, "<>": operator.ne, "=": operator.eq, "==": operator.eq, ">": operator.gt, "<": operator.lt,
    ">=": operator.ge, "<=": operator.le,
}  # fmt: skip
ITS_OWN = ("[UNRESOLVED_COLUMN", "[TABLE_OR_VIEW_NOT_FOUND")
"""Errors that no translation makes."""


class QueryTests:
    """Runs tests that are queries."""

    def __init__(self, spark: Any, translator: Translator, stands: Callable[[str], bool]) -> None:
        self.spark = spark
        self.translator = translator
        self.stands = stands
        """Whether a dataset is there, or none of the project's."""

    def run(self, test: QueryTest) -> Tested:
        """How a test ends; one that cannot be run is skipped, and says why."""
        missing = next((name for name in test.reads if not self.stands(name)), None)
        if test.problem or missing is not None:
            return self.skip_test(test, test.problem or f"{missing} is not there")

        try:
            sql = self.translator.query(test.query).sql
        except Untranslatable as problem:
            return self.skip_test(test, problem.message)

        try:
            return self.judge_query(test, sql)
        except Exception as problem:
            message = message_of(problem)
            if test.query.dialect.lower() in SPOKEN or message.startswith(ITS_OWN):
                return Tested(test.column, test.name, "failed", message=message, place=test.place)

            return self.skip_test(test, message)

    def judge_query(self, test: QueryTest, sql: str) -> Tested:
        """Run the query of a test, and return the result."""
        from pyspark.sql import functions as F

        frame = self.spark.sql(sql)
        frame = frame.limit(test.limit) if test.limit is not None else frame
        count = self.translator.expression(test.fail_calc, test.query.dialect)
        counted = frame.agg(F.expr(count).alias("failures")).first()[0]
        failures = int(counted or 0)
        status = "passed"
        if test.severity != "warn" and self.holds(failures, test.error_if):
            status = "failed"
        elif self.holds(failures, test.warn_if):
            status = "warned"

        shown = failures if status != "passed" else 0
        return Tested(test.column, test.name, status, shown, place=test.place, rows=True)

    def holds(self, failures: int, condition: str) -> bool:
        """!= 0, > 10, between 1 and 5"""
        plain = COMPARED.fullmatch(condition)
        if plain is not None:
            return COMPARISONS[plain[1]](failures, int(plain[2]))

        return bool(self.spark.sql(f"SELECT {failures} {condition}").first()[0])

    def skip_test(self, test: QueryTest, message: str) -> Tested:
        """Return the result of a test that is not run."""
        return Tested(
            test.column, test.name, "skipped", message=f"it is not run: {message}", place=test.place
        )
