"""Where things stand: no card over another, no line through a card, no text cut off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import lineal

Open = Callable[..., Any]

BOXES = """() => [...document.querySelectorAll('.card')].map((card) => {
  const at = new DOMMatrix(getComputedStyle(card).transform);
  const name = card.querySelector('.name').textContent;
  return {name, x: at.e, y: at.f, width: card.offsetWidth, height: card.offsetHeight};
})"""

LINES = """() => [...document.querySelectorAll('.wire')].map((line) => {
  const length = line.getTotalLength();
  const steps = Math.max(8, Math.ceil(length / 6));
  const points = [];
  for (let step = 0; step <= steps; step++) {
    const point = line.getPointAtLength(length * step / steps);
    points.push([point.x, point.y]);
  }
  return points;
})"""

TEXTS = ".name, .column-name, .type, .badge, .expand, .end, .head, .row, .toolbar button"

CUT = """(texts) => [...document.querySelectorAll(texts)]
  .filter((each) => each.offsetParent && each.scrollWidth > each.clientWidth + 1)
  .map((each) => each.className + ': ' + each.textContent)"""

OVERLAPS = """() => [...document.querySelectorAll('.row')].flatMap((row) => {
  const parts = [...row.children].map((part) => part.getBoundingClientRect());
  return parts.slice(1).filter((part, index) => part.left < parts[index].right - 1).map(() => row.textContent);
})"""

INSIDE = 3.0
"""A line that touches a card's border ends there."""


def geometry_is_right(page: Any) -> None:
    boxes = page.page.evaluate(BOXES)
    assert boxes
    for index, one in enumerate(boxes):
        for other in boxes[index + 1 :]:
            assert not overlap(one, other), (one["name"], other["name"])
    for points in page.page.evaluate(LINES):
        for box in boxes:
            inside = [point for point in points if within(box, point)]
            assert not inside, (box["name"], inside[0], points[0], points[-1])
    assert page.page.evaluate(CUT, TEXTS) == []
    assert page.page.evaluate(OVERLAPS) == []


def overlap(one: dict[str, Any], other: dict[str, Any]) -> bool:
    beside = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
    above = one["y"] + one["height"] <= other["y"] or other["y"] + other["height"] <= one["y"]
    return not (beside or above)


def within(box: dict[str, Any], point: tuple[float, float]) -> bool:
    x, y = point
    across = box["x"] + INSIDE < x < box["x"] + box["width"] - INSIDE
    return bool(across and box["y"] + INSIDE < y < box["y"] + box["height"] - INSIDE)


@pytest.mark.parametrize(
    "keys", ["", "i", "t", "g", "it", "tg"], ids=["map", "rows", "columns", "groups", "both", "all"]
)
def test_the_shop(shown: Open, shop: lineal.Lineage, keys: str) -> None:
    page = shown(shop)
    for key in keys:
        page.does(lambda key=key: page.page.keyboard.press(key))
    geometry_is_right(page)


def test_impact_of_a_column(shown: Open, shop: lineal.Lineage) -> None:
    geometry_is_right(shown(shop).open("#column=raw_orders.amount&mode=impact"))


def test_the_views_of_seed_002(shown: Open, web_views: lineal.Lineage) -> None:
    page = shown(web_views)
    page.does(lambda: page.page.keyboard.press("i"))
    geometry_is_right(page)


ODD = {
    "long names": ";".join(
        f'CREATE VIEW "{"very_" * 30}{n}" AS SELECT "{"long_" * 40}" AS c{n} FROM "{"x" * 300}"'
        for n in range(3)
    ),
    "wide letters": 'CREATE VIEW "表とても長い名前のテーブル" AS SELECT "列の名前" AS "😀😀😀", "ÄÖÜ" FROM "ประเทศไทย"',
    "a circle": "CREATE VIEW a AS SELECT x FROM b; CREATE VIEW b AS SELECT x FROM c; CREATE VIEW c AS SELECT x FROM a",
    "itself": "CREATE TABLE t (a INT, b INT); INSERT INTO t SELECT b, a FROM t",
    "past others": ";".join(
        [
            "CREATE VIEW v1 AS SELECT a FROM t",
            *(f"CREATE VIEW v{n} AS SELECT a FROM v{n - 1}" for n in range(2, 8)),
            "CREATE VIEW z AS SELECT t.a, v3.a AS b, v7.a AS c FROM t, v3, v7",
        ]
    ),
    "fan": ";".join(
        f"CREATE VIEW v{n} AS SELECT a, b, c FROM t{n % 5} JOIN u{n % 3} USING (k)"
        for n in range(20)
    ),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_shapes(shown: Open, name: str) -> None:
    page = shown(lineal.lineage(ODD[name], dialect="postgres"))
    geometry_is_right(page)
    assert page.problems == []
