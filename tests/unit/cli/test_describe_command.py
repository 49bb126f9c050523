"""lineal describe: from the source down every chain, into the YAML, and nothing else changes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from lineal.cli import main

RAW = """\
kind: source
tables:
  - name: raw
    columns:
      - {name: id, description: "Key: of the order"}
      - {name: note, description: What was said}
      - {name: own}
"""
STG = """\
kind: sql
columns:
  - name: order_id
  - name: note    # lineal: ignore[A050]
  - name: own
"""
MART = """\
kind: sql
columns:
  - name: id
  - name: note
    meta: {lineal: {inherit: false}}
  - {name: twice}
"""


def project(folder: Path, **yamls: str) -> Path:
    files = {
        "lineal.yml": "dialect: duckdb\n",
        "nodes/raw/raw.yml": yamls.get("raw", RAW),
        "nodes/stg/stg.sql": "select id as order_id, note, own from raw",
        "nodes/stg/stg.yml": yamls.get("stg", STG),
        "nodes/mart/mart.sql": "select order_id as id, note, order_id * 2 as twice, order_id as more from stg",
        "nodes/mart/mart.yml": yamls.get("mart", MART),
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text.encode())
    return folder


def run(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(main, ["describe", str(folder), *options])


def yaml_of(folder: Path, node: str) -> str:
    return (folder / "nodes" / node / f"{node}.yml").read_bytes().decode()


def test_descriptions_go_down_every_chain(tmp_path: Path) -> None:
    done = run(project(tmp_path), "--write")
    assert done.exit_code == 0
    assert done.stderr.startswith(
        "3 descriptions written, in 2 files\ncoverage 100 %: 6 files, 2 statements, "
    )
    assert yaml_of(tmp_path, "raw") == RAW
    assert yaml_of(tmp_path, "stg") == STG.replace(
        "  - name: order_id\n", '  - name: order_id\n    description: "Key: of the order"\n'
    )
    assert (
        yaml_of(tmp_path, "mart")
        == MART.replace("  - name: id\n", '  - name: id\n    description: "Key: of the order"\n')
        + '  - name: more\n    description: "Key: of the order"\n'
    )
    again = run(tmp_path, "--write")
    assert again.exit_code == 0 and again.stderr.startswith("nothing to write\n")


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--write", "--dry-run")])
def test_a_dry_run_shows_a_patch_that_git_can_apply(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    shown = run(project(tmp_path), *options)
    assert yaml_of(tmp_path, "stg") == STG
    assert shown.stderr.startswith("3 descriptions to be written, in 2 files\n")
    assert '+    description: "Key: of the order"\n' in shown.stdout
    patch = tmp_path / "x.patch"
    patch.write_text(shown.stdout.replace(f"/{str(tmp_path).lstrip('/')}/", "/"))
    subprocess.run(["git", "apply", "x.patch"], cwd=tmp_path, check=True)
    assert run(tmp_path).stderr.startswith("nothing to write\n")


def test_line_ends_marks_and_rights_stay(tmp_path: Path) -> None:
    crlf = "\ufeff" + STG.replace("\n", "\r\n")
    folder = project(tmp_path, stg=crlf, mart="kind: sql\ncolumns: [id]")
    file = folder / "nodes/stg/stg.yml"
    file.chmod(0o640)
    assert run(folder, "--write").exit_code == 0
    assert file.stat().st_mode & 0o777 == 0o640
    after = yaml_of(folder, "stg")
    assert after == crlf.replace(
        "order_id\r\n", 'order_id\r\n    description: "Key: of the order"\r\n'
    )
    mart = yaml_of(folder, "mart")
    assert mart.startswith('kind: sql\ncolumns: [{name: id, description: "Key: of the order"}, ')
    assert not mart.endswith("\n")


def test_a_patch_marks_a_file_without_a_final_newline(tmp_path: Path) -> None:
    shown = run(project(tmp_path, mart="kind: sql\ncolumns: [id]"))
    assert shown.stdout.count("\\ No newline at end of file\n") == 2


def test_a_refusal_is_reported(tmp_path: Path) -> None:
    done = run(project(tmp_path, mart="x: &k {name: id}\ncolumns: [*k]\nkind: sql\n"), "--write")
    assert "left alone: " in done.stderr and "mart.id: it is used in several places" in done.stderr
    assert yaml_of(tmp_path, "mart").startswith(
        "x: &k {name: id}\ncolumns: [*k, {name: note, description: What was said}, "
    )


def test_hostile_text_is_shown_as_text(tmp_path: Path) -> None:
    raw = RAW.replace("Key: of the order", "\\e[31mred\\r\\n- name: evil")
    shown = run(project(tmp_path, raw=raw))
    assert "\x1b" not in shown.stdout
    run(tmp_path, "--write")
    assert 'description: "\\x1b[31mred\\r\\n- name: evil"\n' in yaml_of(tmp_path, "stg")


def test_a_file_outside_the_project_is_not_written(tmp_path: Path) -> None:
    """A link that leads out of the folder that was asked about."""
    folder = project(tmp_path / "inside")
    outside = tmp_path / "outside.yml"
    outside.write_text(STG)
    (folder / "nodes/stg/stg.yml").unlink()
    (folder / "nodes/stg/stg.yml").symlink_to(outside)
    done = run(folder, "--write")
    assert outside.read_text() == STG
    assert "not a YAML file of the project" in done.stderr


def test_the_yaml_of_a_dbt_project(tmp_path: Path) -> None:
    models = "models:\n  - name: mart\n    columns:\n      - {name: order_id}   # the key\n\n  - name: other\n"
    raw = "      - name: raw\n        columns: [{name: id, description: Key}]\n"
    sources = f"sources:\n  - name: shop\n    tables:\n{raw}"
    files = {
        "dbt_project.yml": "name: shop\nprofile: shop\n",
        "models/mart.sql": "select id as order_id from {{ source('shop', 'raw') }}\n",
        "models/other.sql": "select order_id from {{ ref('mart') }}\n",
        "models/m.yml": models,
        "models/s.yml": sources,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert run(tmp_path, "--write").exit_code == 0
    assert (tmp_path / "models/s.yml").read_text() == sources
    assert (tmp_path / "models/m.yml").read_text() == models.replace(
        "{name: order_id}", "{name: order_id, description: Key}"
    ) + "    columns:\n      - name: order_id\n        description: Key\n"


def test_a_saved_lineage_has_no_files_to_write(tmp_path: Path) -> None:
    folder, saved = project(tmp_path / "project"), tmp_path / "x.lineal.json"
    CliRunner().invoke(main, ["lineage", str(folder), "--save", str(saved)])
    done = run(saved, "--write")
    assert "which is not a YAML file of the project" in done.stderr
    assert yaml_of(folder, "stg") == STG
