"""Lines of scripts for the client, which no engine reads: GO, \\connect, SPOOL, .LOGON, the rows of
a COPY.

Whatever is left out leaves spaces, so that every other character keeps its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from lineal.model.late_pattern import late_pattern

Reader = Callable[[str], str]

QUIET = late_pattern(r"'(?:[^']|'')*'|--[^\n]*|/\*.*?\*/", re.DOTALL)
"""Strings and comments: a semicolon in them ends nothing."""


def blank(text: str) -> str:
    """Replace every character but line ends by a space.

    Spaces, and the ends of lines
    """
    return re.sub(r"[^\n]", " ", text)


def end_statement(text: str) -> str:
    """Replace a text by a semicolon and spaces.

    A semicolon and spaces: whatever stands before it is a statement of its own
    """
    return ";" + blank(text[1:])


@cache
def any_line(pattern: str) -> re.Pattern[str]:
    """Return a pattern, compiled when the first text of its client is read."""
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)


def replacing_reader(pattern: str, by: Callable[[str], str], *signs: str) -> Reader:
    """A reader of what a pattern finds anywhere. Every text with a match has one of the signs:
    they are looked for first, since it is quicker.
    """

    def read(text: str) -> str:
        """Replace what the pattern finds."""
        if not any(map(text.__contains__, signs)):
            return text

        return any_line(pattern).sub(lambda found: by(found[0]), text)

    return read


def commands(pattern: str) -> Reader:
    """A reader of lines that are commands where a statement could start, such as SET DEFINE OFF,
    and not SET a = 1.
    """

    def read(text: str) -> str:
        """Blank the lines that hold a client's commands, where a statement can start."""
        wanted = any_line(rf"^[ \t]*(?:{pattern})")
        if wanted.search(text) is None:
            return text

        found, starts = [], True
        for line in text.split("\n"):
            if starts and wanted.match(line):
                line = blank(line)

            said = QUIET.sub(" ", line).rstrip()
            starts = said.endswith(";") if said.strip() else starts
            found.append(line)

        return "\n".join(found)

    return read


def copied_rows(text: str) -> str:
    """Blank the rows that follow a COPY, as pg_dump writes them.

    COPY t FROM stdin; 1, 2, … \\.      without the last line, statements follow
    """
    if "\n\\." in text and STDIN.search(text):
        return ROWS.sub(lambda found: found[1] + blank(found[2]), text)

    return text


STDIN = late_pattern(r"\bFROM\s+STDIN\b", re.IGNORECASE)
ROWS = late_pattern(r"(^COPY\b[^;]*?\bFROM\s+STDIN\b[^;]*;)(.*?^\\\.[ \t]*$)", re.I | re.M | re.S)


def conditional_comments(text: str) -> str:
    """Uncover the comments that MySQL executes.

    /*!50001 CREATE VIEW v AS SELECT … */

    MySQL reads what stands inside, and mysqldump writes views so
    """
    if "/*!" in text:
        return CONDITIONAL.sub(lambda found: blank(found[1]) + found[2] + "  ", text)

    return text


CONDITIONAL = late_pattern(r"(/\*!\d*)(.*?)\*/", re.DOTALL)


def calls(text: str) -> str:
    """Rewrite EXEC as CALL, at the same length.

    EXEC p(1)      SQL*Plus: CALL p(1)
    """
    return CALL.sub(lambda found: found[1] + "CALL".ljust(len(found[2])), text)


CALL = late_pattern(
    r"^([ \t]*)(EXEC(?:UTE)?)(?=[ \t]+(?!IMMEDIATE\b)[\w.$#\"]+[ \t]*[(;])",
    re.IGNORECASE | re.MULTILINE,
)


def hash_comments(text: str) -> str:
    """Blank a comment that begins with a hash, up to the end of its line.

    INSERT INTO t SELECT a FROM s; # it's done      Beeline and other clients take it for a comment
    """
    if "#" not in text:
        return text

    return HASH.sub(lambda found: blank(found[0]) if found[0].startswith("#") else found[0], text)


