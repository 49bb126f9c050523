"""CREATE FUNCTION, PROCEDURE, MACRO, TRIGGER, PACKAGE: name, parameters, result, language, start of
the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import TokenType

from lineal.extract.sql.dialects.procedures import (
    BODIES_OF_ONE_STATEMENT,
    RETURN_NAMES_TYPE,
    UNNAMED_PARAMETERS,
)
from lineal.extract.sql.procedural.detection import kind_of
from lineal.extract.sql.procedural.flow import Body
from lineal.extract.sql.procedural.pieces import Parameter, Routine
from lineal.extract.sql.procedural.text import (
    CLOSE,
    OPEN,
    SEMICOLON,
    STRINGS,
    closing,
    items,
    vocabulary,
    word,
)
from lineal.extract.sql.procedural.walker import Tokens, Walker, is_name

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.blocks import Blocks

MODES = frozenset(("IN", "OUT", "INOUT", "VARIADIC", "IN OUT", "NOCOPY"))


def header(walker: Blocks, tokens: Tokens, at: int) -> tuple[Routine | None, int] | None:
    """The routine that a CREATE defines, and where its body starts; None for any other CREATE."""
    kind_at = kind_of(tokens, at)
    if kind_at < 0:
        return None
    kind = word(tokens[kind_at])
    start = kind_at + 1
    if kind == "PACKAGE":
        return package(walker, tokens, at, start)
    start = past_exists(tokens, start)
    parts, after = walker.name_at(tokens, start)
    if not parts:
        return None
    name = ".".join(part.text for part in parts)
    function = kind in ("FUNCTION", "MACRO")
    routine = Routine(
        name, walker.table_key(parts), function, Body(), table=word(tokens[kind_at - 1]) == "TABLE"
    )
    routine.body.owner = routine.key.rpartition(".")[2]
    if kind == "TRIGGER":
        return trigger(walker, routine, tokens, after)
    if after < len(tokens) and tokens[after].token_type is OPEN:
        close = closing(tokens, after, len(tokens))
        routine.parameters = parameters(walker, tokens[after + 1 : close])
        after = close + 1
    body = clauses(walker, routine, tokens, after)
    outputs = routine.outputs
    if function and outputs and (routine.table or len(outputs) > 1) and not routine.columns:
        routine.table, routine.columns = True, [(output.name, output.key) for output in outputs]
    if body >= 0:
        return (routine, body)

    return (None, walker.end_of(tokens, at) + 1)


def past_exists(tokens: Tokens, at: int) -> int:
    """IF NOT EXISTS"""
    while at < len(tokens) and word(tokens[at]) in ("IF", "NOT", "EXISTS", "IF NOT EXISTS"):
        at += 1
    return at


def parameters(walker: Walker, tokens: Tokens) -> list[Parameter]:
    found = []
    for item in items(tokens):
        out = False
        start = 0
        while start < len(item) and word(item[start]) in MODES and start + 1 < len(item):
            out = out or word(item[start]) == "OUT"
            start += 1
        if any(word(token) == "IN" for token in item[:start]):
            out = out and False
        rest = item[start:]
        name_at = 0
        if rest and rest[0].token_type is TokenType.PARAMETER and len(rest) > 1:
            name_at = 1
        name = rest[name_at]
        key = f"@{name.text.lower()}" if name_at else walker.key(name)
        if len(rest) > 1 and word(rest[1]) in ("IN", "OUT"):  # Oracle: p IN OUT NUMBER
            out = word(rest[1]) == "OUT"
        unnamed = walker.script.dialect in UNNAMED_PARAMETERS and (
            len(rest) == 1 or rest[1].token_type is OPEN
        )
        typed = walker.row_type(rest, 0 if unnamed else name_at + 1) or ""
        found.append(
            Parameter("" if unnamed else name.text, "" if unnamed else key, typed, out=out)
        )
        if any(word(token) in ("OUTPUT",) for token in rest):
            found[-1].out = False
    return found


def clauses(walker: Walker, routine: Routine, tokens: Tokens, at: int) -> int:
    """RETURNS TABLE (a INT) LANGUAGE sql AS …

    reads the clauses, and says where the body starts; -1: no body
    """
    depth = 0
    body = -1
    position = at
    while position < len(tokens):
        token = tokens[position]
        kind = token.token_type
        here = word(token)
        if kind is SEMICOLON:
            break
        if kind is OPEN:
            depth += 1
        elif kind is CLOSE:
            depth -= 1
        elif depth == 0:
            if here == "RETURNS" or (
                here == "RETURN" and walker.script.dialect in RETURN_NAMES_TYPE and body < 0
            ):
                position = returns(walker, routine, tokens, position + 1)
                continue
            if here == "LANGUAGE" and position + 1 < len(tokens):
                routine.language = tokens[position + 1].text.upper()
                position += 2
                continue
            if body < 0:
                body = body_at(walker, routine, tokens, position)
                if body >= 0 and not (body < len(tokens) and tokens[body].token_type in STRINGS):
                    return body
        position += 1
    return body


def body_at(walker: Walker, routine: Routine, tokens: Tokens, position: int) -> int:
    here = word(tokens[position])
    before = word(tokens[position - 1])
    if here in ("AS", "IS") and before != "EXECUTE":
        if position + 1 < len(tokens) and word(tokens[position + 1]) == "TABLE":
            routine.table = True
            return position + 2
        return position + 1
    if here in ("BEGIN", "RETURN"):
        return position
    if walker.script.dialect in BODIES_OF_ONE_STATEMENT and here in STATEMENTS:
        return position
    return -1


STATEMENTS = vocabulary(
    """
    SELECT INSERT UPDATE DELETE WITH CALL SET IF REPLACE TRUNCATE
    """
)


def returns(walker: Walker, routine: Routine, tokens: Tokens, at: int) -> int:
    """RETURNS TABLE (a INT, b INT), RETURNS SETOF t, RETURNS INT"""
    here = word(tokens[at]) if at < len(tokens) else ""
    if here in ("TABLE", "SETOF"):
        routine.table = True
        at += 1
        if at < len(tokens) and tokens[at].token_type in (OPEN, TokenType.LT):
            if tokens[at].token_type is OPEN:
                close = closing(tokens, at, len(tokens))
            else:
                close = closing_angle(tokens, at)
            for item in items(tokens[at + 1 : close]):
                if is_name(item[0]):
                    routine.columns.append((item[0].text, walker.key(item[0])))
            if here == "TABLE":
                for _, key in routine.columns:
                    routine.body.declare(key)
            return close + 1
        if here != "SETOF":
            return at
    parts, after = walker.name_at(tokens, at)
    routine.shape = ".".join(part.text for part in parts)
    if here == "SETOF":
        return max(after, at + 1)
    while at < len(tokens) and tokens[at].token_type is not SEMICOLON:
        if (
            word(tokens[at]) in ("AS", "IS", "BEGIN", "RETURN", "LANGUAGE")
            or tokens[at].token_type in STRINGS
        ):
            break
        if not following_type(tokens, at):
            break
        at += 1
    return at


def following_type(tokens: Tokens, at: int) -> bool:
    """Whether a token may still belong to a type: a clause's word does not."""
    return word(tokens[at]) not in CLAUSES


