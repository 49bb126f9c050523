"""How much of each file is known."""

from __future__ import annotations

import json

import lineal


def test_every_file_has_its_share(tmp_path):
    (tmp_path / "good.sql").write_text(
        "CREATE VIEW v AS SELECT id, upper(name) AS name FROM people;"
    )
    (tmp_path / "bad.sql").write_text(
        "CREATE VIEW w AS SELECT FROM WHERE;\nCREATE VIEW x AS SELECT id FROM v;"
    )
    (tmp_path / "job.py").write_text(
        'import os\ndf = spark.table("v")\ndf.select("id").write.saveAsTable("t")\n'
        'df.select(*os.environ["C"].split(",")).write.saveAsTable("u")\n'
    )
    found = lineal.lineage(tmp_path, dialect="spark")
    shares = {
        each.file.rsplit("/", 1)[-1]: (each.resolved, each.lost, each.share) for each in found.files
    }
    assert shares == {"good.sql": (2, 0, 1.0), "bad.sql": (1, 1, 0.5), "job.py": (1, 1, 0.5)}
    listed = json.loads(found.to("json"))["files"]
    assert [each["resolved"] for each in listed] == [each.resolved for each in found.files]


def test_text_outside_files_is_not_a_file():
    assert lineal.lineage("SELECT a FROM t").files == []
    assert "files" not in json.loads(lineal.lineage("SELECT a FROM t").to("json"))
