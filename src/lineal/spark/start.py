"""Starting Spark: what it says goes to a log file, and what it lacks is said in one line."""

from __future__ import annotations

import logging
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lineal.spark.availability import QUIET, SparkUnavailable, check
from lineal.spark.jvm import jvm_ends_with_us

NOISE = ("SQLQueryContextLogger", "DataFrameQueryContextLogger", "py4j")
"""Loggers of pyspark that write each error to the terminal, though we catch it."""

CAUSES = (
    (
        r"BindException|Address already in use|Can't assign requested address|could not bind",
        "no free port on this machine for Spark's driver: end what holds them, or set --conf spark.driver.port",
    ),
    (r"UnknownHostException", "this machine's own name is not known: set SPARK_LOCAL_IP=127.0.0.1"),
    (
        r"Could not parse Master URL|'[^']*' is not a valid|Master must either",
        "--master is not an address that Spark knows: local[*], spark://host:7077, yarn or k8s://…",
    ),
    (
        r"Could not reserve enough space|Cannot allocate memory|OutOfMemory|insufficient memory",
        "not enough memory for Spark's driver: set --conf spark.driver.memory",
    ),
    (
        r"UnsupportedClassVersionError",
        "Java is too old for Spark: install a JRE, version 17 or newer",
    ),
    (r"No space left on device", "no space left on the disk"),
)
"""Words of the log or the exception, and what they mean."""


def start(master: str, conf: Mapping[str, str], warehouse: Path, log: Path) -> Any:
    """A session of our own; SparkUnavailable, in one line, if there is none to be had."""
    check()
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    silence_spark()
    if master.startswith("local"):
        # else the workers run whichever python3 is on the path
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)

    settings = SparkConf(loadDefaults=False).setMaster(master).setAppName("lineal")
    settings.setAll(list(settings_of(master, conf, warehouse).items()))
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as stream, jvm_ends_with_us():
            gateway: Any = launch_gateway(settings, {"stdout": stream, "stderr": stream})  # type: ignore[no-untyped-call, unused-ignore]

        return SparkSession(SparkContext(conf=settings, gateway=gateway))
    except Exception as problem:
        raise SparkUnavailable(f"Spark does not start: {explain_failure(problem, log)}") from None


def settings_of(master: str, conf: Mapping[str, str], warehouse: Path) -> dict[str, str]:
    """Return the settings of a run, then those of the user. A cluster has its own address and
    number of partitions.
    """
    settings = {**QUIET, "spark.sql.warehouse.dir": str(warehouse.absolute() / "managed")}
    cores = str(os.cpu_count() or 2)
    if master.startswith("local"):
        settings |= {"spark.sql.shuffle.partitions": cores, "spark.default.parallelism": cores}
    else:
        for key in (
            "spark.driver.host",
            "spark.driver.bindAddress",
            "spark.sql.shuffle.partitions",
            "spark.default.parallelism",
        ):
            settings.pop(key, None)

    return {**settings, **conf}


def silence_spark() -> None:
    """Silence the warnings and logs of Spark."""
    # what it thinks of pandas is not our user's affair
    warnings.filterwarnings("ignore", module=r"pyspark\.")
    for name in NOISE:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def explain_failure(problem: BaseException, log: Path) -> str:
    """The known cause that the log or the exception names, else the exception's first telling line."""
    said = f"{problem}\n{tail(log)}"
    for pattern, meaning in CAUSES:
        if re.search(pattern, said, re.IGNORECASE):
            return meaning

    telling = re.findall(r"(?:Exception|Error): (.+)", said)
    reason = (telling or said.strip().splitlines() or ["no reason given"])[0][:300]
    return f"{reason} (see {kept_log(log)})"


def kept_log(log: Path) -> Path:
    """Return a copy of a log that is still there when its folder is gone."""
    with tempfile.NamedTemporaryFile(prefix="lineal-", suffix=".log", delete=False) as copy:
        copy.write(log.read_bytes() if log.exists() else b"")
        return Path(copy.name)


def tail(log: Path) -> str:
    """Return the end of a log file."""
    try:
        return log.read_bytes()[-20_000:].decode(errors="replace")
    except OSError:
        return ""
