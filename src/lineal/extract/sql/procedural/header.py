"""CREATE FUNCTION, PROCEDURE, MACRO, TRIGGER, PACKAGE: name, parameters, result, language, start of
the body.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.procedures import (
    BODIES_OF_ONE_STATEMENT,
    MACROS_ARE_PROCEDURES,
    RETURN_NAMES_TYPE,
    UNNAMED_PARAMETERS,
)
from lineal.extract.sql.procedural.detection import kind_of
from lineal.extract.sql.procedural.flow import Body
from lineal.extract.sql.procedural.pieces import Parameter, Routine
from lineal.extract.sql.procedural.reader import Reader
from lineal.extract.sql.procedural.text import (
    DEPTHS,
    OPEN,
    SEMICOLON,
    STRINGS,
    Tokens,
    closing_parenthesis,
    find_word,
    is_name,
    items,
    kind_at,
    new_token,
    place_at,
    skip_words,
    tokens_in,
    vocabulary,
    word,
    word_at,
)
from lineal.extract.sql.procedural.triggers import name_row
from lineal.extract.sql.words import FAILURES

if TYPE_CHECKING:
    from lineal.extract.sql.procedural.blocks import Blocks

MODES = frozenset(("IN", "OUT", "INOUT", "VARIADIC", "IN OUT", "NOCOPY"))
EXISTS = frozenset(("IF", "NOT", "EXISTS", "IF NOT EXISTS"))


def header(walker: Blocks, tokens: Tokens, at: int) -> tuple[Routine | None, int] | None:
    """The routine that a CREATE defines, and where its body starts; None for any other CREATE."""
    kind_position = kind_of(tokens, at)
    if kind_position < 0:
        return None

    kind = word(tokens[kind_position])
    start = kind_position + 1
    if kind == "PACKAGE":
        return package(walker, tokens, at, start)

    parts, after = walker.name_at(tokens, skip_words(tokens, start, EXISTS))
    if not parts:
        return None

    if walker.innermost == "PACKAGE":
        parts = [*walker.package, *parts]
    elif kind_position > at:  # CREATE …, and no routine inside another one
        walker.schema = schema_of(parts)

    name = ".".join(part.text for part in parts)
    is_table = word(tokens[kind_position - 1]) == "TABLE"
    runs_statements = walker.script.dialect in MACROS_ARE_PROCEDURES
    is_function = kind == "FUNCTION" or (kind == "MACRO" and not runs_statements)
    routine = Routine(name, walker.table_key(parts), is_function, Body(), table=is_table)
    routine.body.owner = routine.key.rpartition(".")[2]
    routine.body.schema = walker.schema
    if kind == "TRIGGER":
        return trigger(walker, routine, tokens, after)

    if kind == "RULE":
        return rule(walker, routine, tokens, after)

    body = signature(walker, routine, tokens, after)
    if kind == "MACRO" and runs_statements:
        put_block(tokens, body)

    if body < 0:
        return None, walker.end_of(tokens, at) + 1

    return routine, body


def put_block(tokens: Tokens, body: int) -> None:
    """AS (INSERT …; SELECT …;)      Teradata: AS BEGIN INSERT …; SELECT …; END"""
    if body < 0 or kind_at(tokens, body) is not OPEN:
        return

    close = closing_parenthesis(tokens, body, len(tokens) - 1)
    if kind_at(tokens, close - 1) is not TokenType.SEMICOLON:
        tokens.insert(close, new_token(TokenType.SEMICOLON, ";", tokens[close]))
        close += 1

    tokens[body] = new_token(TokenType.BEGIN, "BEGIN", tokens[body])
    tokens[close] = new_token(TokenType.END, "END", tokens[close])


def signature(walker: Reader, routine: Routine, tokens: Tokens, at: int) -> int:
    """Read the signature of a routine.

    f(a INT, OUT b INT) RETURNS INT LANGUAGE sql AS …

    reads parameters and clauses, and says where the body starts; -1: no body
    """
    if kind_at(tokens, at) is OPEN:
        close = closing_parenthesis(tokens, at, len(tokens))
        routine.parameters = parameters(walker, tokens[at + 1 : close])
        at = close + 1

    body = clauses(walker, routine, tokens, at)
    outputs = routine.outputs
    if (
        routine.function
        and not routine.columns
        and (len(outputs) > 1 or (outputs and routine.table))
    ):
        routine.table = True
        routine.columns = [(output.name, output.key) for output in outputs]

    return body


# -- parameters ------------------------------------------------------------------------------------


def parameters(walker: Reader, tokens: Tokens) -> list[Parameter]:
    """Read a parameter list.

    (a INT, OUT b INT, @c INT = 2 OUTPUT)      each with its type and direction
    """
    return [parameter(walker, item) for item in items(tokens)]


def parameter(walker: Reader, item: Tokens) -> Parameter:
    """Read one parameter.

    OUT b INT, @c INT = 2 OUTPUT, p IN OUT NUMBER, INT
    """
    start = 0
    while start + 1 < len(item) and word(item[start]) in MODES:
        start += 1

    modes = set(map(word, item[:start]))
    rest = item[start:]
    if walker.script.dialect in UNNAMED_PARAMETERS and is_type(rest):
        out = is_output(modes, rest)
        return Parameter("", "", walker.row_type(rest, 0) or "", out=out)

    name_position = int(len(rest) > 1 and rest[0].token_type is TokenType.PARAMETER)
    name = rest[name_position]
    key = f"@{name.text.lower()}" if name_position else walker.key(name)
    row_type = walker.row_type(rest, type_position(rest, name_position + 1)) or ""
    back = find_word(item, GIVEN_BACK) >= 0
    return Parameter(name.text, key, row_type, out=is_output(modes, rest), back=back)


def type_position(rest: Tokens, at: int) -> int:
    """Say where the type of a parameter starts.

    p IN OUT NOCOPY orders%ROWTYPE      Oracle's modes are behind the name
    """
    while word_at(rest, at) in MODES:
        at += 1

    return at


GIVEN_BACK = ("OUT", "INOUT", "IN OUT", "OUTPUT")
"""Words of parameters whose values a call gives back."""


def is_type(parameter: Tokens) -> bool:
    """Tell whether a parameter is only a type.

    INT, NUMERIC(10, 2)      a type without a name before it
    """
    return len(parameter) == 1 or parameter[1].token_type is OPEN


def is_output(modes: set[str], rest: Tokens) -> bool:
    """Tell whether a parameter is an output.

    OUT b INT; p OUT NUMBER in Oracle

    T-SQL's OUTPUT takes a value, too, and so do IN OUT and INOUT.
    """
    if find_word(rest, ("OUTPUT",)) >= 0:
        return False

    direction = word_at(rest, 1)
    if direction in ("IN", "OUT"):
        return direction == "OUT"

    return "OUT" in modes and "IN" not in modes


# -- clauses ---------------------------------------------------------------------------------------


def clauses(walker: Reader, routine: Routine, tokens: Tokens, at: int) -> int:
    """Read the clauses of a routine.

    RETURNS TABLE (a INT) LANGUAGE sql AS …

    reads the clauses, and says where the body starts; -1: no body
    """
    depth = 0
    body = -1
    position = at
    while position < len(tokens) and tokens[position].token_type is not SEMICOLON:
        kind = tokens[position].token_type
        depth += DEPTHS.get(kind, 0)
        if depth or kind in DEPTHS:
            position += 1
            continue

        here = word(tokens[position])
        if here == "RETURNS" or (here == "RETURN" and body < 0 and names_type(walker)):
            position = returns(walker, routine, tokens, position + 1)
            continue

        if here == "LANGUAGE" and position + 1 < len(tokens):
            routine.language = tokens[position + 1].text.upper()
            position += 2
            continue

        if body < 0:
            body = body_at(walker, routine, tokens, position)
            if body >= 0 and kind_at(tokens, body) not in STRINGS:
                return body

        position += 1

    return body


def names_type(walker: Reader) -> bool:
    """Tell whether RETURN is followed by a type.

    FUNCTION f RETURN NUMBER IS      Oracle: RETURN is followed by the type
    """
    return walker.script.dialect in RETURN_NAMES_TYPE


def body_at(walker: Reader, routine: Routine, tokens: Tokens, position: int) -> int:
    """Find the start of the body.

    AS $$ … $$, AS TABLE SELECT …, BEGIN … END      where the body starts; -1, if not here
    """
    here = word(tokens[position])
    if here in ("AS", "IS") and word(tokens[position - 1]) != "EXECUTE":
        if word_at(tokens, position + 1) != "TABLE":
            return position + 1

        routine.table = True
        return position + 2

    if here in ("BEGIN", "RETURN"):
        return position

    if here in STATEMENTS and walker.script.dialect in BODIES_OF_ONE_STATEMENT:
        return position

    return -1


STATEMENTS = vocabulary(
    """
    SELECT INSERT UPDATE DELETE WITH CALL SET IF REPLACE TRUNCATE
    """
)
"""First words of a body that is one statement."""


def returns(walker: Reader, routine: Routine, tokens: Tokens, at: int) -> int:
    """Read the type of the result.

    RETURNS TABLE (a INT, b INT), RETURNS SETOF t, RETURNS INT      where the type ends
    """
    here = word_at(tokens, at)
    if here in ("TABLE", "SETOF"):
        routine.table = True
        at += 1
        if kind_at(tokens, at) in LISTS:
            return returned_columns(walker, routine, tokens, at, declares=here == "TABLE")

        if here == "TABLE":
            return at

    parts, after = walker.name_at(tokens, at)
    routine.shape = ".".join(part.text for part in parts)
    if here == "SETOF":
        return max(after, at + 1)

    while belongs_to_type(tokens, at):
        at += 1

    return at


LISTS = (OPEN, TokenType.LT)
"""TABLE (a INT), TABLE<a INT64>      what opens a list of columns"""


def returned_columns(
    walker: Reader, routine: Routine, tokens: Tokens, at: int, declares: bool
) -> int:
    """Read the columns of the result.

    (a INT, b INT), <a INT64>      the columns of the result, which TABLE also declares
    """
    if tokens[at].token_type is OPEN:
        close = closing_parenthesis(tokens, at, len(tokens))
    else:
        close = closing_angle(tokens, at)

    names = [item[0] for item in items(tokens[at + 1 : close]) if is_name(item[0])]
    routine.columns += [(name.text, walker.key(name)) for name in names]
    if declares:
        for _, key in routine.columns:
            routine.body.declare(key)

    return close + 1


def belongs_to_type(tokens: Tokens, at: int) -> bool:
    """Tell whether a token may still belong to a type: a clause's word does not."""
    if at >= len(tokens) or tokens[at].token_type is SEMICOLON:
        return False

    if tokens[at].token_type in STRINGS:
        return False

    return word(tokens[at]) not in CLAUSES


