"""Column tests: what the YAML promises about values, checked by Spark.

All tests that look at one row, and the number of rows, are one aggregation; only a test that failed
costs a second job, which looks for examples.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lineal.model import names
from lineal.model.script import ColumnTest
from lineal.spark.names import column, quote_name
from lineal.spark.run.columns import types_by_key
from lineal.spark.run.errors import in_sql, message_of
from lineal.spark.run.jobs import key_of
from lineal.spark.run.result import Tested

EXAMPLES = 3
LONGEST = 60


class Unusable(Exception):
    """A test that cannot be run as it is written: why."""


# -- tests that look at one row: whether a value breaks them ---------------------------------------


def is_missing(value: Any, kind: Any, test: ColumnTest) -> Any:
    """not_null"""
    return value.isNull()


def breaks_accepted_values(value: Any, kind: Any, test: ColumnTest) -> Any:
    """accepted_values: {values: [a, b]}      null is accepted; not_null says otherwise"""
    from pyspark.sql import functions as F

    values = test.arguments.get("values")
    if not isinstance(values, list) or not values:
        raise Unusable("it needs values: [a, b]")

    allowed = [F.lit(str(each)).try_cast(kind) for each in values]
    return value.isNotNull() & ~F.coalesce(value.isin(*allowed), F.lit(False))


def not_positive(value: Any, kind: Any, test: ColumnTest) -> Any:
    """positive"""
    return value <= 0


def negative(value: Any, kind: Any, test: ColumnTest) -> Any:
    """non_negative"""
    return value < 0


def too_small(value: object, kind: object, test: ColumnTest) -> Any:
    """min_value: 10"""
    return value < _limit(test)


def too_large(value: Any, kind: Any, test: ColumnTest) -> Any:
    """max_value: 10"""
    return value > _limit(test)


def differs_from_pattern(value: Any, kind: Any, test: ColumnTest) -> Any:
    """regex: '[a-z]+'"""
    pattern = test.arguments.get("value") or test.arguments.get("pattern")
    if not pattern:
        raise Unusable("it needs a pattern")

    return ~value.cast("string").rlike(str(pattern))


def _limit(test: ColumnTest) -> Any:
    """Return the number that a test compares with."""
    from pyspark.sql import functions as F

    limit = test.arguments.get("value")
    try:
        return F.lit(float(str(limit)))
    except ValueError:
        raise Unusable(f"it needs a number, not {limit}") from None


ROW_TESTS: Mapping[str, Callable[[Any, Any, ColumnTest], Any]] = {
    "not_null": is_missing,
    "accepted_values": breaks_accepted_values,
    "positive": not_positive,
    "non_negative": negative,
    "min_value": too_small,
    "max_value": too_large,
    "regex": differs_from_pattern,
}
UNIQUE, RELATIONSHIPS = "unique", "relationships"
TESTS = (*ROW_TESTS, UNIQUE, RELATIONSHIPS)


@dataclass(frozen=True)
class Examined:
    """The number of rows, and how each test ended."""

    rows: int
    tests: tuple[Tested, ...]


Look = Callable[[str], Any]
"""The DataFrame of another dataset, None if there is none."""


def examine(frame: object, tests: Iterable[ColumnTest], look: Look) -> Examined:
    """Count the rows of a frame and run its tests, in order."""
    tests = list(tests)
    measures, done = _measures(frame, tests)
    rows, counts = _count_measures(frame, measures)
    for at, (test, count) in counts.items():
        done[at] = count if isinstance(count, Tested) else _judge_count(frame, test, count)

    for at, test in enumerate(tests):
        if at not in done:
            done[at] = test_relationship(frame, test, look)

    return Examined(rows, tuple(done[at] for at in range(len(tests))))


def _measures(
    frame: object, tests: list[ColumnTest]
) -> tuple[dict[int, tuple[ColumnTest, Any]], dict[int, Tested]]:
    """The aggregates of the tests that have one, and the tests that cannot be run."""
    kinds = types_by_key(frame)
    measures: dict[int, tuple[ColumnTest, Any]] = {}
    done: dict[int, Tested] = {}
    for at, test in enumerate(tests):
        try:
            measure = _measure(test, kinds)
            if measure is not None:
                measures[at] = (test, measure)
        except Unusable as unusable:
            done[at] = failed_test(test, str(unusable))

    return measures, done


def _measure(test: ColumnTest, kinds: Mapping[str, object]) -> Any:
    """Return the expression that counts the rows against a test."""
    from pyspark.sql import functions as F

    if test.name not in TESTS:
        near = names.closest(test.name, list(TESTS))
        raise Unusable(f"there is no such test{f'; did you mean {near}?' if near else ''}")

    if key_of(test.column) not in kinds:
        raise Unusable("there is no such column")

    if test.name == RELATIONSHIPS:
        return None

    value = F.col(column(test.column))
    if test.name == UNIQUE:
        return F.count(value) - F.count_distinct(value)

    return F.count_if(ROW_TESTS[test.name](value, kinds[key_of(test.column)], test))


def _count_measures(
    frame: Any, measures: Mapping[int, tuple[ColumnTest, Any]]
) -> tuple[int, dict[int, tuple[ColumnTest, int | Tested]]]:
    """All measures in one job; one by one if Spark does not take one of them, so that only its own
    test fails.
    """
    from pyspark.sql import functions as F

    try:
        rows, *counts = frame.agg(
            F.count(F.lit(1)), *(measure for _, measure in measures.values())
        ).first()
        return rows, {
            at: (test, count)
            for (at, (test, _)), count in zip(measures.items(), counts, strict=True)
        }
    except Exception:
        rows = frame.count()
        return rows, {
            at: (test, _measure_alone(frame, test, measure))
            for at, (test, measure) in measures.items()
        }


def _measure_alone(frame: Any, test: ColumnTest, measure: Any) -> int | Tested:
    """Run one measure by itself; return its count or the failed test."""
    try:
        return int(frame.agg(measure).first()[0])
    except Exception as problem:
        if in_sql(problem):
            raise

        return failed_test(test, message_of(problem))


def _judge_count(frame: object, test: ColumnTest, count: int) -> Tested:
    """Return the result of a test from its count."""
    if not count:
        return Tested(test.column, test.name, place=test.place)

    finder = repeated_values if test.name == UNIQUE else broken_values
    count, examples = finder(frame, test, count)
    return Tested(test.column, test.name, "failed", count, examples, place=test.place)


def broken_values(frame: Any, test: ColumnTest, count: int) -> tuple[int, tuple[str, ...]]:
    """Some of the values that break a test; of nulls there is nothing to show."""
    from pyspark.sql import functions as F

    if test.name == "not_null":
        return count, ()

    value, kind = F.col(column(test.column)), frame.schema[_spelling(frame, test.column)].dataType
    rows = (
        frame.where(ROW_TESTS[test.name](value, kind, test))
        .select(value)
        .distinct()
        .limit(EXAMPLES)
        .collect()
    )
    return count, tuple(sorted(shorten_value(row[0]) for row in rows))


def repeated_values(frame: Any, test: ColumnTest, count: int) -> tuple[int, tuple[str, ...]]:
    """How many values are there more than once, and some of them."""
    from pyspark.sql import functions as F

    value = F.col(column(test.column))
    groups = (
        frame.where(value.isNotNull())
        .groupBy(value.alias("value"))
        .agg(F.count(F.lit(1)).alias("times"))
    )
    twice = groups.where("times > 1")
    rows = twice.orderBy(F.desc("times"), "value").limit(EXAMPLES).collect()
    return twice.count(), tuple(f"{shorten_value(row[0])} ({row[1]} times)" for row in rows)


def test_relationship(frame: Any, test: ColumnTest, look: Look) -> Tested:
    """relationships: {to: customers, field: id}

    every value is there, too; null needs no partner
    """
    from pyspark.sql import functions as F

    to, field = test.arguments.get("to"), test.arguments.get("field")
    if not to or not field:
        return failed_test(test, "it needs to: and field:")

    other = look(str(to))
    if other is None:
        return Tested(
            test.column, test.name, "skipped", message=f"{to} is not there", place=test.place
        )

    try:
        values = frame.select(F.col(column(test.column)).alias("value")).where("value IS NOT NULL")
        partners = other.select(F.col(column(str(field))).alias("partner")).distinct()
        lonely = values.join(partners, F.col("value") == F.col("partner"), "left_anti")
        groups = lonely.groupBy("value").count().orderBy("value")
        count = lonely.count()
        examples = (
            tuple(shorten_value(row[0]) for row in groups.limit(EXAMPLES).collect())
            if count
            else ()
        )
    except Exception as problem:
        return failed_test(test, message_of(problem))

    return Tested(
        test.column, test.name, "failed" if count else "passed", count, examples, place=test.place
    )


def failed_test(test: ColumnTest, message: str) -> Tested:
    """Return the result of a test that failed."""
    return Tested(test.column, test.name, "failed", message=message, place=test.place)


def shorten_value(value: object) -> str:
    """Return a value as text, cut if it is long."""
    text = str(value)
    if len(text) <= LONGEST:
        return text

    return f"{text[: LONGEST - 1]}…"


def _spelling(frame: Any, name: str) -> str:
    """Return a column as the table spells it."""
    return str(next(each for each in frame.columns if key_of(each) == key_of(name)))


def dataset_reader(spark: Any, place: Callable[[str], str | None]) -> Look:
    """Looks datasets up under their names in Spark; `place` gives none for one that is not there."""

    def look(name: str) -> Any:
        """Return the table of a dataset; None if it is not built."""
        table = place(name)
        if table is not None:
            return spark.table(quote_name(table))

        return None

    return look
