"""Every word of a repaired statement is used, understood to have no lineage, or left over."""

from __future__ import annotations

import logging

import pytest
from sqlglot import exp

from lineal.extract.sql.dialects import parser_dialect
from lineal.extract.sql.dialects.nearest import grammar_of
from lineal.extract.sql.repair_contracts import CONTRACTS, LEFT_OVER, Contract
from lineal.extract.sql.repairs import REPAIRS, given_up, repair_words, tree_of
from lineal.extract.sql.words import FAILURES, words_of_part

WHOLLY_LEFT_OVER = ("normalize_rows",)
"""Repairs that leave out what decides values: their statements are MEDIUM."""

EXTRA = "zzextra"


@pytest.fixture(autouse=True)
def quiet_parser(caplog):
    caplog.set_level(logging.CRITICAL, logger="sqlglot")


def tokens_of(text: str, dialect: str):
    return words_of_part(text, 0, len(text), grammar_of(dialect))


def read(text: str, dialect: str):
    """The tree of a statement; None if it is refused."""
    try:
        tree = tree_of(tokens_of(text, dialect), grammar_of(dialect), text)
    except FAILURES:
        return None
    return None if isinstance(tree, exp.Command) else tree


def test_every_repair_has_a_contract():
    assert {repair.__name__ for repair in REPAIRS} | {"only_columns"} == {
        contract.repair for contract in CONTRACTS
    }
    assert len(CONTRACTS) == len({contract.repair for contract in CONTRACTS})


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.repair)
def test_sqlglot_cannot_do_it_itself(contract: Contract):
    """If this fails after an upgrade of sqlglot, the repair can be removed."""
    try:
        trees = parser_dialect(contract.dialect).parse(contract.stands_for)
    except FAILURES:
        return
    assert any(given_up(tree) for tree in trees), contract.stands_for


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.repair)
def test_the_repair_reads_its_statement(contract: Contract):
    tree = read(contract.stands_for, contract.dialect)
    assert tree is not None, contract.stands_for
    left = tree.meta.get(LEFT_OVER, "")
    assert bool(left) == (contract.repair in WHOLLY_LEFT_OVER), left
    if contract.repair != "only_columns":
        functions = {repair.__name__: repair for repair in REPAIRS}
        words = tokens_of(contract.stands_for, contract.dialect)
        changed = functions[contract.repair]
        before = words
        for repair in REPAIRS:
            if repair is changed:
                break
            before = repair(before)
        assert changed(before) is not before, f"{contract.repair} does nothing"


def is_used(tree: exp.Expression) -> bool:
    """Whether the extra word is a part of the tree."""
    return EXTRA in tree.sql().lower() or EXTRA in repr(tree).lower()


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.repair)
def test_an_extra_word_is_never_lost(contract: Contract):
    text = contract.stands_for
    lost = []
    hidden = text.index(contract.opaque) if contract.opaque else len(text)
    for word in tokens_of(text, contract.dialect):
        if hidden < word.start <= hidden + len(contract.opaque):
            continue
        changed = f"{text[: word.start]} {EXTRA} {text[word.start :]}"
        tree = read(changed, contract.dialect)
        if tree is None or is_used(tree) or EXTRA in tree.meta.get(LEFT_OVER, "").lower():
            continue
        lost.append(changed)
    if contract.repair == "only_columns":
        # what is behind a type, and behind the list, never names a column
        lost = [each for each in lost if each.index(EXTRA) < text.index("NUMBER")]
    assert lost == []


def test_words_that_stay_are_never_left_over():
    for contract in CONTRACTS:
        words = tokens_of(contract.stands_for, contract.dialect)
        mended, left = repair_words(words, contract.dialect)
        kept = {(word.start, word.end) for word in mended}
        assert all((word.start, word.end) not in kept for word in left), contract.repair
