"""Words that stand for what is only known when a statement runs: ${x}, {{ x }}, {x}, :1, ?1,
SnowSQL's &x.

As a value each is a placeholder, and no column; in a name (`t_${env}`) it stays a part of the name:
`t_{env}`. The words are read as names, because only the tree tells where a name is meant:
`with_values` looks there.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import count, zip_longest
from typing import Any

from sqlglot import exp
from sqlglot.parser import Parser
from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.dialects.placeholders import (
    DOLLARS_IN_NAMES,
    EMPTY_LITERALS,
    SUBSTITUTES_AFTER_AMPERSAND,
)
from lineal.extract.sql.templates import Expression, template_of
from lineal.model.late_pattern import late_pattern
from lineal.model.sequences import last_or_none

BRACED = late_pattern(r"\$\{([^{}]*)\}", re.DOTALL)

SNOWSQL = late_pattern(r"&\{([A-Za-z_]\w*)\}|&&?(\w+)(?:\.(?=\.))?")
"""WHERE a = &x, FROM &{db}.t, FROM &db..t, &&x, &1      Snowflake and Oracle have no operator &"""

FORMATTED = late_pattern(
    r"""(?<![{$&@#%\\])                         # {{ x }}, ${x}, &{x}, @{x} and their like are others
    \{[ ]*
    ([^\W\d][\w.]*(?:\[\w+\])*(?:\(\))?(?:![rsa])?|…|\d*)  # name, row.name, row[name], join(), name!r, 0
    [ ]*\}(?!\})""",
    re.VERBOSE,
)
"""FROM {schema}.orders, AS {alias}

Python's str.format() and f-strings; {a: 1} and {fn now()} are none
"""

QUANTIFIERS = late_pattern(r"\b(?:MATCH_RECOGNIZE|GRAPH_TABLE)\b", re.IGNORECASE)
"""PATTERN (A{2})      where a number in braces counts"""

PARTS_OF_NAMES = frozenset((TokenType.VAR, TokenType.NUMBER, TokenType.IDENTIFIER))

WORDS = PARTS_OF_NAMES | Parser.ID_VAR_TOKENS
"""date_{x}, {x}date      what becomes a part of the name when a placeholder touches it"""

PLACEHOLDER = late_pattern(r"\{[^{}]*\}")

NUMBERED = {
    "oracle": frozenset((TokenType.COLON, TokenType.PLACEHOLDER)),
    "sqlite": frozenset((TokenType.PLACEHOLDER,)),
    "": frozenset((TokenType.PLACEHOLDER,)),
}
"""WHERE a = :1, ?1      the marks that a number may follow"""


MARKED = late_pattern(r"[?:]\d|\$\w")


def has_placeholders(text: str, dialect: str) -> bool:
    """A glance, since hardly any text has one that the parser does not know."""
    if "{" in text and ("${" in text or "{{" in text or FORMATTED.search(text) is not None):
        return True

    if dialect in SUBSTITUTES_AFTER_AMPERSAND and "&" in text:
        return True

    marks = dialect in NUMBERED and ("?" in text or ":" in text or "$" in text)
    return marks and MARKED.search(text) is not None


def put_placeholders(tokens: list[Token], text: str, dialect: str) -> list[Token]:
    """The tokens, each placeholder one of them."""
    template = template_of(text, dialect)
    if template is not None and template.expressions:
        tokens = _join_braced(_named_in_quotes(tokens), template.expressions.values())

    if "${" in text:
        tokens = _join_braced(tokens, _expressions(text, BRACED))

    if dialect in SUBSTITUTES_AFTER_AMPERSAND and "&" in text:
        tokens = _join_braced(tokens, _expressions(text, SNOWSQL))

    if "{" in text:
        tokens = _join_braced(tokens, _format_expressions(text, dialect))

    tokens = _with_types(tokens)
    if dialect not in NUMBERED:
        return tokens

    return _name_numbers(tokens, NUMBERED[dialect], dialect)


def _named_in_quotes(tokens: list[Token]) -> list[Token]:
    """Write templates inside quoted names as placeholders.

    `{{ params.project }}.d.t`      {params.project}.d.t, as without the quotes
    """
    return [
        Token(
            token.token_type,
            TEMPLATE_IN_NAME.sub(r"{\1}", token.text),
            token.line,
            token.col,
            token.start,
            token.end,
            token.comments,
        )
        if token.token_type is TokenType.IDENTIFIER and "{{" in token.text
        else token
        for token in tokens
    ]


TEMPLATE_IN_NAME = re.compile(r"\{\{-?\s*([^{}]*?)\s*-?\}\}")


def _expressions(text: str, pattern: re.Pattern[str]) -> Iterator[Expression]:
    """Find placeholders by a pattern.

    ${x}, &x      by a pattern
    """
    for match in pattern.finditer(text):
        yield Expression(match.start(), match.end(), next(filter(None, match.groups()), ""))


def _format_expressions(text: str, dialect: str) -> Iterator[Expression]:
    """Find the placeholders of str.format().

    {x}, {0}, {}      the last has the next number, as str.format() counts
    """
    counts = QUANTIFIERS.search(text) is None
    numbers = count()
    for match in FORMATTED.finditer(text):
        content = match[1]
        if content.isdigit() or not content:
            if not counts or (not content and dialect in EMPTY_LITERALS):
                continue

            content = content or str(next(numbers))

        yield Expression(match.start(), match.end(), content)


def _join_braced(tokens: list[Token], expressions: Iterable[Expression]) -> list[Token]:
    """Replace the tokens of each template expression with one placeholder."""
    tokens = list(_split(tokens))
    starts = [token.start for token in tokens]
    found: list[Token] = []
    done = 0
    for each in expressions:
        first = bisect_left(starts, each.start)
        if first < done or first == len(starts) or starts[first] != each.start:
            continue  # inside a string or a comment

        found.extend(tokens[done:first])
        done = bisect_left(starts, each.end)
        if each.name and not _is_part(found, each):
            found.extend(_name(tokens[first], each))
            continue

        word = "{" + " ".join(each.content.split()) + "}"
        made = _token(tokens[first], TokenType.VAR, word, each.end - 1)
        if _is_part(found, each):
            made = _token(found[-1], found[-1].token_type, found.pop().text + word, made.end)

        if done < len(tokens) and starts[done] == each.end and tokens[done].token_type in WORDS:
            made = _token(made, made.token_type, made.text + tokens[done].text, tokens[done].end)
            done += 1

        found.append(_token(made, _kind_of_whole(made), made.text, made.end))

    return [*found, *tokens[done:]]


def _is_part(found: list[Token], each: Expression) -> bool:
    """Tell whether a placeholder is a part of a longer name.

    t_{{ ref('x') }}      a part of a longer name; an alias may follow without a space
    """
    return bool(found) and found[-1].end + 1 == each.start and found[-1].token_type in WORDS


def _kind_of_whole(made: Token) -> TokenType:
    """Return the kind of a word that holds a placeholder.

    t_{x}, date_{x}      a name; 1{x} is a value
    """
    values = (TokenType.NUMBER, TokenType.IDENTIFIER, TokenType.PLACEHOLDER)
    if made.token_type in values:
        return TokenType.PLACEHOLDER

    return TokenType.VAR


def _name(like: Token, each: Expression) -> Iterator[Token]:
    """Return the name that an expression stands for.

    {{ source('a', 'b') }}      a.b
    """
    for number, part in enumerate(each.name):
        if number:
            yield _token(like, TokenType.DOT, ".", each.end - 1)

        yield _token(like, TokenType.VAR, part, each.end - 1)


def _split(tokens: list[Token]) -> Iterator[Token]:
    """Split a word at its placeholders.

    t_${env}      to most dialects t_$ is a word
    """
    for token, following in zip_longest(tokens, tokens[1:]):
        if (
            token.text[-1:] == "$"
            and len(token.text) > 1
            and following is not None
            and following.text == "{"
        ):
            yield _token(token, token.token_type, token.text[:-1], token.end - 1)
            yield Token(TokenType.VAR, "$", token.line, token.col, token.end, token.end)
        else:
            yield token


CASTS = frozenset(("CAST", "TRY_CAST", "SAFE_CAST", "CONVERT"))


def _with_types(tokens: list[Token]) -> list[Token]:
    """Mark the placeholders that stand for types.

    CAST(a AS {type}), a::{type}      a type that only a run knows
    """
    found: list[Token] = []
    casts: list[bool] = []
    for token in tokens:
        before = last_or_none(found)
        if token.token_type is TokenType.L_PAREN:
            casts.append(before is not None and before.text.upper() in CASTS)
        elif token.token_type is TokenType.R_PAREN and casts:
            casts.pop()
        elif before is not None and is_placeholder(token):
            behind_as = before.token_type is TokenType.ALIAS and bool(casts) and casts[-1]
            if behind_as or before.token_type is TokenType.DCOLON:
                token = _token(token, TokenType.UNKNOWN, token.text, token.end)

        found.append(token)

    return found


def is_placeholder(token: Token) -> bool:
    """Tell whether a word is nothing but a placeholder.

    {x}      a word that is nothing but a placeholder
    """
    return token.token_type is TokenType.VAR and PLACEHOLDER.fullmatch(token.text) is not None


def _name_numbers(tokens: list[Token], marks: frozenset[TokenType], dialect: str) -> list[Token]:
    """Join a mark and its number.

    :1, ?2, $3, $name      a mark and what follows it are one placeholder
    """
    found: list[Token] = []
    for token in tokens:
        before = last_or_none(found)
        if (
            token.text[0:1] == "$"
            and token.token_type is TokenType.VAR
            and dialect not in DOLLARS_IN_NAMES
        ):
            found.append(_token(token, TokenType.PLACEHOLDER, "?", token.end))
        elif (
            before is not None
            and token.token_type is TokenType.NUMBER
            and before.token_type in marks
            and before.end + 1 == token.start
        ):
            found[-1] = _token(before, TokenType.PLACEHOLDER, "?", token.end)
        else:
            found.append(token)

    return found


ENDS = frozenset(
    (TokenType.VAR, TokenType.IDENTIFIER, TokenType.STRING, TokenType.NUMBER, TokenType.PLACEHOLDER, TokenType.STAR,
     TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END, TokenType.NULL, TokenType.TRUE, TokenType.FALSE,
     TokenType.ASC, TokenType.DESC)
)  # fmt: skip
"""The tokens that an expression may end with."""


def without_clauses(tokens: list[Token]) -> list[Token]:
    """Leave out the placeholders that stand for clauses.

    WHERE a = 1 {and_more}, {with_clause} SELECT …

    a placeholder where neither a name nor a value may be
    """
    found: list[Token] = []
    for token in tokens:
        behind_expression = not found or found[-1].token_type in ENDS
        if not (behind_expression and is_placeholder(token)):
            found.append(token)

    if len(found) < len(tokens):
        return found

    return tokens


LEFT_OUT = "left_out"
"""The mark of a statement that was read without its placeholders for clauses."""


def is_open(token: Token) -> bool:
    """Tell whether a node is a placeholder.

    FROM t_${env}, WHERE a = {x}      a name or a value that is only known when it runs
    """
    return token.token_type in OPEN and "{" in token.text


OPEN = (TokenType.VAR, TokenType.UNKNOWN)


# -- in trees --------------------------------------------------------------------------------------


def with_values(trees: list[Any]) -> list[Any]:
    """Turn the columns that are placeholders into values.

    WHERE a = {x}, SELECT amount_{x}

    a column that only a run knows is a value, and keeps its name
    """
    for tree in trees:
        if tree is None:
            continue

        for column in list(tree.find_all(exp.Column)):
            is_value = is_open_name(column.this) or is_split(column)
            if is_value and column.parent is not None and not is_naming(column):
                column.replace(value_of(column))

    return trees


def is_split(column: exp.Column) -> bool:
    """Tell whether a placeholder was cut at its dots, as BigQuery's parser cuts quoted names.

    VALUES ({ti.run_id})      the parts have no place of their own
    """
    parts = column.parts
    if len(parts) < 2 or any(part.meta for part in parts):
        return False

    return PLACEHOLDER.fullmatch(".".join(part.name for part in parts)) is not None


ASSIGNING = (exp.Update, exp.OnConflict)
LISTING = (exp.Partition, exp.Star, exp.Pivot, exp.Alter, exp.RenameColumn, exp.OnConflict)


def is_naming(column: exp.Column) -> bool:
    """Tell whether a placeholder stands for a name.

    SET {c} = 1, INSERT ({c}) VALUES (1), * EXCEPT ({c})      a name is meant, and no value
    """
    parent = column.parent
    around = parent.parent if parent is not None else None
    if isinstance(parent, exp.EQ):
        return isinstance(around, ASSIGNING) and column.arg_key == "this"

    if isinstance(parent, exp.Tuple):
        return isinstance(around, exp.Insert) and parent.arg_key == "this"

    return isinstance(parent, LISTING) or isinstance(around, LISTING)


def is_open_name(node: exp.Expr) -> bool:
    """Tell whether a name holds a placeholder.

    amount_{x}      quotes keep braces as they are
    """
    return isinstance(node, exp.Identifier) and not node.args.get("quoted") and "{" in node.name


def value_of(column: exp.Column) -> exp.Placeholder:
    """A value with the name of a column that only a run knows."""
    made = exp.Placeholder()
    made.meta.update(column.this.meta)
    parts = column.parts if is_split(column) else [column.this]
    made.meta[NAME] = ".".join(part.name for part in parts)
    return made


NAME = "name"
"""The mark of a placeholder that has a name."""


def name_of(node: exp.Expr) -> str:
    """Return the output name of a placeholder.

    SELECT {x}      the name of an output column that is a placeholder; '' for other values
    """
    if isinstance(node, exp.Placeholder):
        return str(node.meta.get(NAME, ""))

    return ""


def spread_rows(values: exp.Values, width: int) -> None:
    """Give rows that only a run knows as many values as there are names.

    INSERT INTO t (a, b) VALUES %s, FROM (VALUES {rows}) AS v(a, b)
    """
    for row in values.expressions:
        items = row.expressions
        if width > 1 and len(items) == 1 and isinstance(items[0], exp.Placeholder):
            row.set("expressions", [items[0].copy() for _ in range(width)])


def rename_placeholder(node: exp.Placeholder, name: str) -> None:
    """Give a placeholder another name; one that has none keeps none."""
    if NAME in node.meta:
        node.meta[NAME] = name


def places_of_values(trees: Iterable[Any]) -> set[int]:
    """Return the places of the placeholders that are values.

    WHERE a = ${x}      where placeholders are that are nothing but values
    """
    found = set()
    for tree in trees:
        for node in tree.find_all(exp.Placeholder):
            if PLACEHOLDER.fullmatch(name_of(node)) and "start" in node.meta:
                found.add(node.meta["start"])

    return found


def _token(like: Token, kind: TokenType, text: str, end: int) -> Token:
    """Return a token of another kind and text at the place of one."""
    return Token(kind, text, like.line, like.col, like.start, end, like.comments)