CLAUSES = vocabulary(
    """
    AS IS BEGIN RETURN LANGUAGE
    DETERMINISTIC IMMUTABLE STABLE VOLATILE STRICT SECURITY PARALLEL COST ROWS CALLED READS CONTAINS
    MODIFIES COMMENT RUNTIME_VERSION EXECUTE OPTIONS MEMOIZABLE SQL
    """
)
"""Words that follow the type of a result."""


def closing_angle(tokens: Tokens, at: int) -> int:
    """Find the angle bracket that closes a type.

    TABLE<a ARRAY<INT64>>      the last >; the end, if none closes it
    """
    depth = 0
    for position in range(at, len(tokens)):
        depth += ANGLES.get(tokens[position].token_type, 0)
        if depth == 0:
            return position

    return len(tokens)


ANGLES = {TokenType.LT: 1, TokenType.GT: -1}


def schema_of(parts: Tokens) -> str:
    """Return the schema in the name of a routine or package.

    db.sales.p      sales
    """
    return "".join(part.text for part in parts[-2:-1])


# -- packages and triggers -------------------------------------------------------------------------


def package(walker: Blocks, tokens: Tokens, at: int, start: int) -> tuple[None, int]:
    """Read the header of a package.

    CREATE PACKAGE BODY p AS …

    what it holds are declarations; the package's own are only announced
    """
    end = walker.end_of(tokens, at)
    body = find_word(tokens[:end], ("AS", "IS"), start)
    if body < 0:
        return None, end + 1

    is_body = word_at(tokens, start) == "BODY"
    name, _ = walker.name_at(tokens, start + is_body)
    if is_body and name:
        read_announced(walker, name[-1])

    walker.package = name
    walker.schema = schema_of(walker.package)
    walker.push("PACKAGE", tokens[at])
    walker.declaring = True
    walker.in_block = True
    return None, body + 1


