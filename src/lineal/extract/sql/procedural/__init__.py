"""Procedural code: the SQL inside of procedures, functions, blocks and strings is found, and its
variables followed.

text      tokens, with the bodies that stand in strings opened
header    CREATE FUNCTION f(a INT) RETURNS …: what a routine is
blocks    languages whose statements end with a semicolon; simple: their statements that hold no
          other
tsql      T-SQL, whose statements just end; boundaries: where
walker    what both do: variables, cursors, routines, built strings
flow      which assignments a variable may hold at a moment
values    what that is, as lineage; rows and their fields
triggers  which rows a trigger's function calls NEW and OLD
dynamic   statements in strings
"""

from __future__ import annotations

from typing import Any

from lineal.extract.sql.dialects.procedures import DELIMITERS
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.words import BATCHES, FAILURES
from lineal.model.boundary import Report, internal_error
from lineal.model.diagnostic import Diagnostic


def read(
    reading: Reading, report: Report, surely: bool = False
) -> tuple[list[Any], int, list[Diagnostic]] | None:
    """The trees of the statements in procedural code; None, if the script has none.

    If lineal fails over the code, that is reported, and each statement is read as if there were no
    procedure.
    """
    from lineal.extract.sql.procedural.blocks import Blocks
    from lineal.extract.sql.procedural.detection import is_procedural, with_semicolons
    from lineal.extract.sql.procedural.text import tokens_of
    from lineal.extract.sql.procedural.tsql import TSql

    script = reading.script
    try:
        has_delimiters = script.dialect in DELIMITERS
        text = with_semicolons(script.text) if has_delimiters else script.text
        tokens = tokens_of(text, script.dialect)
    except FAILURES:
        return None
    if not surely and not is_procedural(tokens, script.dialect):
        return None
    walker = TSql(reading) if script.dialect in BATCHES else Blocks(reading)
    try:
        walker.walk(tokens)
        trees = walker.resolve()
    except Exception as error:
        report(internal_error(error, reading.place_at(0), "this procedure"))
        return None
    reading.found = walker.found
    reading.remember(walker.flat(tokens), walker.starts)
    return trees, walker.statements, walker.found.diagnostics
