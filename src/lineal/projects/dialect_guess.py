"""The dialect of a file that nobody has named: from its header, or from words of one engine only.

    guess_dialect("a.sql", "-- Databricks notebook source")      databricks, by its header
    guess_dialect("a.sql", "CREATE TABLE t (a VARCHAR2(10))")    oracle, by its statements

Each file is decided by its own text and path, so that other files cannot change it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import PurePath
from typing import NamedTuple

from lineal.model.late_pattern import late_pattern
from lineal.projects.extensions import EXTENSIONS, extension_of

MOST_CHARACTERS = 200_000
"""How much of a text is looked at."""

HEADERS = ((late_pattern(r"\s*--\s*Databricks notebook source"), "databricks"),)
NAMED_IN_COMMENT = late_pattern(r"--\s*(?:sqlfluff:dialect:|dialect\s*[:=]\s*)(\w+)", re.I)

PROSE = late_pattern(
    r"--[^\n]*"
    r"|/\*.*?\*/"
    r"|'\\'(?!')"  # ESCAPE '\', which ends where it looks escaped
    r"|'(?:[^'\\]|''|\\.)*'",
    re.DOTALL,
)
"""Comments and strings: what they say about tables and engines is not SQL of this file."""

CERTAIN, STRONG, WEAK = 4, 2, 1
"""No other engine reads it, whatever its folder is called; hardly any other does; some do."""

PART = r"(?:[\w*$-]|\$?\{+[^{}`\n]*\}+)+"
"""A part of a name in backticks, with the placeholders of templates: {{.Project}}, ${env}_raw"""

SIGNS: tuple[tuple[str, int, str], ...] = (
    ("oracle", STRONG, r"\bVARCHAR2\s*\("),
    ("oracle", STRONG, r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:EDITIONABLE\s+)?PACKAGE\b"),
    ("oracle", STRONG, r"^[ \t]*(?:PROMPT\s|SET\s+(?:DEFINE|SERVEROUTPUT|ECHO|FEEDBACK)\s|WHENEVER\s+SQLERROR\b)"),
    ("oracle", STRONG, r"^[ \t]*REM(?:ARK)?(?:[ \t]|\r?$)"),
    ("oracle", STRONG, r"\bKEEP\s*\(\s*DENSE_RANK\s+(?:FIRST|LAST)\b"),
    ("oracle", STRONG, r"[\w\"]\s*\(\+\)"),
    ("oracle", STRONG, r"^/[ \t]*\r?$"),
    ("oracle", WEAK, r"\bTABLE\s*\(\s*\w+\.\w+\s*[(),]"),
    ("oracle", STRONG, r"\bCREATE\s+OR\s+REPLACE\s+(?:FORCE|EDITIONABLE)\s+(?:EDITIONABLE\s+)?VIEW\b"),
    ("oracle", WEAK, r"\bROWNUM\b"),
    ("oracle", WEAK, r"%(?:ROW)?TYPE\b"),
    ("oracle", WEAK, r"\bDBMS_\w+\.\w+"),
    ("oracle", WEAK, r"\bSYSDATE\b(?!\s*\()"),
    ("oracle", WEAK, r"\bNVL2?\s*\("),
    ("oracle", WEAK, r"\bFROM\s+DUAL\b"),
    ("oracle", WEAK, r"\"'[^'\"\n]*'\""),
    ("tsql", CERTAIN, r"^[ \t]*GO[ \t]*;?[ \t]*\r?$"),
    ("tsql", CERTAIN, r"(?<![\w\])])\[\w+\]\.\[\w+\]"),
    ("tsql", STRONG, r"\bCREATE\s+(?:SCHEMA|TABLE|VIEW|ROLE|USER|LOGIN|PROC(?:EDURE)?|FUNCTION|TYPE)\s+\["),
    ("tsql", STRONG, r"\b(?:FROM|JOIN|INTO|UPDATE)\s+\[\w+\]"),
    ("tsql", STRONG, r"(?:^|,|\bSELECT)\s*\[\w+\]\s*=\s"),
    ("tsql", STRONG, r"\bsys\.(?:objects|tables|columns|schemas|indexes|databases|database_principals)\b"),
    ("tsql", STRONG, r"\bN?VARCHAR\s*\(\s*MAX\s*\)"),
    ("tsql", STRONG, r"\bSET\s+(?:NOCOUNT|ANSI_NULLS|QUOTED_IDENTIFIER)\s+O"),
    ("tsql", STRONG, r"\bDECLARE\s+@\w+"),
    ("tsql", STRONG, r"\bBULK\s+INSERT\b"),
    ("tsql", STRONG, r"\w\.\[[A-Za-z_][^\[\]\n]*\]"),
    ("tsql", STRONG, r"\bISNULL\s*\([^(),]+,"),
    ("tsql", STRONG, r"\bCREATE\s+(?:OR\s+ALTER\s+)?PROC(?:EDURE)?\s+[\w.]+\s+AS\s+BEGIN\b"),
    ("tsql", STRONG, r"\b(?:CREATE|ALTER)\s+PROC(?:EDURE)?\s+[\w.]+\s+@\w+\s+\w"),
    ("tsql", STRONG, r"\bWITH\s+EXECUTE\s+AS\s+(?:OWNER|CALLER|SELF)\b"),
    ("tsql", STRONG, r"\bFOR\s+(?:JSON|XML)\s+(?:AUTO|PATH|RAW)\b"),
    ("tsql", WEAK, r"\bNVARCHAR\b"),
    ("tsql", WEAK, r"\bGETDATE\s*\(\s*\)"),
    ("tsql", WEAK, r"\bDATETIME2\b"),
    ("tsql", WEAK, r"\bWITH\s*\(\s*NOLOCK\s*\)"),
    ("tsql", WEAK, r"\b(?:CROSS|OUTER)\s+APPLY\b"),
    ("mysql", STRONG, r"\bENGINE\s*=\s*(?:InnoDB|MyISAM)\b"),
    ("mysql", STRONG, r"\bAUTO_INCREMENT\b"),
    ("mysql", STRONG, r"^[ \t]*DELIMITER[ \t]+[^\w\s]{1,3}[ \t]*\r?$"),
    ("mysql", WEAK, r"\bGROUP_CONCAT\s*\("),
    ("postgres", STRONG, r"\bLANGUAGE\s+'?pl(?:pgsql|python[23]?u)\b"),
    ("postgres", STRONG, r"^\\(?:copy|i|ir|set|echo|connect|c)\s"),
    ("postgres", STRONG, r"^COPY\s[^;]*\bFROM\s+STDIN\b"),
    ("postgres", STRONG, r"\bDO\s+\$\w*\$"),
    ("postgres", STRONG, r"\bOWNER\s+TO\s|\bTABLESPACE\s+pg_default\b"),
    ("postgres", STRONG, r"\bUSING\s+(?:btree|gist|gin|brin)\b"),
    ("postgres", WEAK, r"\bcharacter\s+varying\b|\btimestamp\s+with(?:out)?\s+time\s+zone\b"),
    ("postgres", WEAK, r"\bgenerate_series\s*\("),
    ("postgres", WEAK, r"\bBIGSERIAL\b|\bSERIAL\b"),
    ("postgres", WEAK, r"\bJSONB\b"),
    ("postgres", WEAK, r"\bTIMESTAMPTZ\b"),
    ("postgres", WEAK, r"::(?:text|integer|int|regclass|numeric|date|timestamp)\b"),
    ("postgres", WEAK, r"\bDISTINCT\s+ON\s*\("),
    ("postgres", WEAK, r"\bpg_(?:class|namespace|attribute|catalog|proc|type|index|user|group|roles|stat_\w+)\b"),
    ("postgres", WEAK, r"\s!?~\*?\s*'"),
    ("redshift", STRONG, r"\b(?:DISTKEY|SORTKEY|DISTSTYLE)\b"),
    ("redshift", STRONG, r"\b(?:STL|STV|SVV|SVL|SVCS)_\w+"),
    ("redshift", STRONG, r"\bENCODE\s+(?:zstd|lzo|az64|raw|bytedict|runlength)\b"),
    ("redshift", WEAK, r"[\w\"]\s*\(\+\)"),
    ("redshift", WEAK, r"\bGETDATE\s*\(\s*\)"),
    ("bigquery", STRONG, rf"(?:FROM|JOIN|TABLE|VIEW|INTO|EXISTS|REPLACE)\s+`{PART}\.{PART}(?:\.{PART})?`"),
    ("bigquery", STRONG, rf"(?:MERGE|USING|UPDATE)\s+`{PART}\.{PART}(?:\.{PART})?`"),
    ("bigquery", CERTAIN, rf"\b(?:FROM|JOIN|TABLE|VIEW|INTO|EXISTS|MERGE|USING|UPDATE)\s+`{PART}\.{PART}\.{PART}`"),
    ("bigquery", STRONG, r"\b(?:FROM|JOIN|TABLE|VIEW|INTO|EXISTS|MERGE)\s+`\w+-[\w-]+`\.\w"),
    ("bigquery", STRONG, r"\b(?:STRUCT|ARRAY)\s*<"),
    ("bigquery", STRONG, r"\bSAFE\.|\bSAFE_(?:CAST|DIVIDE|OFFSET|ORDINAL)\b"),
    ("bigquery", STRONG, r"^\s*#(?:standard|legacy)SQL\b"),
    ("bigquery", STRONG, r"`region-[\w-]+`?\.`?INFORMATION_SCHEMA\b"),
    ("bigquery", STRONG, r"\b(?-i:INT64|FLOAT64|BIGNUMERIC)\b"),
    ("bigquery", STRONG, r"\bSELECT\s+AS\s+(?:STRUCT|VALUE)\b"),
    ("bigquery", STRONG, r"\bFROM\s+`[\w-]+`\.`?[\w-]+`?\.`[\w-]+`"),
    ("bigquery", WEAK, r"\b(?:TIMESTAMP|DATETIME)_(?:TRUNC|SUB|DIFF|ADD)\s*\("),
    ("bigquery", WEAK, r"\b(?:FORMAT|PARSE)_(?:DATE|TIMESTAMP|DATETIME)\s*\("),
    ("bigquery", WEAK, r"\bREGEXP_CONTAINS\s*\(|\bGENERATE_(?:DATE_)?ARRAY\s*\(|\bAPPROX_QUANTILES\s*\("),
    ("bigquery", WEAK, r"\bIGNORE\s+NULLS\s+(?:ORDER|LIMIT)\b"),
    ("bigquery", WEAK, r"\bCOUNTIF\s*\("),
    ("bigquery", WEAK, r"_TABLE_SUFFIX\b|_PARTITION(?:TIME|DATE)\b"),
    ("bigquery", WEAK, r"\bUNNEST\s*\([^)]*\)\s*(?:AS\s+)?\w+\s+WITH\s+OFFSET\b"),
    ("hive", STRONG, r"^[ \t]*set\s+hive\.|\$\{hive(?:conf|var):"),
    ("hive", STRONG, r"\bROW\s+FORMAT\s+(?:DELIMITED|SERDE)\b"),
    ("hive", STRONG, r"\bSTORED\s+AS\s+(?:\w|\$)"),
    ("hive", STRONG, r"\bCREATE\s+VIEW\s+`\w+\.\w+`\s+AS\s+SELECT\s"),
    ("hive", WEAK, r"\bFROM\s+`\w+`\.`\w+`|\bGET_JSON_OBJECT\s*\("),
    ("hive", WEAK, r"\bINSERT\s+OVERWRITE\s+TABLE\b"),
    ("hive", WEAK, r"\bMSCK\s+REPAIR\b"),
    ("hive", WEAK, r"\bLATERAL\s+VIEW\b"),
    ("databricks", STRONG, r"\bUSING\s+DELTA\b|\bZORDER\s+BY\b"),
    ("databricks", STRONG, r"\bCREATE\s+(?:OR\s+REFRESH\s+)?(?:STREAMING\s+)?LIVE\s+"),
    ("databricks", STRONG, r"\bCREATE\s+OR\s+REFRESH\s+(?:STREAMING|MATERIALIZED|PRIVATE)\s+"),
    ("spark", STRONG, r"\bUSING\s+(?:parquet|orc|iceberg)\b"),
    ("spark", WEAK, r"\bTBLPROPERTIES\b"),
    ("snowflake", STRONG, r"\bCREATE\s+(?:OR\s+REPLACE\s+)?(?:STAGE|WAREHOUSE|FILE\s+FORMAT|STREAM|PIPE|TASK)\b"),
    ("snowflake", STRONG, r"\bLATERAL\s+FLATTEN\s*\("),
    ("snowflake", STRONG, r"\bUSE\s+WAREHOUSE\b|\bTIMESTAMP_(?:NTZ|LTZ|TZ)\b"),
    ("snowflake", WEAK, r"\bVARIANT\b"),
    ("snowflake", WEAK, r"\bIFF\s*\("),
    ("snowflake", WEAK, r"\bOBJECT_CONSTRUCT\s*\("),
    ("teradata", STRONG, r"\b(?:MULTISET|SET)\s+(?:VOLATILE\s+|GLOBAL\s+TEMPORARY\s+)?TABLE\b"),
    ("teradata", STRONG, r"^\s*\.(?:LOGON|LOGOFF|IF\s+ERRORCODE|QUIT|EXPORT|RUN\s+FILE)\b"),
    ("teradata", WEAK, r"\bPRIMARY\s+INDEX\b"),
    ("teradata", WEAK, r"\bCOLLECT\s+STATISTICS\b"),
    ("clickhouse", STRONG, r"\bENGINE\s*=\s*\w*MergeTree\b"),
    ("clickhouse", WEAK, r"\btoStartOf\w+\s*\(|\barrayJoin\s*\("),
    ("duckdb", STRONG, r"\bread_(?:csv|parquet|json)(?:_auto)?\s*\("),
    ("sqlite", STRONG, r"\bAUTOINCREMENT\b|^[ \t]*PRAGMA\s"),
)  # fmt: skip
"""Dialect, weight, and words that only this engine reads."""

ESCAPE, CLASS, OPTIONAL, WORD, GROUP = map(
    re.compile,
    (
        r"\\(.)([?*+]?)",
        r"\[[^\]]*\][?*+]?",
        r"[^()][?*]",
        r"[a-z][a-z0-9_]+",
        r"\((?P<look>\?<?[!=])?(?:\?[-a-z]*:)?(?P<inside>[^()]*)\)(?P<often>[?*]?)",
    ),
)
MARKS, ESCAPED_MARKS = "`@~#/:\"'", "[+$\\"
"""Characters that many texts have none of, and those that a pattern escapes."""
RESERVED = 0xE000
"""Stand-ins for needs and marks are letters of this block: no pattern has them."""

Need = tuple[str, ...]
"""Texts in lower case. Every text that a pattern matches has one of them."""


def needs_of(pattern: str) -> tuple[Need, ...]:
    """Return what every text with a match has, single texts first; empty if nothing can be said.

    \\bFROM\\s+DUAL\\b                  from and dual
    \\b(?:DISTKEY|SORTKEY)\\b          distkey or sortkey
    \\b(?:FROM|JOIN)\\s+\\[\\w+\\]      [, and from or join
    """
    held: list[Need] = []

    def take_group(found: re.Match[str]) -> str:
        """Put a stand-in in place of a group, for the needs of its alternatives."""
        if found["look"] or found["often"]:
            return " "

        return "".join(stand_in(need) for need in needs_in(found["inside"], held))

    def stand_in(need: Need) -> str:
        """Hold a need, and return its stand-in."""
        held.append(need)
        return f" {chr(RESERVED + 0x100 + len(held) - 1)} "

    rest = CLASS.sub(" ", ESCAPE.sub(keep_mark, pattern.lower().replace("(?-i:", "(?:")))
    before = ""
    while before != rest:
        before, rest = rest, GROUP.sub(take_group, OPTIONAL.sub(" ", rest))

    return tuple(sorted(needs_in(rest, held), key=lambda need: (len(need), -len(need[0]))))


def keep_mark(found: re.Match[str]) -> str:
    """Return a stand-in for an escaped character that must be there; a space for any other."""
    is_needed = found[1] in ESCAPED_MARKS and found[2] in ("", "+")
    return chr(RESERVED + ord(found[1])) if is_needed else " "


def needs_in(part: str, held: list[Need]) -> list[Need]:
    """Return the needs of a part of a pattern whose groups have stand-ins."""
    branches = part.split("|")
    if len(branches) == 1:
        words: list[Need] = [(word,) for word in WORD.findall(part)]
        marks: list[Need] = [(mark,) for mark in MARKS if mark in part]
        marks += [(chr(ord(each) - RESERVED),) for each in part if 0 < ord(each) - RESERVED < 0x100]
        groups = [
            held[ord(each) - RESERVED - 0x100] for each in part if ord(each) >= RESERVED + 0x100
        ]
        return words + marks + groups

    together: list[str] = []
    for branch in branches:
        needs = needs_in(branch, held)
        if not needs:
            return []

        rarest: Need = min(needs, key=lambda need: (need[0][0].isalpha(), -len(need[0])))
        together += rarest

    return [tuple(together)]


class Sign(NamedTuple):
    """Words that only one engine reads, and texts that are looked for first: it is quicker."""

    dialect: str
    weight: int
    needs: tuple[Need, ...]
    pattern: re.Pattern[str]

    def may_match(self, folded: str) -> bool:
        """Tell whether a text in lower case has what every text with a match has."""
        for need in self.needs:
            for word in need:
                if word in folded:
                    break
            else:
                return False

        return True


@cache
def compiled_signs() -> list[Sign]:
    """Return the signs with their patterns, compiled when the first text is looked at."""
    return [
        Sign(dialect, weight, needs_of(words), late_pattern(words, re.I | re.M))
        for dialect, weight, words in SIGNS
    ]


ENOUGH = 2
"""One strong sign, or two weak ones."""
PLACE = 3
"""The weight of the name of a file or folder: more than one strong sign, less than two."""

FOLDERS = {
    **dict.fromkeys(("oracle", "plsql"), "oracle"),
    **dict.fromkeys(
        ("sqlserver", "sql_server", "sql-server", "mssql", "tsql", "t-sql", "synapse", "pdw"),
        "tsql",
    ),
    **dict.fromkeys(
        ("postgres", "postgresql", "pgsql", "psql", "cockroachdb", "yugabytedb", "yugabyte"),
        "postgres",
    ),
    **dict.fromkeys(("mysql", "mariadb"), "mysql"),
    **{
        name: name
        for name in (
            "redshift",
            "bigquery",
            "hive",
            "snowflake",
            "databricks",
            "teradata",
            "clickhouse",
            "duckdb",
            "sqlite",
            "trino",
            "presto",
            "athena",
            "impala",
            "greenplum",
            "vertica",
            "netezza",
            "db2",
        )
    },
    **dict.fromkeys(("spark", "sparksql", "spark_sql"), "spark"),
}
"""The words in names of folders and files that hold SQL of one engine."""
TWO_WORDS = ("sql_server", "spark_sql")


class Guess(NamedTuple):
    """A dialect that nobody has named, and how it is known."""

    dialect: str
    by: str


def guess_dialect(path: str, text: str, extensions: Mapping[str, str] = EXTENSIONS) -> Guess | None:
    """Return the dialect of a file; None if nothing tells."""
    head = text[:MOST_CHARACTERS]
    named = by_header(head) or by_extension(path, extensions)
    return named or by_signs(path, head)


def by_header(text: str) -> Guess | None:
    """-- Databricks notebook source, -- dialect: snowflake"""
    first = text.lstrip("\ufeff")[:400]
    for header, dialect in HEADERS:
        if header.match(first):
            return Guess(dialect, "its header")

    named = NAMED_IN_COMMENT.search(first)
    if named is not None and named[1].lower() in FOLDERS:
        return Guess(FOLDERS[named[1].lower()], "its header")

    return None


def by_extension(path: str, extensions: Mapping[str, str]) -> Guess | None:
    """orders.hql is Hive's"""
    dialect = extensions.get(extension_of(PurePath(path).name), "")
    return Guess(dialect, "its extension") if dialect else None


def by_signs(path: str, text: str) -> Guess | None:
    """Return the dialect that statements, name and folders tell; None if too little or a tie does."""
    votes = votes_of(text)
    place = by_name(path) or by_folder(path)
    if place is not None:
        votes[place.dialect] = votes.get(place.dialect, 0) + PLACE

    ranked = sorted(votes.items(), key=lambda vote: (-vote[1], vote[0]))
    if not ranked or ranked[0][1] < ENOUGH:
        return None

    if len(ranked) > 1 and ranked[1][1] == ranked[0][1]:
        return place

    dialect, count = ranked[0]
    if place is not None and place.dialect == dialect and count < PLACE + ENOUGH:
        return place

    return Guess(dialect, "its statements")


def votes_of(text: str) -> dict[str, int]:
    """Return the weight of the signs of each dialect."""
    votes: dict[str, int] = {}
    text = PROSE.sub(code_of, text)
    folded = text.lower()
    for sign in compiled_signs():
        if sign.may_match(folded) and sign.pattern.search(text) is not None:
            votes[sign.dialect] = votes.get(sign.dialect, 0) + sign.weight

    return votes


def code_of(found: re.Match[str]) -> str:
    """Return a string of one word as it is, and a space for a comment or a string of several."""
    prose = found[0]
    return prose if prose.startswith("'") and not re.search(r"\s", prose) else " "


def by_name(path: str) -> Guess | None:
    """postgres_create_tables.sql      a word of the name"""
    dialect = dialect_in(PurePath(path).stem)
    return Guess(dialect, "its name") if dialect else None


def by_folder(path: str) -> Guess | None:
    """sql/postgres/orders.sql, concepts_duckdb/age.sql      the nearest folder that tells"""
    for folder in reversed(PurePath(path).parts[:-1]):
        dialect = dialect_in(folder)
        if dialect:
            return Guess(dialect, "its folder")

    return None


@lru_cache(maxsize=1_000)
def dialect_in(name: str) -> str:
    """Return the one dialect that a name, or a word of it, names; empty if none or several do."""
    folded = name.lower()
    if folded in FOLDERS:
        return FOLDERS[folded]

    words = set(re.split(r"[^a-z0-9]+", folded)) & FOLDERS.keys()
    pairs = {pair for pair in TWO_WORDS if pair in re.sub(r"[^a-z0-9]+", "_", folded)}
    dialects = {FOLDERS[word] for word in words | pairs}
    return dialects.pop() if len(dialects) == 1 else ""
