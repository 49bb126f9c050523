"""Statements that the parser leaves as words: the first word tells which they are."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sqlglot import exp

from lineal.extract.sql.dialects import Facts
from lineal.extract.sql.repairs import NO_DATA
from lineal.extract.sql.statements import use
from lineal.extract.sql.statements.alter import copy_of
from lineal.extract.sql.statements.copy import unload
from lineal.extract.sql.statements.steps import Renamed, Swapped, Unsupported
from lineal.extract.sql.tables import spell_table
from lineal.model.late_pattern import late_pattern
from lineal.model.sequences import flatten

PART = r'(?:[\w$#]+|"[^"]+"|`[^`]+`|\[[^\]]+\])'
NAME = rf"({PART}(?:\.{PART})*)"
PAIR = late_pattern(rf"{NAME}\s+(?:TO|AND)\s+{NAME}", re.IGNORECASE)
AS_IT_IS = r"^(?:OR\s+(?:REPLACE|ALTER)\s+)?"
UNLESS = r"(?:IF\s+NOT\s+EXISTS\s+)?"
STREAM = late_pattern(
    rf"{AS_IT_IS}STREAM\s+{UNLESS}{NAME}.*?\bON\s+(?:\w+\s+)?(?:TABLE|VIEW)\s+{NAME}", re.I | re.S
)
SYNONYM = late_pattern(
    rf"{AS_IT_IS}(?:\w+\s+)?(?:SYNONYM|ALIAS)\s+{UNLESS}{NAME}\s+FOR\s+(?:TABLE\s+)?{NAME}", re.I
)
SNAPSHOT = late_pattern(rf"{AS_IT_IS}SNAPSHOT\s+TABLE\s+{UNLESS}{NAME}\s+CLONE\s+{NAME}", re.I)
SWITCH = late_pattern(rf"^TABLE\s+{NAME}\s+SWITCH\b.*?\bTO\s+{NAME}", re.IGNORECASE | re.DOTALL)
EXCHANGE = late_pattern(
    rf"^TABLE\s+{NAME}\s+EXCHANGE\s+PARTITION\b.*?\bWITH\s+TABLE\s+{NAME}", re.I | re.S
)
APPEND = late_pattern(
    rf"^TABLE\s+{NAME}\s+(?:APPEND|ATTACH\s+PARTITION\b.*?)\s+FROM\s+{NAME}", re.I | re.S
)
MOVE = late_pattern(
    rf"^TABLE\s+{NAME}\s+MOVE\s+PARTITION\b.*?\bTO\s+TABLE\s+{NAME}", re.IGNORECASE | re.DOTALL
)

Said = Any
"""Steps, none, or Unsupported."""

Speaker = Callable[[str, Facts, exp.Command], Said]


def command(node: exp.Command, facts: Facts) -> Said:
    """Plan a statement that the parser keeps as text.

    RENAME TABLE a TO b      the parser's `Command`: a first word, and the rest as text
    """
    first = str(node.this).upper()
    speaker = COMMANDS.get(first) or COMMANDS.get(next(iter(first.split()), ""))
    if speaker is None:
        return Unsupported

    rest = node.args.get("expression")
    said: Said = speaker(
        (rest.name if isinstance(rest, exp.Expr) else str(rest or "")).strip(), facts, node
    )
    return said


def tables(text: str, pattern: re.Pattern[str], facts: Facts) -> list[tuple[str, str, str, str]]:
    """The pairs of names in a text, each with its spelling and its key."""
    found = []
    for pair in pattern.findall(text):
        left, right = (exp.to_table(name, dialect=facts.name or None) for name in pair)
        found.append((*spell_table(left, facts), *spell_table(right, facts)))

    return found


def rename(text: str, facts: Facts, node: exp.Command) -> Said:
    """Plan RENAME TABLE.

    RENAME TABLE a TO b, c TO d
    """
    return [Renamed(*pair, node) for pair in tables(text, PAIR, facts)] or Unsupported


def exchange(text: str, facts: Facts, node: exp.Command) -> Said:
    """Plan EXCHANGE TABLES.

    EXCHANGE TABLES a AND b
    """
    return [Swapped(*pair, node) for pair in tables(text, PAIR, facts)] or Unsupported


def alter(text: str, facts: Facts, node: exp.Command) -> Said:
    """Plan the ALTER TABLE forms that move rows.

    ALTER TABLE a SWITCH TO b; ALTER TABLE a EXCHANGE PARTITION … WITH TABLE b; ALTER TABLE a
    APPEND FROM b

    ALTER TABLE a MOVE PARTITION p TO TABLE b; ALTER TABLE b ATTACH PARTITION p FROM a
    ClickHouse
    """
    away = tables(text, SWITCH, facts) + tables(text, MOVE, facts)
    moved = [(to, key, from_, from_key) for from_, from_key, to, key in away]
    moved += tables(text, EXCHANGE, facts)
    moved += tables(text, APPEND, facts)
    if moved:
        return [copy_of(*pair, defines=False, node=node) for pair in moved]

    return use.alter_session(text, facts)


def create(text: str, facts: Facts, node: exp.Command) -> Said:
    """Plan the CREATE forms that copy a table.

    CREATE STREAM s ON TABLE t      the changes of t, with its columns

    CREATE SYNONYM s FOR t                t under another name
    CREATE SNAPSHOT TABLE s CLONE t       t as it is now
    """
    if WITHOUT_DATA.match(text):
        return Unsupported if HAS_QUERY.search(text) else None

    pairs = flatten(tables(text, pattern, facts) for pattern in (STREAM, SYNONYM, SNAPSHOT))
    return [copy_of(*pair, node=node) for pair in pairs] or Unsupported


OBJECTS = """
    DOMAIN|ROLE|USER|EXTENSION|POLICY|PUBLICATION|SUBSCRIPTION|COLLATION|CAST|OPERATOR|SERVER|WIDGET|LIBRARY|TAG
    TEXT SEARCH|STATISTICS|CONVERSION|LOGIN|CREDENTIAL|RESOURCE|WAREHOUSE|QUOTA|SETTINGS PROFILE|ROW POLICY
    TABLESPACE|PROFILE|DIRECTORY|CONTEXT|ACCESS METHOD|EVENT TRIGGER|USER MAPPING
    PARTITION FUNCTION|PARTITION SCHEME|CERTIFICATE|DEFAULT|EXTERNAL DATA SOURCE|EXTERNAL FILE FORMAT|ASSEMBLY
    XML SCHEMA COLLECTION|QUEUE|EVENT NOTIFICATION|FULLTEXT INDEX|FULLTEXT CATALOG|FULLTEXT STOPLIST
    APPLICATION ROLE|MASTER KEY|SYMMETRIC KEY|ASYMMETRIC KEY|AGGREGATE|FOREIGN DATA WRAPPER|LANGUAGE
    SHARE|NETWORK RULE|NETWORK POLICY|NOTEBOOK|CONNECTION|RECIPIENT|PROVIDER|CATALOG|VOLUME|EXTERNAL LOCATION
    STORAGE CREDENTIAL|CAPACITY|RESERVATION|ASSIGNMENT|HASH INDEX|BITMAP INDEX|DATABASE LINK|CLUSTER|DIMENSION
    ROW ACCESS POLICY|EDITION|JAVA|OUTLINE|FLASHBACK ARCHIVE|AUDIT POLICY|NAMED COLLECTION|MATERIALIZED VIEW LOG
    COLUMN MASTER KEY|COLUMN ENCRYPTION KEY|DATABASE AUDIT SPECIFICATION|SERVER AUDIT SPECIFICATION|SERVER AUDIT
    GROUP|SEQUENCE|DATABASE SCOPED CREDENTIAL|EXTERNAL SCHEMA|NOTIFICATION INTEGRATION|EXTERNAL ACCESS INTEGRATION