def read_announced(walker: Blocks, name: Token) -> None:
    """Read the specification of a package that another file has, for what it declares."""
    folded = name.text.lower()
    text = next((text for key, text in walker.script.announced if key == folded), "")
    try:
        tokens = place_at(name, tokens_in(text, walker.script))
    except FAILURES:
        return  # reported with the file of the specification

    found, starts = walker.found.diagnostics, walker.starts
    statements, order = walker.statements, len(walker.order)
    walker.found.diagnostics, walker.starts = [], []
    walker.walk(tokens)
    walker.found.diagnostics, walker.starts = found, starts
    walker.statements = statements
    del walker.order[order:]


def trigger(
    walker: Blocks, routine: Routine, tokens: Tokens, at: int
) -> tuple[Routine | None, int] | None:
    """Read the header of a trigger.

    CREATE TRIGGER g AFTER INSERT ON t FOR EACH ROW BEGIN … END      NEW and OLD are rows of t
    """
    end = walker.end_of(tokens, at)
    on = find_word(tokens[:end], ("ON",), at)
    if on < 0:
        return None

    _, after = walker.name_at(tokens, on + 1)
    table = tokens[on + 1 : after]
    before = find_word(tokens[:on], ("BEFORE",), at) >= 0
    start = find_word(tokens[: end + 1], TRIGGER_BODIES, after)
    if start < 0:
        return None, end + 1

    names = transition_tables(walker, tokens[after:start])
    if word(tokens[start]) == "EXECUTE":
        walker.link_trigger(tokens[start + 2 : end], table, names, before)
        return None, end + 1

    walker.give_trigger_rows(routine, table, names, before)
    call_rows(walker, routine, tokens[after:start])
    if kind_at(tokens, start - 1) is OPEN:
        start -= 1
        put_block(tokens, start)

    return routine, start


