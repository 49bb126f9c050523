"""Texts in dialects without a parser: they are read by the grammar of a related dialect."""

from __future__ import annotations

from dataclasses import replace

from lineal.extract.sql.dialects.nearest import NEAREST_GRAMMAR, grammar_of
from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.model.script import Corpus, Function, Script


def read_by_nearest_grammar(corpus: Corpus) -> Corpus:
    """--dialect db2      the scripts as PostgreSQL's grammar reads them, and a diagnostic of it"""
    bodies = [function.body for function in corpus.functions]
    texts = [*corpus.scripts, *corpus.before, *corpus.after, *bodies]
    foreign = [script for script in texts if script.dialect in NEAREST_GRAMMAR]
    if not foreign and corpus.dialect not in NEAREST_GRAMMAR:
        return corpus

    return replace(
        corpus,
        dialect=grammar_of(corpus.dialect),
        scripts=list(map(as_nearest, corpus.scripts)),
        before=list(map(as_nearest, corpus.before)),
        after=list(map(as_nearest, corpus.after)),
        functions=list(map(with_nearest_body, corpus.functions)),
        diagnostics=[*corpus.diagnostics, *nearest_grammars(foreign)],
    )


def as_nearest(script: Script) -> Script:
    """A script in the dialect whose grammar reads it."""
    if script.dialect not in NEAREST_GRAMMAR:
        return script

    return replace(script, dialect=grammar_of(script.dialect), written_in=script.dialect)


def with_nearest_body(function: Function) -> Function:
    """A function whose body is in the dialect whose grammar reads it."""
    return replace(function, body=as_nearest(function.body))


def nearest_grammars(scripts: list[Script]) -> list[Diagnostic]:
    """Say, for each dialect without a parser, which grammar reads it."""
    first: dict[str, Script] = {}
    for script in scripts:
        first.setdefault(script.dialect, script)

    return [
        Diagnostic(
            Code.NEAREST_DIALECT,
            f"'{dialect}' has no parser: it is read with the grammar of '{grammar_of(dialect)}'",
            Place(script.file, script.line, 1),
        )
        for dialect, script in first.items()
    ]