"""
"""Kinds of objects that hold no rows."""

WITHOUT_DATA = late_pattern(
    r"(?:OR\s+REPLACE\s+)?TYPE\s+[\w.\"\[\]]+\s+(?:AS|IS|FROM)\s+(?:TABLE|VARRAY|VARYING|\[?\w+\]?)\b"
    r"|(?:SCHEMA|DATABASE)\b(?!.*\b(?:CLONE|FROM\s+SHARE)\b)"
    r"|(?:OR\s+REPLACE\s+)?(?:(?:(?:UNIQUE|(?:NON)?CLUSTERED|COLUMNSTORE|SEARCH|VECTOR)\s+)*INDEX|"
    + "|".join(
        kind.replace(" ", r"\s+")
        for line in OBJECTS.split("\n")
        for kind in line.strip().split("|")
        if kind
    )
    + r")\b",
    re.IGNORECASE,
)
"""CREATE DOMAIN d AS int      what holds no rows, and moves none"""


HAS_QUERY = late_pattern(r"\bAS\s*\(?\s*(?:SELECT|WITH)\b", re.IGNORECASE)
"""CREATE CONNECTION c AS SELECT …      a query behind a name that should hold no rows"""


def set_(text: str, facts: Facts, node: exp.Command) -> Said:
    """Plan SET."""
    return use.set_path(text, facts)


def plan_nothing(text: str, facts: Facts, node: exp.Command) -> None:
    """Plan a statement that moves no data.

    VACUUM, OPTIMIZE …      no data moves
    """


def update_statistics(text: str, facts: Facts, node: exp.Command) -> Said:
    """UPDATE STATISTICS t      moves no data; with SET it is a table that is called so"""
    return Unsupported if text.upper().startswith("SET ") else None


def end(text: str, facts: Facts, node: exp.Command) -> Said:
    """END TRANSACTION      moves no data; any other END is a part of a block that nobody has read"""
    return None if text.upper().split()[:1] in (["TRANSACTION"], ["WORK"]) else Unsupported


COMMANDS: dict[str, Speaker] = {
    "END": end,
    "RENAME": rename,
    "EXCHANGE": exchange,
    "ALTER": alter,
    "CREATE": create,
    "SET": set_,
    "UNLOAD": unload,
    "UPDATE STATISTICS": update_statistics,
    **dict.fromkeys(
        ("VACUUM", "OPTIMIZE", "ANALYZE", "EXPLAIN", "SHOW", "GRANT", "REVOKE", "DENY", "MSCK", "REFRESH", "COMMENT",
         "LIST", "LS", "REMOVE", "RM", "PUT", "GET", "DESCRIBE", "DESC", "RESET", "UNSET", "CLUSTER", "REINDEX",
         "CHECKPOINT", "LOCK", "UNLOCK", "DISCARD", "SECURITY", "PRINT", "INSTALL", "LOAD", "FLUSH", "DROP",
         "COLLECT", "ADD", *NO_DATA),
        plan_nothing,
    ),
}  # fmt: skip

PLANNERS = {exp.Command: command}