def rule(
    walker: Blocks, routine: Routine, tokens: Tokens, at: int
) -> tuple[Routine | None, int] | None:
    """Read the header of a rule.

    CREATE RULE r AS ON UPDATE TO v WHERE … DO INSTEAD UPDATE t …      NEW and OLD are rows of v
    """
    end = walker.end_of(tokens, at)
    to, do = find_word(tokens[:end], ("TO",), at), find_word(tokens[:end], ("DO",), at)
    if not 0 < to < do:
        return None

    _, after = walker.name_at(tokens, to + 1)
    start = skip_words(tokens, do + 1, ("ALSO", "INSTEAD"))
    if word_at(tokens, start) == "NOTHING":
        return None, end + 1

    put_block(tokens, start)
    walker.give_trigger_rows(routine, tokens[to + 1 : after])
    return routine, start


TRIGGER_BODIES = STATEMENTS - {"UPDATE"} | {"EXECUTE", "BEGIN", "DECLARE"}
"""First words of what a trigger does; UPDATE also names what it waits for."""


def call_rows(walker: Reader, routine: Routine, tokens: Tokens) -> None:
    """Read the names that a trigger gives to NEW and OLD.

    REFERENCING OLD AS o NEW AS n, REFERENCING NEW n
    """
    for position in range(find_word(tokens, ("REFERENCING",), missing=len(tokens)), len(tokens)):
        row = word(tokens[position])
        at = skip_words(tokens, position + 1, ("ROW", "AS"))
        if row in ("NEW", "OLD") and word_at(tokens, at) not in ("", "TABLE", row):
            name_row(routine.body, walker.key(tokens[at]), row.lower())


def transition_tables(walker: Reader, tokens: Tokens) -> tuple[str, ...]:
    """Read the transition tables of a trigger.

    REFERENCING OLD TABLE AS o NEW TABLE AS n      the keys of o and n
    """
    found = []
    for position, token in enumerate(tokens):
        if word(token) != "TABLE" or word(tokens[position - 1]) not in ("OLD", "NEW"):
            continue

        at = position + 1
        if word_at(tokens, at) == "AS":
            at += 1

        parts, _ = walker.name_at(tokens, at)
        if parts:
            found.append(walker.table_key(parts))

    return tuple(found)
