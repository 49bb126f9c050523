"""Where a statement of T-SQL ends: at a semicolon, or where another one starts."""

from __future__ import annotations

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.procedural.text import CLOSE, OPEN, SEMICOLON, vocabulary, word
from lineal.extract.sql.procedural.walker import Tokens, is_name

STARTERS = vocabulary(
    """
    SELECT INSERT UPDATE DELETE MERGE WITH EXEC EXECUTE DECLARE SET IF WHILE BEGIN END ELSE RETURN PRINT
    RAISERROR THROW TRUNCATE DROP CREATE ALTER GRANT DENY REVOKE OPEN FETCH CLOSE DEALLOCATE COMMIT ROLLBACK
    SAVE BREAK CONTINUE GOTO USE WAITFOR DBCC BACKUP RESTORE KILL CHECKPOINT RECONFIGURE BULK
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
"""What a statement still waits for: INSERT INTO t SELECT is one statement."""

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
        kind = token.token_type
        if kind is OPEN:
            depth += 1
        elif kind is CLOSE:
            depth -= 1
        elif kind is SEMICOLON:
            return position
        elif depth <= 0:
            here = word(token)
            if here == "CASE":
                cases += 1
            elif cases:
                cases -= here == "END"
            elif here in ("VALUES", "TO"):
                takes = NOTHING
            elif here in STARTERS and not belongs(tokens, position, first):
                if here not in takes:
                    return position
                takes = takes if takes is STARTERS else TAKES.get(here, NOTHING)
    return len(tokens)


def belongs(tokens: Tokens, at: int, first: str) -> bool:
    """Whether a word that may start a statement does not: it is a name, a hint, or a part of this
    one.
    """
    before = tokens[at - 1]
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    if before.token_type in (TokenType.DOT, TokenType.PARAMETER) or word(before) == "AS":
        return True
    here, after = word(tokens[at]), word(following) if following is not None else ""
    if first == "SET" and word(before) == "ON":  # SET NOCOUNT ON DELETE FROM t
        return False
    if word(before) in BELONGS_AFTER.get(here, NOTHING):
        return True
    if following is not None and following.token_type in (
        TokenType.DOT,
        TokenType.EQ,
        TokenType.COMMA,
        CLOSE,
    ):
        return here not in ("SELECT", "END", "ELSE", "RETURN", "BREAK", "CONTINUE")
    if here == "WITH":
        if first in ("CREATE", "ALTER") and after in ATTRIBUTES:
            return True
        named = at + 2 < len(tokens) and following is not None and is_name(following)
        return (
            not (named and (word(tokens[at + 2]) == "AS" or tokens[at + 2].token_type is OPEN))
            or after == "EXECUTE"
        )
    if here == "UPDATE":
        return following is not None and following.token_type is OPEN
    if here == "MERGE":
        return after == "JOIN"
    if here in ("DROP", "ALTER", "CREATE") and first == "ALTER":
        return after in ("COLUMN", "CONSTRAINT") or (here == "DROP" and after not in DROPPED)
    return here == "SET" and first in ("ALTER", "CREATE")
