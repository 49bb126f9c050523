"""The statements that a server has run: pg_stat_statements, if the extension is installed."""

from __future__ import annotations

from lineal.model.addresses import redact_address
from lineal.model.extraction import Occurrence
from lineal.model.script import Script
from lineal.projects.errors import ProjectError
from lineal.projects.logs.entry import Entry, Row
from lineal.projects.logs.statements import Statements
from lineal.projects.postgres.server import Session

INSTALLED = """
SELECT /* lineal */ n.nspname FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
WHERE e.extname = 'pg_stat_statements'
"""

STATEMENTS = """
SELECT /* lineal */ s.query, s.calls, s.queryid::text, pg_catalog.pg_get_userbyid(s.userid)
FROM {schema}.pg_stat_statements s JOIN pg_catalog.pg_database d ON d.oid = s.dbid
WHERE d.datname = pg_catalog.current_database() AND s.query NOT LIKE '%%/* lineal */%%'
    AND s.query ~* '^[\\s(]*(/\\*.*\\*/\\s*)?(select|with|insert|update|delete|merge|create|values|table|copy)\\M'
ORDER BY s.queryid, s.userid
"""

NOT_ALLOWED = "<insufficient privilege>"


def history(session: Session) -> tuple[list[Script], list[Occurrence]]:
    """The statements of this database with how often they ran; those of others only where the role
    may see them.
    """
    found = session.rows(INSTALLED)
    if not found:
        raise ProjectError(
            f"{redact_address(session.address)} keeps no history: CREATE EXTENSION pg_stat_statements (which "
            "shared_preload_libraries has to name), or leave out --history"
        )

    from lineal.projects.postgres.catalog import quote_name

    statements = Statements("postgres")
    rows = session.rows(STATEMENTS.replace("{schema}", quote_name(found[0][0])), ())
    for number, (text, calls, id_, user) in enumerate(rows, 1):
        if text and text != NOT_ALLOWED:
            row = Row(f"{session.database}/pg_stat_statements", number, {}, True)
            statements.add(
                Entry(row, text, user, id=id_, database=session.database, runs=calls),
                lambda _: None,
            )

    return statements.scripts(), statements.occurrences()
