"""Patterns that are compiled when they are first used."""

import copy
import pickle
import re

import pytest

from lineal.model.late_pattern import late_pattern


def test_a_late_pattern_answers_like_a_compiled_one() -> None:
    late = late_pattern(r"(\w)=(\d)", re.IGNORECASE)
    compiled = re.compile(r"(\w)=(\d)", re.IGNORECASE)
    text = "a=1, B=2"
    assert late.findall(text) == compiled.findall(text)
    assert late.sub(r"\2", text) == compiled.sub(r"\2", text)
    assert (late.pattern, late.flags) == (compiled.pattern, compiled.flags)


def test_a_late_pattern_is_compiled_at_its_first_use() -> None:
    broken = late_pattern("(")
    with pytest.raises(re.error):
        broken.search("x")


def test_a_late_pattern_can_be_copied() -> None:
    late = late_pattern("a+")
    for other in (copy.copy(late), pickle.loads(pickle.dumps(late))):
        assert other.findall("aa b a") == ["aa", "a"]
