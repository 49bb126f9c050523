"""Dialects that sqlglot has no parser for, and the grammar that each of them is read by."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain
from typing import NamedTuple

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.word_runs import dropped_runs, text_of
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


def drop_copied_options(tokens: Tokens) -> Tokens:
    """CREATE TABLE t LIKE s (EXCLUDING OPTIONS)      Flink: LIKE s; which of its settings are copied"""
    found: Tokens = []
    hidden = 0
    for at, token in enumerate(tokens):
        if is_word(tokens, at, "(") and is_word(tokens, at + 1, *COPIES):
            hidden = at + 1

        if not hidden:
            found.append(token)
        elif is_word(tokens, at, ")"):
            hidden = 0

    return found


COPIES = ("INCLUDING", "EXCLUDING", "OVERWRITING")


def drop_statement_set(tokens: Tokens) -> Tokens:
    """BEGIN STATEMENT SET; INSERT …; END;      Flink: INSERT …;"""
    found: Tokens = []
    opened = 0
    for at, token in enumerate(tokens):
        if is_word(tokens, at, "BEGIN") and is_word(tokens, at + 1, "STATEMENT"):
            opened = at + 3

        ends = opened and is_word(tokens, at, "END") and is_word(tokens, at - 1, ";")
        if at >= opened and not ends:
            found.append(token)

    return found


def say_match(tokens: Tokens) -> Tokens:
    """MATCH_RECOGNIZE (… PATTERN (a b) WITHIN INTERVAL '1' HOUR DEFINE …)      Flink

    a clause, and how long a match may take, which decides no column
    """
    found: Tokens = []
    start = len(tokens)
    for at, token in enumerate(tokens):
        if is_word(tokens, at, "WITHIN") and is_word(tokens, at + 1, "INTERVAL"):
            start = at

        if at >= start and is_word(tokens, at, *BEHIND_WITHIN):
            start = len(tokens)

        if is_word(tokens, at, "MATCH_RECOGNIZE"):
            spot = (token.line, token.col, token.start, token.end)
            token = Token(TokenType.MATCH_RECOGNIZE, token.text, *spot)

        if at < start:
            found.append(token)

    return found


BEHIND_WITHIN = ("DEFINE", "SUBSET", ")")


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


def join_bare_registers(tokens: Tokens) -> Tokens:
    """d > DATE - 1, SELECT DATE, USER      Teradata: CURRENT_DATE, CURRENT_USER

    DATE '2024-01-01', CAST(a AS DATE), a (DATE) and the types of columns stay as they are.
    """
    return [
        rename_token(token, *REGISTERS[token.text.upper()])
        if is_word(tokens, at, *BARE_REGISTERS) and stands_for_value(tokens, at)
        else token
        for at, token in enumerate(tokens)
    ]


BARE_REGISTERS = ("DATE", "TIME", "USER")
BEFORE_VALUES = """SELECT SEL DISTINCT WHERE AND OR NOT ON BETWEEN WHEN THEN ELSE CASE = < > <= >= <> + - * / || SET
    HAVING QUALIFY IN LIKE"""
OPENS_VALUE = frozenset(BEFORE_VALUES.split())
ENDS_VALUE = frozenset((*OPENS_VALUE, *"FROM AS ) , ; GROUP ORDER END UNION".split())) - {  # noqa: SIM905
    "SELECT",
    "CASE",
    "NOT",
    "SET",
}


def stands_for_value(tokens: Tokens, at: int) -> bool:
    """> DATE - 1, SELECT a, DATE FROM t      a value before it is needed, and none follows

    t (d DATE, e INT), (FORMAT 'YY', DATE)      types
    """
    before = tokens[at - 1].text.upper() if at else ""
    after = tokens[at + 1].text.upper() if at + 1 < len(tokens) else ";"
    listed = before == "," and tokens[at - 2].token_type is not TokenType.STRING
    if at + 1 < len(tokens) and tokens[at + 1].token_type is TokenType.STRING:
        return False

    return (before in OPENS_VALUE or listed) and after in ENDS_VALUE


def rename_token(token: Token, kind: TokenType, text: str) -> Token:
    """A token with another text, in the same place."""
    return Token(kind, text, token.line, token.col, token.start, token.end)


def drop_case_attributes(tokens: Tokens) -> Tokens:
    """a (NOT CASESPECIFIC) = 'x', a (CS)      Teradata: how texts are compared"""
    gone = set()
    for at in range(1, len(tokens)):
        end = at + 1 + is_word(tokens, at + 1, "NOT")
        attribute = is_word(tokens, at, "(") and is_word(tokens, end, *CASE_ATTRIBUTES)
        of_value = not is_word(tokens, at - 1, ",", "(", "=") and not is_argument(tokens, at)
        if attribute and of_value and is_word(tokens, end + 1, ")"):
            gone |= set(range(at, end + 2))

    return [token for at, token in enumerate(tokens) if at not in gone]


CASE_ATTRIBUTES = ("CS", "CASESPECIFIC", "UPPERCASE", "UC")


def is_argument(tokens: Tokens, at: int) -> bool:
    """max(cs)      whether a column that is called like an attribute is given to a function"""
    before = tokens[at - 1]
    touches = before.end + 1 == tokens[at].start
    named = before.token_type not in (TokenType.R_PAREN, TokenType.STRING, TokenType.IDENTIFIER)
    return touches and named and is_word(tokens, at + 1, "CS", "UC")


def drop_interval_behind(tokens: Tokens) -> Tokens:
    """(a - b) DAY(4) TO SECOND(0)      Teradata: (a - b), as an interval"""
    found: Tokens = []
    at = 0
    while at < len(tokens):
        if is_word(tokens, at, *UNITS) and is_word(tokens, at - 1, ")"):
            at = end_of_unit(tokens, at)
            if is_word(tokens, at, "TO") and is_word(tokens, at + 1, *UNITS):
                at = end_of_unit(tokens, at + 1)
        else:
            found.append(tokens[at])
            at += 1

    return found


def end_of_unit(tokens: Tokens, at: int) -> int:
    """SECOND(2, 0)      where a unit with its precision ends"""
    if is_word(tokens, at + 1, "("):
        return find(tokens, at + 1, ")") + 1

    return at + 1


def drop_hint_behind(tokens: Tokens) -> Tokens:
    """SELECT a FROM t WITH HINT(NO_CS_JOIN)      SAP HANA: how it is executed"""
    found: Tokens = []
    at = 0
    while at < len(tokens):
        if is_word(tokens, at, "WITH") and is_word(tokens, at + 1, "HINT"):
            at = find(tokens, at + 1, ")") + 1
        else:
            found.append(tokens[at])
            at += 1

    return found


def name_ends_of_time(tokens: Tokens) -> Tokens:
    """PERIOD(d, UNTIL_CHANGED)      Teradata: a date, and no column"""
    return [
        rename_token(token, TokenType.CURRENT_DATE, "CURRENT_DATE")
        if is_word(tokens, at, "UNTIL_CHANGED", "UNTIL_CLOSED") and not is_word(tokens, at - 1, ".")
        else token
        for at, token in enumerate(tokens)
    ]


def say_decode(tokens: Tokens) -> Tokens:
    """MAP(a, 1, 'x', b)      SAP HANA: DECODE(a, 1, 'x', b)"""
    return [
        rename_token(token, TokenType.VAR, "DECODE")
        if is_word(tokens, at, "MAP")
        and is_word(tokens, at + 1, "(")
        and not is_word(tokens, at - 1, ".")
        else token
        for at, token in enumerate(tokens)
    ]


def drop_cardinality(tokens: Tokens) -> Tokens:
    """LEFT OUTER MANY TO EXACT ONE JOIN      SAP HANA: LEFT OUTER JOIN"""
    gone = set()
    for at in range(len(tokens)):
        if not is_word(tokens, at, "JOIN") or not is_word(tokens, at - 1, "ONE", "MANY"):
            continue

        start = at - 1
        while start > 0 and is_word(tokens, start - 1, "TO", "ONE", "MANY", "EXACT"):
            start -= 1

        gone |= set(range(start, at))

    return [token for at, token in enumerate(tokens) if at not in gone]


def drop_refresh(tokens: Tokens) -> Tokens:
    """CREATE TABLE t AS (…) DATA INITIALLY DEFERRED REFRESH DEFERRED MAINTAINED BY USER      Db2"""
    found: Tokens = []
    at = 0
    while at < len(tokens):
        if not (is_word(tokens, at, "DATA") and is_word(tokens, at + 1, "INITIALLY")):
            found.append(tokens[at])
            at += 1
            continue

        while at < len(tokens) and is_word(tokens, at, *REFRESHES):
            at += 1

    return found


REFRESHES = """DATA INITIALLY DEFERRED REFRESH IMMEDIATE MAINTAINED BY SYSTEM USER FEDERATED_TOOL ENABLE DISABLE QUERY
    OPTIMIZATION""".split()  # noqa: SIM905


def drop_marks_of_procedure(tokens: Tokens) -> Tokens:
    """AS BEGIN_PROC DECLARE … BEGIN … END; END_PROC      Netezza: AS DECLARE … BEGIN … END;"""
    return [
        token
        for at, token in enumerate(tokens)
        if not is_word(tokens, at, "BEGIN_PROC", "END_PROC")
    ]


def drop_unknown_case(tokens: Tokens) -> Tokens:
    """CASE_N(a < 1, UNKNOWN)      Teradata: CASE_N(a < 1), the last is a word and no column"""
    gone = {
        position
        for at, call in enumerate(calls_around(tokens))
        if call in NUMBERS_OF_CASES
        and is_word(tokens, at, "UNKNOWN")
        and is_word(tokens, at - 1, ",")
        and is_word(tokens, at + 1, ")")
        for position in (at - 1, at)
    }
    return [token for at, token in enumerate(tokens) if at not in gone]


NUMBERS_OF_CASES = ("CASE_N", "RANGE_N")


def calls_around(tokens: Tokens) -> Iterator[str]:
    """f(a, (b), c)      for each word the name before the innermost parenthesis that is open there"""
    opened = [""]
    before = ""
    for token in tokens:
        if token.token_type is TokenType.R_PAREN and len(opened) > 1:
            opened.pop()

        yield opened[-1]
        if token.token_type is TokenType.L_PAREN:
            opened.append(before)

        before = token.text.upper()


def drop_order_in_call(tokens: Tokens) -> Tokens:
    """RANK(a DESC), CSUM(a, d ASC)      Teradata: RANK(a), CSUM(a, d), the keys are the same"""
    gone = {
        at
        for at, call in enumerate(calls_around(tokens))
        if call in ORDERED_CALLS
        and is_word(tokens, at, "ASC", "DESC")
        and is_word(tokens, at + 1, ",", ")")
    }
    return [token for at, token in enumerate(tokens) if at not in gone]


ORDERED_CALLS = ("RANK", "QUANTILE", "CSUM", "MSUM", "MAVG", "MDIFF", "MLINREG")


def say_lateral(tokens: Tokens) -> Tokens:
    """FROM t, TABLE (SELECT …) AS x      Db2: LATERAL (SELECT …) AS x"""
    return [
        rename_token(token, TokenType.LATERAL, "LATERAL")
        if is_word(tokens, at, "TABLE")
        and is_word(tokens, at - 1, ",", "JOIN", "FROM")
        and is_word(tokens, at + 1, "(")
        and is_word(tokens, at + 2, "SELECT", "WITH", "VALUES")
        else token
        for at, token in enumerate(tokens)
    ]


def name_clock(tokens: Tokens) -> Tokens:
    """SYSDATE, TODAY, CURRENT YEAR TO SECOND      Vertica, Informix: the time, and no column"""
    found: Tokens = []
    for at, token in enumerate(tokens):
        part = is_word(tokens, at - 1, ".") or is_word(tokens, at + 1, ".", "(")
        if is_word(tokens, at, "SYSDATE", "TODAY") and not part:
            token = rename_token(token, TokenType.CURRENT_TIMESTAMP, "CURRENT_TIMESTAMP")

        found.append(token)

    return found


def drop_first_rows(tokens: Tokens) -> Tokens:
    """SELECT SKIP 5 FIRST 10 a, SELECT TOP 10 a      Informix, SAP HANA: how many rows"""
    found: Tokens = []
    at = 0
    while at < len(tokens):
        found.append(tokens[at])
        at += 1
        while is_word(tokens, at - 1, "SELECT", *LIMITS) or is_limit(tokens, at - 1):
            if not is_limit(tokens, at + 1):
                break

            at += 2

    return found


LIMITS = ("SKIP", "FIRST", "TOP", "LIMIT")


def is_limit(tokens: Tokens, at: int) -> bool:
    """FIRST 10      whether the number of a limit is here"""
    counts = at < len(tokens) and tokens[at].token_type in (TokenType.NUMBER, TokenType.PARAMETER)
    return counts and is_word(tokens, at - 1, *LIMITS)


def drop_outer(tokens: Tokens) -> Tokens:
    """FROM c, OUTER o WHERE c.a = o.a      Informix: FROM c, o"""
    return [
        token
        for at, token in enumerate(tokens)
        if not (is_word(tokens, at, "OUTER") and is_word(tokens, at - 1, ",", "("))
    ]


def say_blocks(tokens: Tokens) -> Tokens:
    """CREATE PROCEDURE p(k INT) DEFINE a INT; LET a = 1; IF … ELIF …; RETURN a, k; END PROCEDURE

    Informix: CREATE PROCEDURE p(k INT) AS BEGIN DECLARE a INT; a = 1; IF … ELSIF …; SELECT a, k; END

    FOREACH SELECT b INTO a FROM t … END FOREACH      FOR a IN SELECT b FROM t LOOP … END LOOP
    """
    found: Tokens = []
    at = 0
    while at < len(tokens):
        known = is_word(tokens, at, *BLOCK_READERS)
        read = BLOCK_READERS[tokens[at].text.upper()] if known else as_written
        words, at = read(tokens, at)
        found += words

    return found


def as_written(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """Any other word stays."""
    return tokens[at : at + 1], at + 1


def without_let(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """LET a = 1      a = 1"""
    return [], at + 1


def in_words_of_blocks(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """DEFINE a INT, ELIF      DECLARE a INT, ELSIF"""
    return [rename_token(tokens[at], *BLOCK_WORDS[tokens[at].text.upper()])], at + 1


BLOCK_WORDS = {"DEFINE": (TokenType.DECLARE, "DECLARE"), "ELIF": (TokenType.VAR, "ELSIF")}


def signature_of_block(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """PROCEDURE p(k INT) RETURNING INT;      PROCEDURE p(k INT) AS BEGIN"""
    opens = find(tokens, at, "(", ";")
    if not is_word(tokens, opens, "(") or not any(
        is_word(tokens, i, "CREATE") for i in range(max(at - 2, 0), at)
    ):
        return tokens[at : at + 1], at + 1

    end, depth = opens, 0
    while end < len(tokens):
        depth += is_word(tokens, end, "(") - is_word(tokens, end, ")")
        end += 1
        if depth == 0:
            break

    body = end
    if is_word(tokens, end, "RETURNING"):
        body = find(tokens, end, ";") + 1

    near = tokens[at]
    begin = [
        rename_token(near, TokenType.ALIAS, "AS"),
        rename_token(near, TokenType.BEGIN, "BEGIN"),
    ]
    return [*tokens[at:end], *begin], body


def end_of_block(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """END PROCEDURE, END FOREACH      END, END LOOP"""
    if is_word(tokens, at + 1, "PROCEDURE", "FUNCTION"):
        return [tokens[at]], at + 2

    if not is_word(tokens, at + 1, "FOREACH", "IF", "WHILE", "FOR"):
        return [tokens[at]], at + 1

    of = tokens[at + 1]
    if is_word(tokens, at + 1, "FOREACH"):
        of = rename_token(of, TokenType.VAR, "LOOP")

    semicolon = (
        [rename_token(of, TokenType.SEMICOLON, ";")] if not is_word(tokens, at + 2, ";") else []
    )
    return [tokens[at], of, *semicolon], at + 2


def returned_row(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """RETURN a, b WITH RESUME      SELECT a, b; RETURN a stays"""
    end = find(tokens, at, ";")
    resume = end - 2 if is_word(tokens, end - 1, "RESUME") else end
    if resume == end and not any(is_word(tokens, i, ",") for i in range(at, end)):
        return [tokens[at]], at + 1

    return [rename_token(tokens[at], TokenType.SELECT, "SELECT"), *tokens[at + 1 : resume]], end


def find(tokens: Tokens, at: int, *texts: str) -> int:
    """The next position of one of these words; the end, if there is none."""
    return next((i for i in range(at, len(tokens)) if is_word(tokens, i, *texts)), len(tokens))


def loop_over_query(tokens: Tokens, at: int) -> tuple[Tokens, int]:
    """FOREACH c FOR SELECT b INTO a FROM t INSERT …      FOR a IN SELECT b FROM t LOOP INSERT …"""
    if is_word(tokens, at - 1, "CONTINUE", "EXIT"):
        return [], at + 1

    start = find(tokens, at, "SELECT", ";")
    end = find(tokens, start + 1, *BEHIND_QUERY)
    into = min(find(tokens, start, "INTO"), end)
    source = min(find(tokens, into, "FROM"), end)
    near = tokens[at]
    loop = [
        rename_token(near, TokenType.FOR, "FOR"),
        *tokens[into + 1 : source],
        rename_token(near, TokenType.IN, "IN"),
        *tokens[start:into],
        *tokens[source:end],
        rename_token(tokens[end - 1], TokenType.VAR, "LOOP"),
    ]
    return loop, end + (end < len(tokens) and is_word(tokens, end, ";"))


BEHIND_QUERY = """; INSERT UPDATE DELETE MERGE LET IF RETURN CALL EXECUTE FOREACH WHILE FOR BEGIN END CONTINUE EXIT
    TRACE RAISE""".split()  # noqa: SIM905
"""First words of what a loop does, behind its query."""

BLOCK_READERS: dict[str, Callable[[Tokens, int], tuple[Tokens, int]]] = {
    "LET": without_let,
    "DEFINE": in_words_of_blocks,
    "ELIF": in_words_of_blocks,
    "PROCEDURE": signature_of_block,
    "FUNCTION": signature_of_block,
    "END": end_of_block,
    "RETURN": returned_row,
    "FOREACH": loop_over_query,
}


class Rewrite(NamedTuple):
    """A change of words, a statement that needs it, and the words that it may leave out."""

    change: Callable[[Tokens], Tokens]
    example: str
    """a statement that it changes"""
    drops: str = ""
    """the runs of words that may be left out, as contracts of repairs write them"""
    opaque: str = ""
    """the part of the example that is read by nobody, whatever it says"""


UNIT = rf"(?:{'|'.join(sorted(DURATIONS))})"
PRECISE_UNIT = rf"{UNIT}(?: \( 0(?: , 0)? \))?"
PERIOD = rf"{PRECISE_UNIT}(?: TO {PRECISE_UNIT})?"
COPIED = r"(?:ALL|CONSTRAINTS|DISTRIBUTION|GENERATED|METADATA|OPTIONS|PARTITIONS|WATERMARKS)"
CARDINALITY = r"(?:EXACT )?(?:ONE|MANY)"
RETURNED = r"\w+(?: \( 0(?: , 0)? \))?(?: AS \w+)?"
LIMIT_OF_ROWS = Rewrite(
    drop_first_rows,
    "SELECT SKIP 5 FIRST 10 a FROM t",
    r"(?:(?:SKIP|FIRST|TOP|LIMIT) (?:0|[:?]?\w+) ?)+",
)

WORDS_OF: dict[str, tuple[Rewrite, ...]] = {
    "db2": (
        Rewrite(join_registers, "SELECT CURRENT DATE FROM t", rf"CURRENT (?:{'|'.join(REGISTERS)})"),
        Rewrite(drop_duration_units, "SELECT d + 3 DAYS FROM t", UNIT),
        Rewrite(say_recursive, "WITH c AS (SELECT a FROM t) SELECT a FROM c"),
        Rewrite(create_temporary, "DECLARE GLOBAL TEMPORARY TABLE t (a INT)", "GLOBAL"),
        Rewrite(say_lateral, "SELECT x.b FROM t, TABLE (SELECT b FROM u) AS x"),
        Rewrite(
            drop_refresh,
            "CREATE TABLE t AS (SELECT a FROM s) DATA INITIALLY DEFERRED REFRESH DEFERRED MAINTAINED BY USER"
            " ENABLE QUERY OPTIMIZATION",
            r"DATA INITIALLY DEFERRED(?: (?:REFRESH (?:DEFERRED|IMMEDIATE)|(?:ENABLE|DISABLE) QUERY OPTIMIZATION"
            r"|MAINTAINED BY (?:SYSTEM|USER|FEDERATED_TOOL)))*",
        ),
    ),
    "flink": (
        Rewrite(
            drop_copied_options,
            "CREATE TABLE t LIKE s (EXCLUDING OPTIONS INCLUDING ALL)",
            rf"\( (?:(?:{'|'.join(COPIES)}) {COPIED} )+\)",
        ),
        Rewrite(
            drop_statement_set,
            "BEGIN STATEMENT SET; INSERT INTO t SELECT a FROM s; END;",
            "BEGIN STATEMENT SET|END",
        ),
        Rewrite(
            say_match,
            "SELECT x FROM t MATCH_RECOGNIZE (ORDER BY a MEASURES b.a AS x PATTERN (b) WITHIN INTERVAL '1' HOUR"
            " DEFINE b AS b.a > 1)",
            rf"WITHIN INTERVAL (?:S|0) {PERIOD}",
        ),
    ),
    "impala": (
        Rewrite(
            drop_hints,
            "SELECT STRAIGHT_JOIN a FROM t JOIN [SHUFFLE] u ON t.a = u.a",
            r"\[ (?:SHUFFLE|BROADCAST|NOSHUFFLE) \]|STRAIGHT_JOIN",
        ),
    ),
    "hana": (
        LIMIT_OF_ROWS,
        Rewrite(say_decode, "SELECT MAP(a, 1, 'x', b) FROM t"),
        Rewrite(
            drop_cardinality,
            "SELECT t.a FROM t LEFT OUTER MANY TO EXACT ONE JOIN u ON t.a = u.a",
            rf"{CARDINALITY} TO {CARDINALITY}",
        ),
        Rewrite(
            drop_hint_behind,
            "SELECT a FROM t WITH HINT(NO_CS_JOIN)",
            r"WITH HINT \( [^()]*(?:\( [^()]*\) ?[^()]*)*\)",
            "(NO_CS_JOIN)",
        ),
    ),
    "informix": (
        Rewrite(name_clock, "SELECT TODAY FROM t"),
        LIMIT_OF_ROWS,
        Rewrite(drop_outer, "SELECT c.a FROM c, OUTER o WHERE c.a = o.a", "OUTER"),
        Rewrite(
            say_blocks,
            "CREATE PROCEDURE p(k INT) RETURNING INT, CHAR(5); DEFINE a INT; LET a = 1;"
            " FOREACH c WITH HOLD FOR SELECT b INTO a FROM t IF a > 1 THEN LET a = 2; ELIF a > 2 THEN CONTINUE FOREACH;"
            " END IF; RETURN a, k WITH RESUME; END FOREACH; END PROCEDURE;",
            rf"LET|PROCEDURE|FUNCTION|FOREACH|INTO|;|WITH RESUME|(?:\w+ )?(?:WITH HOLD )?FOR|WITH HOLD"
            rf"|RETURNING {RETURNED}(?: , {RETURNED})* ;",
        ),
    ),
    "netezza": (
        Rewrite(
            drop_marks_of_procedure,
            "CREATE PROCEDURE p() AS BEGIN_PROC BEGIN DELETE FROM t; END; END_PROC",
            "BEGIN_PROC|END_PROC",
        ),
    ),
    "teradata": (
        Rewrite(call_bounds, "SELECT BEGIN(p) FROM t"),
        Rewrite(join_bare_registers, "SELECT DATE FROM t"),
        Rewrite(drop_unknown_case, "SELECT CASE_N(a < 1, UNKNOWN) FROM t", ", UNKNOWN"),
        Rewrite(drop_order_in_call, "SELECT RANK(a DESC, b), CSUM(a, d ASC) FROM t", "ASC|DESC"),
        Rewrite(
            drop_case_attributes,
            "SELECT a FROM t WHERE a (NOT CASESPECIFIC) = 'x' AND b (CS) = 'y'",
            rf"\( (?:NOT )?(?:{'|'.join(CASE_ATTRIBUTES)}) \)",
        ),
        Rewrite(name_ends_of_time, "SELECT PERIOD(d, UNTIL_CHANGED) FROM t"),
        Rewrite(drop_interval_behind, "SELECT (a - b) DAY(4) TO SECOND(0) FROM t", PERIOD),
    ),
    "vertica": (Rewrite(name_clock, "SELECT SYSDATE FROM t"),),
}  # fmt: skip
"""Words that the nearest grammar would read in another sense, without an error."""


def as_grammar_reads(tokens: Tokens, dialect: str) -> Tokens:
    """The words of a text of a dialect, as its nearest grammar understands them."""
    for rewrite in WORDS_OF.get(dialect, ()):
        tokens = rewrite_words(tokens, rewrite)

    return tokens


def rewrite_words(tokens: Tokens, rewrite: Rewrite) -> Tokens:
    """The words after one change; words that it leaves out without understanding them come back.

    No word is lost: the parser uses it, or refuses the statement.
    """
    changed = rewrite.change(tokens)
    lost: dict[int, Tokens] = {}
    for run in dropped_runs(tokens, changed) if rewrite.drops else ():
        if not understood_runs(rewrite.drops).fullmatch(text_of(run)):
            lost[run[0].start] = run

    if not lost:
        return changed

    found: Tokens = []
    for token in changed:
        for start in [start for start in lost if start < token.start]:
            found += lost.pop(start)

        found.append(token)

    return [*found, *chain.from_iterable(lost.values())]


@cache
def understood_runs(drops: str) -> re.Pattern[str]:
    """Return the pattern of the words that a change may leave out."""
    return re.compile(drops)