CLAUSES = vocabulary(
    """
    DETERMINISTIC IMMUTABLE STABLE VOLATILE STRICT SECURITY PARALLEL COST ROWS CALLED READS CONTAINS
    MODIFIES COMMENT RUNTIME_VERSION EXECUTE OPTIONS MEMOIZABLE SQL
    """
)


def closing_angle(tokens: Tokens, at: int) -> int:
    depth = 0
    for position in range(at, len(tokens)):
        depth += tokens[position].token_type is TokenType.LT
        depth -= tokens[position].token_type is TokenType.GT
        if depth == 0:
            return position
    return len(tokens)


def package(walker: Blocks, tokens: Tokens, at: int, start: int) -> tuple[None, int]:
    """CREATE PACKAGE BODY p AS …

    what it holds are declarations; the package's own are only announced
    """
    end = walker.end_of(tokens, at)
    body = next(
        (i for i in range(start, min(end, len(tokens))) if word(tokens[i]) in ("AS", "IS")), -1
    )
    if body < 0:
        return None, end + 1
    walker.push("PACKAGE", tokens[at])
    walker.declaring = True
    walker.in_block = True
    return None, body + 1


def trigger(
    walker: Blocks, routine: Routine, tokens: Tokens, at: int
) -> tuple[Routine | None, int] | None:
    """CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW BEGIN … END      NEW and OLD are rows of t"""
    end = walker.end_of(tokens, at)
    on = next((i for i in range(at, end) if word(tokens[i]) == "ON"), -1)
    if on < 0:
        return None
    _, after = walker.name_at(tokens, on + 1)
    for position in range(after, end + 1):
        here = word(tokens[position]) if position < len(tokens) else ""
        if here == "EXECUTE":
            names = transition_tables(walker, tokens[after:position])
            walker.rows_of_trigger_function(
                tokens[position + 2 : end], tokens[on + 1 : after], names
            )
            return None, end + 1
        if here in ("BEGIN", "DECLARE") or here in STATEMENTS - {"UPDATE"}:
            walker.rows_of_trigger(routine, tokens[on + 1 : after])
            return routine, position
    return None, end + 1


def transition_tables(walker: Walker, tokens: Tokens) -> tuple[str, ...]:
    """REFERENCING OLD TABLE AS o NEW TABLE AS n      the keys of o and n"""
    found = []
    for position, token in enumerate(tokens):
        if word(token) != "TABLE" or word(tokens[position - 1]) not in ("OLD", "NEW"):
            continue
        if position + 1 < len(tokens) and word(tokens[position + 1]) == "AS":
            at = position + 2
        else:
            at = position + 1
        parts, _ = walker.name_at(tokens, at)
        if parts:
            found.append(walker.table_key(parts))
    return tuple(found)
