"""The lists of expressions whose types are held against an engine."""

from __future__ import annotations

from pathlib import Path


def typed_queries(file: str) -> list[str]:
    """Each line of a list as a query over t: a value, an aggregate, a window function, or a query
    as it stands.
    """
    forms = {
        "values": "SELECT {} AS v FROM t",
        "groups": "SELECT {} AS v FROM t",
        "windows": "SELECT {} AS v FROM t",
        "queries": "{}",
    }
    form, texts = "", []
    for line in (Path(__file__).parent / file).read_text(encoding="utf-8").splitlines():
        if line.startswith("[") and line[1:-1] in forms:
            form = forms[line[1:-1]]
        elif line and not line.startswith("#"):
            texts.append(form.replace("{}", line, 1))
    return texts
