"""A test says something of the code, never of chance: whatever is drawn at random is drawn from a
seed.
"""

from __future__ import annotations

import ast
from pathlib import Path

TESTS = Path(__file__).parent


def test_every_random_has_a_seed() -> None:
    found = [
        f"{path.relative_to(TESTS)}:{call.lineno}"
        for path in sorted(TESTS.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and draws_by_chance(call)
    ]
    assert found == []


def draws_by_chance(call: ast.Call) -> bool:
    """Random(), SystemRandom(7), random.seed()      other values on every run"""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name == "SystemRandom" or (
        name in ("Random", "seed") and not (call.args or call.keywords)
    )


def test_a_random_without_a_seed_is_seen() -> None:
    calls = [
        "Random()",
        "random.Random()",
        "SystemRandom(1)",
        "Random(7)",
        "random.Random(x)",
        "Randomly()",
    ]
    seen = [draws_by_chance(ast.parse(text, mode="eval").body) for text in calls]  # type: ignore[arg-type]
    assert seen == [True, True, True, False, False, False]
