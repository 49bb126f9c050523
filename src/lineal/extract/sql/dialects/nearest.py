"""Dialects that sqlglot has no parser for, and the grammar that each of them is read by."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot.tokenizer_core import Token, TokenType

from lineal.model.sequences import last_or_none

NEAREST_GRAMMAR = {
    "db2": "postgres",
    "flink": "spark",
    "greenplum": "postgres",
    "hana": "oracle",
    "impala": "hive",
    "informix": "postgres",
    "netezza": "postgres",
    "vertica": "postgres",
}
"""--dialect db2      is read by PostgreSQL's grammar, after the words of WORDS_OF are changed"""


def grammar_of(dialect: str) -> str:
    """The dialect whose grammar and facts a dialect is read by: itself, or its nearest relative."""
    return NEAREST_GRAMMAR.get(dialect, dialect)


Tokens = list[Token]


def is_word(tokens: Tokens, at: int, *texts: str) -> bool:
    """Whether the word at a position is one of these, unquoted."""
    if not 0 <= at < len(tokens):
        return False

    token = tokens[at]
    quoted = token.token_type in (TokenType.IDENTIFIER, TokenType.STRING)
    return not quoted and token.text.upper() in texts


def join_registers(tokens: Tokens) -> Tokens:
    """CURRENT DATE, CURRENT TIMESTAMP      Db2: CURRENT_DATE, CURRENT_TIMESTAMP"""
    found: Tokens = []
    for at, token in enumerate(tokens):
        before = last_or_none(found)
        if before is None or before.end > token.start or not is_word(tokens, at, *REGISTERS):
            found.append(token)
            continue

        if is_word(tokens, at - 1, "CURRENT") and not is_word(tokens, at - 2, "."):
            kind, text = REGISTERS[token.text.upper()]
            found[-1] = Token(kind, text, before.line, before.col, before.start, token.end)
        else:
            found.append(token)

    return found


REGISTERS = {
    "DATE": (TokenType.CURRENT_DATE, "CURRENT_DATE"),
    "TIME": (TokenType.CURRENT_TIME, "CURRENT_TIME"),
    "TIMESTAMP": (TokenType.CURRENT_TIMESTAMP, "CURRENT_TIMESTAMP"),
    "USER": (TokenType.CURRENT_USER, "CURRENT_USER"),
    "SCHEMA": (TokenType.CURRENT_USER, "CURRENT_USER"),
    "SQLID": (TokenType.CURRENT_USER, "CURRENT_USER"),
    "SERVER": (TokenType.CURRENT_USER, "CURRENT_USER"),
}
"""Registers of the session: no columns."""

UNITS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "MICROSECOND")
DURATIONS = frozenset((*UNITS, *(f"{unit}S" for unit in UNITS)))
ENDS_A_VALUE = (TokenType.NUMBER, TokenType.R_PAREN)


def drop_duration_units(tokens: Tokens) -> Tokens:
    """d + 3 DAYS, d - (n) MONTHS      Db2: d + 3, d - (n); the unit is not a column"""
    found: Tokens = []
    for at, token in enumerate(tokens):
        after_value = at > 1 and tokens[at - 1].token_type in ENDS_A_VALUE
        if not (after_value and is_word(tokens, at, *DURATIONS) and follows_sign(tokens, at - 1)):
            found.append(token)

    return found


def follows_sign(tokens: Tokens, end: int) -> bool:
    """d + 3      whether a plus or minus comes before the value that ends here"""
    depth = 0
    for at in range(end, -1, -1):
        depth += tokens[at].token_type is TokenType.R_PAREN
        depth -= tokens[at].token_type is TokenType.L_PAREN
        if depth == 0:
            return at > 0 and tokens[at - 1].token_type in (TokenType.PLUS, TokenType.DASH)

    return False


def say_recursive(tokens: Tokens) -> Tokens:
    """WITH c AS (… UNION ALL … FROM c)      Db2: WITH RECURSIVE c AS (…)"""
    found: Tokens = []
    for at, token in enumerate(tokens):
        found.append(token)
        names = at + 2 < len(tokens) and tokens[at + 1].token_type is not TokenType.L_PAREN
        starts_cte = names and (
            is_word(tokens, at + 2, "AS") or tokens[at + 2].token_type is TokenType.L_PAREN
        )
        if token.token_type is TokenType.WITH and starts_cte:
            spot = (token.line, token.col, token.start, token.end)
            found.append(Token(TokenType.RECURSIVE, "RECURSIVE", *spot))

    return found


def drop_hints(tokens: Tokens) -> Tokens:
    """JOIN [SHUFFLE] t, SELECT STRAIGHT_JOIN a      Impala: hints for the planner"""
    found: Tokens = []
    for at, token in enumerate(tokens):
        bracketed = is_word(tokens, at - 1, "[") and is_word(tokens, at + 1, "]")
        hint = bracketed and is_word(tokens, at, "SHUFFLE", "BROADCAST", "NOSHUFFLE")
        opens = is_word(tokens, at, "[") and is_word(
            tokens, at + 1, "SHUFFLE", "BROADCAST", "NOSHUFFLE"
        )
        closes = is_word(tokens, at, "]") and is_word(
            tokens, at - 1, "SHUFFLE", "BROADCAST", "NOSHUFFLE"
        )
        straight = is_word(tokens, at, "STRAIGHT_JOIN") and is_word(tokens, at - 1, "SELECT")
        if not (hint or opens or closes or straight):
            found.append(token)

    return found


def call_bounds(tokens: Tokens) -> Tokens:
    """BEGIN(p), END(p)      Teradata: functions of a period, no block"""
    found: Tokens = []
    for at, token in enumerate(tokens):
        if is_word(tokens, at, "BEGIN", "END") and is_word(tokens, at + 1, "("):
            spot = (token.line, token.col, token.start, token.end)
            token = Token(TokenType.VAR, token.text, *spot)

        found.append(token)

    return found


def create_temporary(tokens: Tokens) -> Tokens:
    """DECLARE GLOBAL TEMPORARY TABLE t …      Db2: CREATE TEMPORARY TABLE t …"""
    found: Tokens = []
    for at, token in enumerate(tokens):
        declares = is_word(tokens, at, "DECLARE") and is_word(tokens, at + 1, "GLOBAL")
        if declares and is_word(tokens, at + 2, "TEMPORARY"):
            spot = (token.line, token.col, token.start, token.end)
            found.append(Token(TokenType.CREATE, "CREATE", *spot))
        elif not (found and is_word(tokens, at, "GLOBAL") and is_word(tokens, at - 1, "DECLARE")):
            found.append(token)

    return found


WORDS_OF: dict[str, tuple[Callable[[Tokens], Tokens], ...]] = {
    "db2": (join_registers, drop_duration_units, say_recursive, create_temporary),
    "impala": (drop_hints,),
    "teradata": (call_bounds,),
}
"""Words that the nearest grammar would read in another sense, without an error."""


def as_grammar_reads(tokens: Tokens, dialect: str) -> Tokens:
    """The words of a text of a dialect, as its nearest grammar understands them."""
    for change in WORDS_OF.get(dialect, ()):
        tokens = change(tokens)

    return tokens
