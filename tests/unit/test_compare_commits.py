"""tools/compare_commits.py: which inputs it reads, and what a difference looks like."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import compare_commits

CASE = """# A case

```schema
orders(id int, place struct<city: string, zip: int>)
```

```sql dialect=duckdb
SELECT id FROM orders
```

```pyspark
result = spark.table("orders").select("id")
```
"""
FILES = (
    "# Two\n\n```sql dialect=spark file=a/x.sql\nSELECT 1\n```\n\n```python file=b.py\npass\n```\n"
)


def test_a_case_is_its_query_and_its_program(tmp_path: Path) -> None:
    file = tmp_path / "select" / "one.md"
    file.parent.mkdir()
    file.write_text(CASE)
    query, program = compare_commits.case_inputs(file, tmp_path / "work")
    schema = {"orders": {"id": "int", "place": "struct<city: string, zip: int>"}}
    assert query == ("select/one", "", "SELECT id FROM orders\n", "duckdb", schema)
    assert program.name == "select/one (program)"
    assert "spark.table" in Path(program.path, "job.py").read_text()


def test_a_case_of_several_files_is_a_folder(tmp_path: Path) -> None:
    file = tmp_path / "files" / "two.md"
    file.parent.mkdir()
    file.write_text(FILES)
    (made,) = compare_commits.case_inputs(file, tmp_path / "work")
    found = sorted(path.name for path in Path(made.path).rglob("*.*"))
    assert found == ["b.py", "x.sql"]


def test_every_case_file_is_an_input(tmp_path: Path) -> None:
    cases = compare_commits.ROOT / "tests" / "cases"
    for path in sorted(cases.glob("*/*.md")):
        assert list(compare_commits.case_inputs(path, tmp_path)), path


def test_the_lines_of_an_input_are_its_edges_and_diagnostics() -> None:
    text = "SELECT a AS b FROM t; SELECT FROM WHERE"
    lines = compare_commits.lines_of(compare_commits.Input("x", text=text))
    assert {line.split()[0] for line in lines} == {"diagnostics", "edges", "reads"}


def test_an_input_that_fails_is_a_line(tmp_path: Path) -> None:
    (line,) = compare_commits.lines_of(compare_commits.Input("x", str(tmp_path / "nowhere")))
    assert line.startswith("failed: ")


def test_a_difference_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two trees whose `lineal` differs in one edge."""
    for name, target in (("old", "b"), ("new", "c")):
        source = tmp_path / name / "src"
        source.mkdir(parents=True)
        (source / "lineal.py").write_text(STAND_IN.replace("TARGET", target))
    inputs = tmp_path / "inputs.json"
    inputs.write_text(json.dumps([["x", "", "SELECT 1", None, None]]))
    assert compare_commits.compare(tmp_path / "old", tmp_path / "new", inputs) == 1
    assert capsys.readouterr().out.splitlines() == [
        "",
        "x",
        '- edges {"target": "b"}',
        '+ edges {"target": "c"}',
        "",
        "1 inputs, 1 lines, 1 inputs differ",
    ]


STAND_IN = """
import json

class Found:
    def to(self, view):
        return json.dumps({"edges": [{"target": "TARGET"}], "reads": [], "diagnostics": []})

def lineage(source, dialect, schema):
    return Found()
"""
