"""Times of a log as numbers, by Spark: `projects.logs.statements` and `period` say what they mean."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from lineal.projects.logs.period import (
    AFTER,
    ALWAYS,
    BEFORE,
    MICROSECONDS,
    MILLISECONDS,
    NO_TIME,
    SECONDS,
    Period,
)
from lineal.projects.logs.statements import MOMENT, NUMBER


def moment() -> Column:
    """`projects.logs.statements.moment`, by Spark."""
    day = F.regexp_replace("time", rf"\A(?:{MOMENT.pattern})\z", "$1 $2|$3|$4")
    for missing, said in ((" ||", ""), ("||", ":00"), ("|", "")):  # no time of day, no seconds
        day = F.replace(day, F.lit(missing), F.lit(said))

    micros = F.unix_micros(day.try_cast("timestamp")).cast("double")
    return (
        F.when(F.col("time").rlike(rf"\A(?:{NUMBER.pattern})\z"), F.col("time").try_cast("double"))
        .when(
            F.col("time").rlike(rf"\A(?:{MOMENT.pattern})\z"), F.coalesce(micros / 1e6, F.lit(0.0))
        )
        .otherwise(F.lit(0.0))
    )


def seconds() -> Column:
    """`projects.logs.period.seconds_of`, by Spark."""
    at = moment()
    size = F.abs(at)
    scaled = (
        F.when(size < SECONDS, at)
        .when(size < MILLISECONDS, at / 1e3)
        .when(size < MICROSECONDS, at / 1e6)
        .otherwise(at / 1e9)
    )
    return F.when(F.col("time").rlike(rf"\A(?:{NUMBER.pattern})\z"), scaled).otherwise(at)


def reason_of(period: Period) -> Column:
    """`Period.reason`, by Spark: why a row with this time is left out."""
    nothing = F.lit(None).cast("string")
    if period == ALWAYS:
        return nothing

    at = seconds()
    reason = F.when(at == 0, NO_TIME)
    if period.since is not None:
        reason = reason.when(at < period.since, BEFORE)

    if period.until is not None:
        reason = reason.when(at >= period.until, AFTER)

    return reason.otherwise(nothing)
