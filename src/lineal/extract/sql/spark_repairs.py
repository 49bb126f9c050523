"""Repairs of what only Spark says: folders with a format, and tables as arguments of functions."""

from __future__ import annotations

from sqlglot.tokenizer_core import Token, TokenType

from lineal.extract.sql.brackets import closing_bracket
from lineal.extract.sql.words import Words, says, says_all


def folder_with_format(words: Words) -> Words:
    """Move the folder of an INSERT OVERWRITE DIRECTORY.

    INSERT OVERWRITE DIRECTORY '/out' USING json OPTIONS ('a' 'b') SELECT …

    INSERT OVERWRITE DIRECTORY '/out' …

    INSERT OVERWRITE DIRECTORY USING json OPTIONS (path '/out') SELECT …      the folder is one of
    the options; a WITH may come first
    """
    at = next(
        (at for at, word in enumerate(words) if word.token_type is TokenType.INSERT), len(words)
    )
    at += next((ahead for ahead in (1, 2, 3) if says(words, at + ahead, "DIRECTORY")), len(words))
    if at >= len(words):
        return words

    place = [word for word in words[at + 1 : at + 2] if word.token_type is TokenType.STRING]
    using = at + 1 + len(place)
    if not says(words, using, "USING"):
        return words

    end = using + 2
    if says(words, end, "OPTIONS"):
        close = closing_bracket(words, end + 1)
        place = place or path_in(words[end + 2 : close])
        end = close + 1

    if place:
        return [*words[: at + 1], *place, *words[end:]]

    return words


def path_in(options: Words) -> Words:
    """Return the path among options.

    path '/out', 'path' = '/out'
    """
    for number, word in enumerate(options):
        if word.text.lower() == "path":
            return next(
                (
                    [value]
                    for value in options[number + 1 :]
                    if value.token_type is TokenType.STRING
                ),
                [],
            )

    return []


def table_as_argument(words: Words) -> Words:
    """Drop how the rows of a table argument are dealt out.

    f(TABLE(SELECT …) PARTITION BY a ORDER BY b, 1), f(TABLE(t) WITH SINGLE PARTITION)

    f(TABLE(…), 1)

    How its rows are dealt out decides no column of what the function makes of them.
    """
    found: Words = []
    position = 0
    while position < len(words):
        found.append(words[position])
        if says_all(words, position, "TABLE", "("):
            close = closing_bracket(words, position + 1)
            found += words[position + 1 : close + 1]
            position = end_of_dealing(words, close + 1)
            continue

        position += 1

    if len(found) < len(words):
        return found

    return words


def end_of_dealing(words: Words, start: int) -> int:
    """Find the end of PARTITION BY and ORDER BY.

    … PARTITION BY (a, b) ORDER BY c, …)      up to the next argument, or the end of the call
    """
    if not (says(words, start, "PARTITION") or says(words, start, "PARTITION BY") or says(words, start, "WITH")
            or says(words, start, "ORDER BY") or says(words, start, "DISTRIBUTE BY")):  # fmt: skip
        return start

    position = start
    while position < len(words) and words[position].token_type not in (
        TokenType.R_PAREN,
        TokenType.COMMA,
    ):
        if words[position].token_type is TokenType.L_PAREN:
            position = closing_bracket(words, position)

        position += 1

    return position


def composed_name(words: Words) -> Words:
    """Join the texts of a composed name.

    INSERT INTO IDENTIFIER('db' || '.t') …      INSERT INTO IDENTIFIER('db.t') …
    """
    found: Words = []
    for word in words:
        found.append(word)
        if (
            word.token_type is TokenType.STRING
            and len(found) > 3
            and found[-2].token_type is TokenType.DPIPE
            and found[-3].token_type is TokenType.STRING
            and says(found, len(found) - 5, "IDENTIFIER")
        ):
            left = found[-3]
            whole = Token(
                TokenType.STRING, left.text + word.text, left.line, left.col, left.start, word.end
            )
            found[-3:] = [whole]

    if len(found) < len(words):
        return found

    return words


REPAIRS = (folder_with_format, table_as_argument, composed_name)
