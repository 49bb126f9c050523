"""Paths: a few stand for themselves, very many for what they have in common."""

from __future__ import annotations

import pytest

from lineal.model.paths import MANY, path_name, places

NUMBERS = range(MANY + 1)


@pytest.mark.parametrize(
    ("paths", "found"),
    [
        (["/in/a.csv", "/in/b.csv"], ["/in/a.csv", "/in/b.csv"]),
        ([f"/in/{n}.csv" for n in NUMBERS], ["/in/*.csv"]),
        ([f"s3://lake/{n % 3}/part-{n}" for n in NUMBERS], ["s3://lake/*/*"]),
        ([f"/in/{n}/clicks" for n in NUMBERS], ["/in/*/clicks"]),
        ([*(f"/in/{n}.csv" for n in NUMBERS), "/in/old/1.csv"], ["/in/*"]),
    ],
)
def test_places(paths, found):
    assert places(paths) == found


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("./data/orders.csv", "data/orders.csv"),
        ("data//orders.csv", "data/orders.csv"),
        ("/app//./in/orders.csv", "/app/in/orders.csv"),
        ("dbfs:/mnt//orders", "dbfs:/mnt/orders"),
        ("file:///app//orders", "/app/orders"),
        ("../orders.csv", "../orders.csv"),
        ("//server/share/orders", "//server/share/orders"),
        ("s3://lake//orders", "s3://lake//orders"),
        ("./", "."),
    ],
)
def test_one_name_for_the_spellings_of_a_path(path, name):
    assert path_name(path) == name
