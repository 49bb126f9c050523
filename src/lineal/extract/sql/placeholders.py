"""Words that stand for what is only known when a statement runs: ${x}, {{ x }}, :1, ?1, SnowSQL's &x.

As a value each is a placeholder, and no column; in a name (`t_${env}`) it stays a part of the name: `t_{env}`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.templates import Expression, template_of

BRACED = re.compile(r"\$\{([^{}]*)\}", re.DOTALL)

SNOWSQL = re.compile(r"&\{([A-Za-z_]\w*)\}|&([A-Za-z_]\w*)")
"""WHERE a = &x, FROM &{db}.t      Snowflake has no operator &"""

NAMED_NEXT = frozenset((TokenType.FROM, TokenType.JOIN, TokenType.INTO, TokenType.UPDATE, TokenType.TABLE))
"""FROM ${t}      a name follows these"""

PARTS_OF_NAMES = frozenset((TokenType.VAR, TokenType.NUMBER, TokenType.IDENTIFIER))

JOINED = PARTS_OF_NAMES | {TokenType.PLACEHOLDER}

NUMBERED = {
    "oracle": frozenset((TokenType.COLON, TokenType.PLACEHOLDER)),
    "sqlite": frozenset((TokenType.PLACEHOLDER,)),
    "": frozenset((TokenType.PLACEHOLDER,)),
}
"""WHERE a = :1, ?1      the marks that a number may follow"""


MARKED = re.compile(r"[?:]\d|\$\w")


def has_placeholders(text: str, dialect: str) -> bool:
    """A glance, since hardly any text has one that the parser does not know."""
    if "${" in text or "{{" in text or (dialect == "snowflake" and "&" in text):
        return True
    marks = dialect in NUMBERED and ("?" in text or ":" in text or "$" in text)
    return marks and MARKED.search(text) is not None


def placed(tokens: list[Token], text: str, dialect: str) -> list[Token]:
    """The tokens, each placeholder one of them."""
    template = template_of(text, dialect)
    if template is not None and template.expressions:
        tokens = _braced(tokens, template.expressions.values())
    if "${" in text:
        tokens = _braced(tokens, _expressions(text, BRACED))
    if dialect == "snowflake" and "&" in text:
        tokens = _braced(tokens, _expressions(text, SNOWSQL))
    return _numbered(tokens, NUMBERED[dialect], dialect) if dialect in NUMBERED else tokens


def _expressions(text: str, pattern: re.Pattern[str]) -> Iterator[Expression]:
    """${x}, &x      by a pattern"""
    for match in pattern.finditer(text):
        yield Expression(match.start(), match.end(), next(filter(None, match.groups()), ""))


def _braced(tokens: list[Token], expressions: Iterable[Expression]) -> list[Token]:
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
        if found and found[-1].end + 1 == made.start and found[-1].token_type in JOINED:
            made = _token(found[-1], found[-1].token_type, found.pop().text + word, made.end)
        if done < len(tokens) and starts[done] == each.end and tokens[done].token_type in PARTS_OF_NAMES:
            made = _token(made, TokenType.VAR, made.text + tokens[done].text, tokens[done].end)
            done += 1
        if not _is_name(found, made, tokens[done] if done < len(tokens) else None, word):
            made = _token(made, TokenType.PLACEHOLDER, "?", made.end)
        found.append(made)
    return [*found, *tokens[done:]]


def _is_part(found: list[Token], each: Expression) -> bool:
    """t_{{ ref('x') }}      a part of a longer name; an alias may follow without a space"""
    return bool(found) and found[-1].end + 1 == each.start and found[-1].token_type in JOINED


def _name(like: Token, each: Expression) -> Iterator[Token]:
    """{{ source('a', 'b') }}      a.b"""
    for number, part in enumerate(each.name):
        if number:
            yield _token(like, TokenType.DOT, ".", each.end - 1)
        yield _token(like, TokenType.VAR, part, each.end - 1)


def _split(tokens: list[Token]) -> Iterator[Token]:
    """t_${env}      to most dialects t_$ is a word"""
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.text[-1:] == "$" and len(token.text) > 1 and following is not None and following.text == "{":
            yield _token(token, token.token_type, token.text[:-1], token.end - 1)
            yield Token(TokenType.VAR, "$", token.line, token.col, token.end, token.end)
        else:
            yield token


def _is_name(found: list[Token], made: Token, following: Token | None, word: str) -> bool:
    """t_${env}, ${db}.t, db.${t}, FROM ${t}      a part of a name; else a value"""
    if made.text != word:
        return made.token_type is TokenType.VAR
    if following is not None and following.token_type is TokenType.DOT and following.start == made.end + 1:
        return True
    return bool(found) and (found[-1].token_type is TokenType.DOT or found[-1].token_type in NAMED_NEXT)


def _numbered(tokens: list[Token], marks: frozenset[TokenType], dialect: str) -> list[Token]:
    """:1, ?2, $3, $name      a mark and what follows it are one placeholder"""
    found: list[Token] = []
    for token in tokens:
        before = found[-1] if found else None
        if token.text[0:1] == "$" and token.token_type is TokenType.VAR and dialect != "oracle":
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


def is_open(token: Token, text: str) -> bool:
    """FROM t_${env}, WHERE a = &x      a name or a value that is only known when it runs"""
    written = text[token.start : token.end + 1]
    return token.token_type is TokenType.VAR and ("${" in written or written[:1] == "&")


def _token(like: Token, kind: TokenType, text: str, end: int) -> Token:
    return Token(kind, text, like.line, like.col, like.start, end, like.comments)
