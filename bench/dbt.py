"""A dbt project of many models: SQL with Jinja, YAML, and the manifest that dbt would write for it.

As a script with the path of a manifest it does what nobody can do without: load that with `json`,
and parse its SQL.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

MODELS = 1_000
COLUMNS = 12
DATABASE, SCHEMA = "warehouse", "analytics"


def project(folder: Path, models: int = MODELS, manifest: bool = True) -> Path:
    """A third each: staging over sources, joins over staging, aggregates over joins; every tenth is
    incremental.
    """
    nodes = [_model(number, models) for number in range(models)]
    _write(
        folder / "dbt_project.yml",
        "name: big\nprofile: big\nmodels: {big: {+materialized: view}}\n",
    )
    _write(
        folder / "profiles.yml",
        "big: {target: dev, outputs: {dev: {type: snowflake, schema: analytics}}}\n",
    )
    _write(
        folder / "macros" / "money.sql",
        "{% macro money(c) %}round({{ c }} / 100, 2){% endmacro %}\n",
    )
    tables = "".join(f"      - name: t{number}\n" for number in range(models // 3 + 1))
    _write(folder / "models" / "sources.yml", f"sources:\n  - name: raw\n    tables:\n{tables}")
    for number, (name, raw, _) in enumerate(nodes):
        _write(folder / "models" / f"layer_{number % 10}" / f"{name}.sql", raw)
        _write(folder / "models" / f"layer_{number % 10}" / f"{name}.yml", _yaml(name))
    if manifest:
        text = json.dumps(_manifest(nodes, models))
        _write(folder / "target" / "manifest.json", text)
    return folder


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _model(number: int, models: int) -> tuple[str, str, str]:
    """Name, SQL as it is written, SQL as it is compiled."""
    third = models // 3
    layer, place = divmod(number, third) if number < 3 * third else (2, number)
    name = f"{('stg', 'int', 'mart')[layer]}_{place}"
    columns = ",\n    ".join(f"source.c{each} as c{each}" for each in range(COLUMNS))
    if layer == 0:
        listed = ",\n        ".join(f"c{each}" for each in range(COLUMNS))
        raw = f"with source as (\n    select\n        {listed}\n    from <raw.t{place}>\n)\n\n"
        raw += f"select\n    {columns}\nfrom source\n"
    elif layer == 1:
        raw = (
            f"with source as (\n    select * from <stg_{place}>\n),\n\nother as (\n    select * from"
            f" <stg_{(place + 1) % third}>\n)\n\nselect\n    {columns},\n    coalesce(other.c1, source.c1) as total,\n"
            "    row_number() over (partition by source.c2 order by source.c3 desc) as rank\n"
            "from source\nleft join other on other.c0 = source.c0\nwhere source.c4 is not null\n"
        )
    else:
        sums = ",\n    ".join(
            f"sum(case when c5 = {each} then c{each} else 0 end) as s{each}"
            for each in range(COLUMNS)
        )
        raw = f"select\n    c2,\n    {sums},\n    <<c6>> as paid\nfrom <int_{place % third}>\n"
        raw += "<incremental>" if place % 10 == 0 else ""
        raw += "group by 1, paid\n"
    return name, _text_as(raw, False), _text_as(raw, True)


def _text_as(text: str, compiled: bool) -> str:
    """The placeholders of a text, as a template or as SQL."""
    import re

    money = r"round(\1 / 100, 2)" if compiled else r"{{ money('\1') }}"
    where = (
        ""
        if compiled
        else "{% if is_incremental() %}\nwhere c3 > (select max(paid) from {{ this }})\n{% endif %}\n"
    )
    text = re.sub(r"<<(\w+)>>", money, text).replace("<incremental>", where)
    if where in text and where:
        text = "{{ config(materialized='incremental') }}\n" + text
    source = rf"{DATABASE}.raw.\1" if compiled else r"{{ source('raw', '\1') }}"
    text = re.sub(r"<raw\.(\w+)>", source, text)
    return re.sub(r"<(\w+)>", rf"{DATABASE}.{SCHEMA}.\1" if compiled else r"{{ ref('\1') }}", text)


def _columns(name: str) -> list[str]:
    """Return the tested columns of a model: s0, s1, … of an aggregate, else c0, c1, …"""
    letter = "s" if name.startswith("mart_") else "c"
    return [f"{letter}{number}" for number in range(COLUMNS)]


def _yaml(name: str) -> str:
    columns = "".join(
        f"      - name: {each}\n        description: What {each} of {name} means.\n        tests: [not_null]\n"
        for each in _columns(name)
    )
    return f"models:\n  - name: {name}\n    description: The model {name}.\n    columns:\n{columns}"


def _manifest(nodes: list[tuple[str, str, str]], models: int) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for number, (name, raw, compiled) in enumerate(nodes):
        folder = f"models/layer_{number % 10}"
        made[f"model.big.{name}"] = {
            **_common_fields("model", name), "alias": name, "raw_code": raw, "compiled_code": compiled,
            "relation_name": f"{DATABASE}.{SCHEMA}.{name}", "original_file_path": f"{folder}/{name}.sql",
            "patch_path": f"big://{folder}/{name}.yml", "depends_on": {"macros": [], "nodes": []},
            "config": {**CONFIG, "materialized": "incremental" if "incremental" in raw else "view"},
            "columns": {each: _column(name, each) for each in _columns(name)},
        }  # fmt: skip
        for each in _columns(name):
            test = f"not_null_{name}_{each}"
            query = f"select {each} from {DATABASE}.{SCHEMA}.{name} where {each} is null"
            made[f"test.big.{test}"] = {**_common_fields("test", test), "raw_code": "{{ test_not_null(**_dbt) }}",
                                        "compiled_code": query, "config": CONFIG}  # fmt: skip
    sources = {
        f"source.big.raw.t{number}": {
            **_common_fields("source", f"t{number}"), "source_name": "raw", "identifier": f"t{number}", "schema": "raw",
            "relation_name": f"{DATABASE}.raw.t{number}", "original_file_path": "models/sources.yml", "columns": {},
        }
        for number in range(models // 3 + 1)
    }  # fmt: skip
    macros = {f"macro.dbt.m{number}": {**_common_fields("macro", f"m{number}"), "package_name": "dbt",
                                       "macro_sql": "{% macro m() %}" + "select 1 " * 60 + "{% endmacro %}"}
              for number in range(500)}  # fmt: skip
    macros["macro.big.money"] = {
        **_common_fields("macro", "money"), "macro_sql": "{% macro money(c) %}round({{ c }} / 100, 2){% endmacro %}",
        "original_file_path": "macros/money.sql",
    }  # fmt: skip
    metadata = {
        "dbt_schema_version": "https://schemas.getdbt.com/dbt/manifest/v12.json",
        "adapter_type": "snowflake",
        "project_name": "big",
    }
    return {
        "metadata": metadata,
        "nodes": made,
        "sources": sources,
        "macros": macros,
        "exposures": {},
    }


CONFIG = {
    "enabled": True, "alias": None, "schema": None, "database": None, "tags": [], "meta": {}, "group": None,
    "persist_docs": {}, "post-hook": [], "pre-hook": [], "quoting": {}, "column_types": {}, "full_refresh": None,
    "unique_key": None, "on_schema_change": "ignore", "grants": {}, "packages": [], "docs": {"show": True},
}  # fmt: skip


def _common_fields(kind: str, name: str) -> dict[str, Any]:
    return {
        "database": DATABASE, "schema": SCHEMA, "name": name, "resource_type": kind, "package_name": "big",
        "unique_id": f"{kind}.big.{name}", "fqn": ["big", name], "checksum": {"name": "sha256", "checksum": "0" * 64},
        "tags": [], "description": f"The {kind} {name}.", "meta": {}, "docs": {"show": True, "node_color": None},
        "created_at": 1700000000.0, "language": "sql", "refs": [], "sources": [], "metrics": [],
    }  # fmt: skip


def _column(name: str, column: str) -> dict[str, Any]:
    described = f"What {column} of {name} means."
    return {
        "name": column,
        "description": described,
        "meta": {},
        "data_type": None,
        "tags": [],
        "quote": None,
    }


def parse_all(manifest: Path) -> None:
    """json.load, and sqlglot.parse of every model."""
    from sqlglot import parse

    nodes = json.loads(manifest.read_text(encoding="utf-8"))["nodes"]
    for node in nodes.values():
        if node["resource_type"] == "model":
            parse(node["compiled_code"], dialect="snowflake")


if __name__ == "__main__":
    parse_all(Path(sys.argv[1]))