HASH = late_pattern(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`|--[^\n]*|/\*.*?\*/|(?<!\{)\#(?![{}])[^\n]*""",
    re.DOTALL,
)
"""The texts that may hold a hash, and a comment: strings, names and other comments go first."""

GO = replacing_reader(
    r"^[ \t]*GO(?:[ \t]+\d+)?[ \t]*;?(?=[ \t]*(?:--[^\n]*)?\r?$)",
    lambda said: blank_before(said),
    *("GO", "Go", "go", "gO"),
)
SLASH = replacing_reader(r"^[ \t]*/[ \t]*\r?$", lambda said: blank_before(said), "/")
DOTS = commands(r"\.[a-z]")


def blank_before(said: str) -> str:
    """Replace a command by spaces of the same length.

    '  GO'      '  ; '
    """
    start = len(said) - len(said.lstrip(" \t"))
    return said[:start] + end_statement(said[start:])


PSQL = (
    copied_rows,
    replacing_reader(r"^[ \t]*\\[a-z!?][^\n]*", blank, "\\"),  # \connect shop
    # SELECT a FROM t \gset
    replacing_reader(
        r"(?<=\s)\\(?:g|gx|gset|gexec|gdesc|crosstabview|watch)\b[^'\n]*$",
        end_statement,
        "\\",
    ),
    replacing_reader(r"(?<![:\w'\"]):(?='\w+'|\"\w+\")", blank, ":'", ':"'),  # WHERE a = :'day'
)
SQLPLUS = commands(
    r"SET[ \t]+(?!ROLE\b|TRANSACTION\b|CONSTRAINTS?\b)\w+[ \t]+[^=]*$"
    r"|REM(?:ARK)?(?:[ \t](?![ \t]*:=)|\r?$)|(?:PROMPT|SPOOL|WHENEVER|REM|REMARK|SHOW?|DEFINE|"
    r"UNDEFINE|COLUMN|EXIT|QUIT|CONNECT?|DISCONNECT|START|HOST|ACCEPT|VARIABLE|PRINT|BREAK|TTITLE|BTITLE|PAUSE|CLEAR|"
    r"TIMING|DESC|DESCRIBE)\b(?![ \t]*(?::=|\(|WHEN\b))|[@!]"
)

CONTINUED = replacing_reader(r"(?<=[(,|])-[ \t]*\r?$|(?<!-)-(?=[ \t]*\r?\n[ \t]*[,)|])", blank, "-")
"""VALUES (1-

,2)      SQL*Plus joins the two lines; where a minus could be meant, nothing is changed
"""

DIRECTIVES = late_pattern(
    r"\$(?:if|elsif)\b[^;]*?\$then\b|\$error\b[^;]*?\$end\b|\$(?:else|end)\b", re.IGNORECASE
)


CHOICE = late_pattern(r"\$if\b(?:(?!\$if\b|\$end\b).)*+\$end\b", re.IGNORECASE | re.DOTALL)
PIECE = late_pattern(
    r"(\$then\b|\$else\b)((?:(?!\$(?:else|elsif|end)\b).)*+)", re.IGNORECASE | re.DOTALL
)
LOOPS = late_pattern(r"\b(END\s+)?LOOP\b", re.IGNORECASE)


def conditional_compilation(text: str) -> str:
    """Take out the directives that choose between pieces of PL/SQL: either piece may be compiled.

    $if dbms_db_version.version < 12 $then a := 1; $else a := 2; $end      both assignments
    """
    if "$" not in text:
        return text

    text = CHOICE.sub(one_loop, text)
    return DIRECTIVES.sub(lambda found: blank(found[0]), text)


def one_loop(choice: re.Match[str]) -> str:
    """Keep the first of several pieces that open the same loop.

    $if … $then FOR i IN 1..n LOOP $else FOR i IN INDICES OF a LOOP $end … END LOOP;      the first
    """
    opened = 0

    def keep_first(piece: re.Match[str]) -> str:
        """Return a piece, or spaces for one that opens the loop once more."""
        nonlocal opened
        before = opened
        opened += any(loop[1] is None for loop in LOOPS.finditer(piece[2])) and not balanced(
            piece[2]
        )
        if before and opened > before:
            return piece[1] + blank(piece[2])

        return piece[0]

    return PIECE.sub(keep_first, choice[0])


def balanced(text: str) -> bool:
    """Tell whether every loop of a text ends in it."""
    ends = [loop[1] is not None for loop in LOOPS.finditer(text)]
    return 2 * sum(ends) == len(ends)


CLIENTS: dict[str, tuple[Reader, ...]] = {
    **dict.fromkeys(
        ("tsql", "fabric"), (GO, replacing_reader(r"^[ \t]*(?::[a-z]|!!)[^\n]*", blank, ":", "!!"))
    ),
    **dict.fromkeys(("postgres", "redshift", "materialize", "risingwave"), PSQL),
    **dict.fromkeys(("sqlite", "duckdb", "teradata"), (DOTS,)),
    "oracle": (SLASH, SQLPLUS, CONTINUED, conditional_compilation, calls),
    "mysql": (
        conditional_comments,
        commands(r"source[ \t]|\\[a-z.!]"),
        replacing_reader(r"\\g[ \t]*$", end_statement, "\\"),
    ),
    "snowflake": (commands(r"![a-z]"),),
    **dict.fromkeys(("spark", "spark2", "databricks", "athena"), (hash_comments,)),
    "hive": (
        hash_comments,
        commands(r"!|dfs[ \t]|source[ \t]"),
    ),
}
"""By dialect: what its clients take for themselves before an engine sees the text."""


def as_engine_reads(text: str, dialect: str) -> str:
    """The text of a script without the words of a client."""
    for read in CLIENTS.get(dialect, ()):
        text = read(text)

    return text
