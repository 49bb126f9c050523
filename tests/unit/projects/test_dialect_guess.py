"""What a text must have for a sign of a dialect to match: looked for first, since it is quicker."""

import pytest

from lineal.projects.dialect_guess import compiled_signs, needs_of, votes_of


@pytest.mark.parametrize(
    ("pattern", "needs"),
    [
        (r"\bFROM\s+DUAL\b", (("from",), ("dual",))),
        (r"\b(?:DISTKEY|SORTKEY)\b", (("distkey", "sortkey"),)),
        (r"\b(?:FROM|JOIN)\s+\[\w+\]", (("[",), ("from", "join"))),
        (r"\bCREATE\s+(?:OR\s+REPLACE\s+)?PROC(?:EDURE)?\b", (("create",), ("proc",))),
        (r"\bNVL2?\s*\(", (("nvl",),)),
        (r"\bSAFE\.|\bSAFE_(?:CAST|DIVIDE)\b", (("safe", "safe_"),)),
        (r"\bFROM\s+`\w+`\.`\w+`|\bGET_JSON_OBJECT\s*\(", (("`", "get_json_object"),)),
        (r"\bSTORED\s+AS\s+(?:\w|\$)", (("stored",), ("as",))),
        (r"[\w\"]\s*\(\+\)", (("+",),)),
        (r"(?:a|\w)", ()),
    ],
)
def test_a_match_needs_words_and_marks(pattern: str, needs: tuple[tuple[str, ...], ...]) -> None:
    assert needs_of(pattern) == needs


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("SELECT a FROM t, u WHERE t.a = u.a(+)", "oracle"),
        ("SELECT a FROM dual\n/\n", "oracle"),
        ("UPDATE t SET\n[a] = 1", "tsql"),
        ("SELECT a FROM `p-1`.d.t", "bigquery"),
        ("SELECT a FROM `d`.`t`", "hive"),
        ("\\echo start\nSELECT 1", "postgres"),
        ("SELECT a FROM t WHERE b ~ 'x'", "postgres"),
    ],
)
def test_a_sign_is_met_if_its_pattern_is(text: str, dialect: str) -> None:
    assert votes_of(text)[dialect]


def test_every_sign_needs_something() -> None:
    assert all(sign.needs for sign in compiled_signs())
