"""What the driver keeps on its disk: found again, in whatever order it is asked for."""

from __future__ import annotations

import errno
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from lineal.model.script import Script
from lineal.spark.pipeline.blobs import AT_ONCE, FULL, KEY, MARK, Blobs, Records
from lineal.spark.pipeline.book import Book
from lineal.spark.pipeline.components import component_numbers, members
from lineal.spark.pipeline.errors import BulkError
from lineal.spark.pipeline.facts import DECIDED, Facts, ManyFacts, pack, packed_facts, unpack
from lineal.spark.pipeline.order import said_by
from lineal.spark.pipeline.spellings import Spellings
from lineal.spark.pipeline.stages import in_one_line

SIZES = (0, 1, AT_ONCE - 8, AT_ONCE, 3 * AT_ONCE, 2 * FULL)


def test_blobs_of_any_size(tmp_path: Path) -> None:
    blobs = Blobs(tmp_path / "blobs")
    several = [bytes([at]) * size for at, size in enumerate(SIZES)]
    places = [blobs.add(data) for data in several]
    assert [blobs.get(place) for place in reversed(places)] == several[::-1]
    assert [blobs.after(place) for place in places[:-1]] == places[1:]
    assert list((tmp_path / "blobs").iterdir()) == []  # nothing that a kill could leave


def test_records_are_found_by_their_keys(tmp_path: Path) -> None:
    random = Random(4)
    records = Records(tmp_path)
    expected = {random.randbytes(KEY): random.randbytes(50) for _ in range(3_000)}
    for key, data in expected.items():
        records.put(key, b"before")
        records.put(key, data)
    assert len(records) == len(expected)
    assert {key: records.get(key) for key in expected} == expected
    assert set(records.keys()) == set(expected)
    assert random.randbytes(KEY) not in records


def test_keys_that_begin_alike_are_told_apart(tmp_path: Path) -> None:
    records = Records(tmp_path)
    keys = [bytes(MARK) + bytes([at]) * (KEY - MARK) for at in range(5)]
    for key in keys[1:]:
        records.put(key, key[-1:])
    assert [records.get(key) for key in keys] == [None, b"\x01", b"\x02", b"\x03", b"\x04"]
    with pytest.raises(KeyError):
        records[keys[0]]


@pytest.mark.parametrize("seed", range(20))
def test_levels_follow_what_statements_read(seed: int, tmp_path: Path) -> None:
    """Each statement is one level above the highest of those that decide the names it reads."""
    random = Random(seed)
    makes = [f"t{random.randrange(12)}" for _ in range(15)]
    reads = [f"t{random.randrange(12)}" for _ in makes]
    texts = [f"CREATE VIEW {m} AS SELECT a FROM {r}" for m, r in zip(makes, reads, strict=True)]
    scripts = [Script(text, "", f"{at}.sql") for at, text in enumerate(texts)]
    levels = Book.from_scripts(tmp_path, scripts, b"").glance().levels.tolist()
    for own, name, level in zip(makes, reads, levels, strict=True):
        deciding = [levels[at] for at, made in enumerate(makes) if made == name != own]
        expected = -1 if -1 in deciding else max(deciding, default=-1) + 1
        assert level == expected or level == -1 == min(deciding, default=-1)


@pytest.mark.parametrize("seed", range(10))
def test_components(seed: int) -> None:
    random = Random(seed)
    pairs = [(random.randrange(30), random.randrange(25)) for _ in range(30)]
    items, words = np.array(pairs).T
    found = [group.tolist() for group in members(component_numbers(30, items, words, 25))]
    assert sorted(item for group in found for item in group) == list(range(30))
    group_of = {item: number for number, group in enumerate(found) for item in group}
    for (left, first), (right, second) in product(pairs, pairs):
        assert first != second or group_of[left] == group_of[right]
    reached = {item: {item} for item in range(30)}
    for _ in range(30):
        for (left, first), (right, second) in product(pairs, pairs):
            if first == second:
                reached[left] |= reached[right]
    assert all(reached[group[0]] == set(group) for group in found)


def test_spellings_that_differ(tmp_path: Path) -> None:
    spellings = Spellings(tmp_path)
    for start in range(0, 90_000, 30):
        spellings.add(np.array([(at, 7, -at) for at in range(start, start + 10)]))
    spellings.add(np.array([30_000, 8, -30_000, 5, 7, -5]))
    assert spellings.irregular().tolist() == [-30_000]


def test_facts_travel_with_their_record() -> None:
    record = (1, [], [True], [({"key": "s.made"}, None, None, 0)],
              [([("scan", "s.t", "S.t", None)], ([], 0, 0, 0, 0, [], (0, 0, 0, ()), ([("", "s.t", "A", 0)],)))],
              [None])  # fmt: skip
    data = pack(record, lambda name, exact: name.lower())
    facts = ManyFacts([packed_facts(data)] * 3)
    assert unpack(data) == record
    assert facts.kinds.tolist() == [DECIDED] * 3
    found = {name: facts.numbers_of(name).reshape(3, -1) for name in Facts._fields[1:]}
    assert [each.shape[1] for each in found.values()] == [1, 1, 0, 3, 3, 1]
    assert all((each == each[0]).all() for each in found.values())
    assert found["tables"][0, 2] == found["reads"][0, 0] == found["columns"][0, 2]
    only = np.array([False, True, False])
    assert facts.numbers_of("reads", only).tolist() == found["reads"][1].tolist()


def test_a_full_disk_is_one_line() -> None:
    said = "no space left on the driver's disk for out: free some"
    with pytest.raises(BulkError, match=said), in_one_line("out"):
        raise OSError(errno.ENOSPC, "No space left on device")
    with pytest.raises(OSError, match="denied"), in_one_line("out"):
        raise OSError(errno.EACCES, "denied")


def test_words_of_a_text() -> None:
    said = said_by(
        'INSERT INTO "S"."T" (a) SELECT b FROM s.u; CREATE TABLE IF NOT EXISTS v (a INT)'
    )
    assert said.makes == {"v"}
    assert said.fills == {"t"}
    assert {"s", "t", "u", "v"} <= said.words
