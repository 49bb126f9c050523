"""Where a statement of T-SQL ends: at a semicolon, or where another one starts."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.procedural.text import (
    CLOSE,
    DEPTHS,
    OPEN,
    SEMICOLON,
    Tokens,
    is_name,
    kind_at,
    vocabulary,
    word,
    word_at,
)

STARTERS = vocabulary(
    """
    SELECT INSERT UPDATE DELETE MERGE WITH EXEC EXECUTE DECLARE SET IF WHILE BEGIN END ELSE RETURN PRINT
    RAISERROR THROW TRUNCATE DROP CREATE ALTER GRANT DENY REVOKE OPEN FETCH CLOSE DEALLOCATE COMMIT ROLLBACK
    SAVE BREAK CONTINUE GOTO USE WAITFOR DBCC BACKUP RESTORE KILL CHECKPOINT RECONFIGURE BULK REVERT
    """
)
"""The words that statements start with."""

BELONGS_AFTER = {
    "SELECT": frozenset(("UNION", "ALL", "UNION ALL", "EXCEPT", "INTERSECT", "FOR", "AS")),
    "UPDATE": frozenset(("FOR", "THEN", ",", "AFTER", "OF", "ON", "AS")),
    "INSERT": frozenset(("FOR", "THEN", ",", "AFTER", "OF", "BULK", "AS")),
    "DELETE": frozenset(("FOR", "THEN", ",", "AFTER", "OF", "ON", "AS")),
    "SET": frozenset(("UPDATE", "DELETE", "AS")),
    "IF": vocabulary(
    """
    TABLE VIEW PROC PROCEDURE FUNCTION INDEX TRIGGER SCHEMA DATABASE TYPE COLUMN CONSTRAINT SEQUENCE SYNONYM
    USER ROLE LOGIN
    """
),
    "FETCH": frozenset(("ROWS", "ROW")),
    "EXECUTE": frozenset(("WITH",)),
    "EXEC": frozenset(("WITH",)),
}  # fmt: skip
"""SELECT after UNION, SET after UPDATE, IF in DROP TABLE IF EXISTS: no new statement."""

TAKES = {
    "INSERT": frozenset(("SELECT", "EXEC", "EXECUTE", "WITH")),
    "WITH": frozenset(("SELECT", "INSERT", "UPDATE", "DELETE", "MERGE")),
    "UPDATE": frozenset(("SET",)),
    "GRANT": STARTERS,
    "DENY": STARTERS,
    "REVOKE": STARTERS,
}
"""The words that a statement still waits for: INSERT INTO t SELECT is one statement."""

NOTHING: frozenset[str] = frozenset()

DROPPED = vocabulary(
    """
    TABLE VIEW PROC PROCEDURE FUNCTION INDEX TRIGGER SCHEMA DATABASE
    """
)


ATTRIBUTES = frozenset(("SCHEMABINDING", "ENCRYPTION", "VIEW_METADATA"))
"""CREATE VIEW v WITH SCHEMABINDING AS …      no CTE"""


def end_of(tokens: Tokens, at: int) -> int:
    """Where the statement that starts here ends: at a semicolon, or where another one starts."""
    first = word(tokens[at])
    takes = TAKES.get(first, NOTHING)
    depth = cases = 0
    for position in range(at + 1, len(tokens)):
        token = tokens[position]
        if token.token_type is SEMICOLON:
            return position

        depth += DEPTHS.get(token.token_type, 0)
        if depth > 0 or token.token_type in DEPTHS:
            continue

        here = word(token)
        if here == "CASE":
            cases += 1
        elif cases:
            cases -= here == "END"
        elif here in ("VALUES", "TO"):
            takes = NOTHING
        elif here == "WITH" and word(tokens[position - 1]) == "AS":  # CREATE VIEW v AS WITH c AS …
            takes = TAKES[here]
        elif here in STARTERS and not belongs_to_statement(tokens, position, first):
            if here not in takes:
                return position

            if takes is not STARTERS:
                takes = TAKES.get(here, NOTHING)

    return len(tokens)


def belongs_to_statement(tokens: Tokens, at: int, first: str) -> bool:
    """Tell whether a word that may start a statement does not: it is a name, a hint, or a part of
    this one.
    """
    before = tokens[at - 1]
    if before.token_type in (TokenType.DOT, TokenType.PARAMETER) or word(before) == "AS":
        return True

    here = word(tokens[at])
    if first == "SET" and word(before) == "ON":  # SET NOCOUNT ON DELETE FROM t
        return False

    if word(before) in BELONGS_AFTER.get(here, NOTHING):
        return True

    if kind_at(tokens, at + 1) in AFTER_NAMES:
        return here not in NEVER_NAMES

    belongs_here = WORDS.get(here)
    if belongs_here is None:
        return False

    return belongs_here(tokens, at, first)


AFTER_NAMES = (TokenType.DOT, TokenType.EQ, TokenType.COMMA, CLOSE)
"""update = 1, f(delete, 2)      what follows a name"""

NEVER_NAMES = frozenset(("SELECT", "END", "ELSE", "RETURN", "BREAK", "CONTINUE"))


def with_belongs(tokens: Tokens, at: int, first: str) -> bool:
    """Tell whether WITH continues a statement.

    FROM t WITH (NOLOCK), CREATE VIEW v WITH SCHEMABINDING; WITH c AS (…) is a statement
    """
    following = word_at(tokens, at + 1)
    if first in ("CREATE", "ALTER") and following in ATTRIBUTES:
        return True

    if following == "EXECUTE" or at + 2 >= len(tokens) or not is_name(tokens[at + 1]):
        return True

    return word(tokens[at + 2]) != "AS" and tokens[at + 2].token_type is not OPEN


def update_belongs(tokens: Tokens, at: int, first: str) -> bool:
    """Tell whether UPDATE is a function.

    IF UPDATE(a)      a function of triggers
    """
    return kind_at(tokens, at + 1) is OPEN


def merge_belongs(tokens: Tokens, at: int, first: str) -> bool:
    """Tell whether MERGE is a hint.

    a INNER MERGE JOIN b      a hint
    """
    return word_at(tokens, at + 1) == "JOIN"


def action_belongs(tokens: Tokens, at: int, first: str) -> bool:
    """Tell whether a word is an action of ALTER TABLE.

    ALTER TABLE t ALTER COLUMN a …, ALTER TABLE t DROP CONSTRAINT c
    """
    if first != "ALTER":
        return False

    following = word_at(tokens, at + 1)
    if word(tokens[at]) == "DROP":
        return following not in DROPPED

    return following in ("COLUMN", "CONSTRAINT")


def set_belongs(tokens: Tokens, at: int, first: str) -> bool:
    """Tell whether SET is a part of ALTER.

    ALTER DATABASE d SET RECOVERY SIMPLE
    """
    return first in ("ALTER", "CREATE")


WORDS: dict[str, Callable[[Tokens, int, str], bool]] = {
    "WITH": with_belongs,
    "UPDATE": update_belongs,
    "MERGE": merge_belongs,
    "DROP": action_belongs,
    "ALTER": action_belongs,
    "CREATE": action_belongs,
    "SET": set_belongs,
}
"""Words that start a statement or belong to one, by the words around them."""
