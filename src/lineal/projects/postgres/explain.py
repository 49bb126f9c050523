"""The plan of a statement: EXPLAIN (VERBOSE, FORMAT JSON), which carries nothing out."""

from __future__ import annotations

import json
from itertools import count
from typing import Any

from lineal.projects.postgres.server import Session, library

SIMPLE_PLANS = (
    "max_parallel_workers_per_gather = 0",
    "enable_partition_pruning = off",
    "constraint_exclusion = off",
    "plan_cache_mode = force_generic_plan",
    "jit = off",
)
"""The shape of a plan is of no interest here; parts that are proved away or shared out only make it
harder to read.
"""

EXPLAIN = "EXPLAIN (VERBOSE, COSTS OFF, FORMAT JSON)"

NUMBERS = count(1)


class Refused(Exception):
    """The server does not plan a statement; its first line says why."""


def prepare(session: Session) -> None:
    """Turn off what makes plans harder to read."""
    for setting in SIMPLE_PLANS:
        session.rows(f"SET LOCAL {setting}")


def explain_statement(
    session: Session, statement: str, schemas: str, parameters: int = 0
) -> dict[str, object]:
    """The plan of one statement, its names looked up in these schemas.

    The statement goes over the protocol that takes one and no more: whatever a quote hides from
    lineal's reader, it cannot end the transaction. A statement with parameters is prepared, and its
    generic plan shown.
    """
    with session.attempt():
        session.rows(
            "SELECT /* lineal */ pg_catalog.set_config('search_path', %s, true)", (schemas,)
        )
        if not parameters:
            return plan_of(first_value(session, f"{EXPLAIN} {statement}"))

        name = f"lineal_{next(NUMBERS)}"
        first_value(session, f"PREPARE {name} AS {statement}")
        try:
            return plan_of(
                first_value(
                    session, f"{EXPLAIN} EXECUTE {name} ({', '.join(['NULL'] * parameters)})"
                )
            )
        finally:
            session.rows(f"DEALLOCATE {name}")


def plan_of(text: str) -> dict[str, object]:
    """Return the plan of EXPLAIN's answer."""
    found: dict[str, Any] = json.loads(text)[0]
    return found


def first_value(session: Session, statement: str) -> str:
    """One statement, whatever its text says; the first value that it gives."""
    psycopg = library()
    connection = session.connection
    result = connection.pgconn.exec_params(
        statement.encode(connection.info.encoding, "replace"), None
    )
    if connection.pgconn.status != psycopg.pq.ConnStatus.OK:
        raise psycopg.OperationalError("the server closed the connection")

    if result.status not in (psycopg.pq.ExecStatus.TUPLES_OK, psycopg.pq.ExecStatus.COMMAND_OK):
        said = result.error_field(psycopg.pq.DiagnosticField.MESSAGE_PRIMARY) or b"refused"
        raise Refused(said.decode(connection.info.encoding, "replace"))

    value = result.get_value(0, 0) if result.ntuples else b""
    return str((value or b"").decode(connection.info.encoding, "replace"))
