"""Procedural code: the SQL inside procedures, functions, blocks and strings is found, and its
variables followed.

    detection     whether a script has any
    text          tokens, with the bodies in strings opened
    walker        what all languages do; reader: names; assignments: statements and variables;
                  results: routines
    header        CREATE FUNCTION f(a INT) RETURNS …: what a routine is
    blocks        languages whose statements end with a semicolon; declarations, simple, constructs,
                  bodies: their parts
    tsql          T-SQL, whose statements just end; boundaries: where; tsql_statements,
                  tsql_routines: its parts
    flow          which assignments a variable may hold at a moment
    values        what that is, as lineage; rows: variables that hold a row; settling: the order
    triggers      which rows a trigger's function calls NEW and OLD
    dynamic       statements in strings
    pieces        what is found; summary: what a function's value is made of
"""

from __future__ import annotations

from sqlglot import exp

from lineal.extract.sql.dialects.nearest import as_grammar_reads
from lineal.extract.sql.dialects.procedures import DELIMITERS
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.words import BATCHES, FAILURES
from lineal.model.boundary import Report, internal_error
from lineal.model.diagnostic import Diagnostic


def read(
    reading: Reading, report: Report, surely: bool = False
) -> tuple[list[exp.Expr], int, list[Diagnostic]] | None:
    """The trees of the statements in procedural code; None, if the script has none.

    If lineal fails over the code, that is reported, and each statement is read as if there were no
    procedure.
    """
    from lineal.extract.sql.procedural.blocks import Blocks
    from lineal.extract.sql.procedural.detection import is_procedural, with_semicolons
    from lineal.extract.sql.procedural.text import tokens_of
    from lineal.extract.sql.procedural.tsql import TSql
    from lineal.extract.sql.procedural.walker import Walker

    script = reading.script
    text = script.text
    if script.dialect in DELIMITERS:
        text = with_semicolons(text)

    try:
        tokens = tokens_of(text, script.dialect)
    except FAILURES:
        return None

    if not surely and not is_procedural(tokens, script.dialect):
        return None

    tokens = as_grammar_reads(tokens, script.written_in or script.dialect)

    language: type[Walker] = TSql if script.dialect in BATCHES else Blocks
    walker = language(reading)
    try:
        walker.walk(tokens)
        trees = walker.resolve()
    except Exception as error:
        report(internal_error(error, reading.place_at(0), "this procedure"))
        return None

    reading.found = walker.found
    reading.remember(walker.flat(tokens), walker.starts)
    return trees, walker.statements, walker.found.diagnostics
