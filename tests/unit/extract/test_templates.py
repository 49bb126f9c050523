"""Loose Jinja templates: names are taken from ref() and source(), and nothing of Jinja is read as
SQL.
"""

from __future__ import annotations

import gc
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import lineal
from lineal.cli import main
from lineal.extract.sql.parse import parse
from lineal.extract.sql.reading import Reading
from lineal.extract.sql.templates import name_in, template_of
from lineal.model.diagnostic import Severity
from lineal.model.script import Script

X = ["x.a -> m.a  IDENTITY"]
TEXTS: dict[str, tuple[str, str, list[str], list[str]]] = {
    "ref": ("snowflake", "select a from {{ ref('x') }}", X, ["unrendered"]),
    "ref double quotes": ("snowflake", 'select a from {{ ref("x") }}', X, ["unrendered"]),
    "ref tight": ("snowflake", "select a from {{ref('x')}}", X, ["unrendered"]),
    "ref minus": ("snowflake", "select a from {{- ref('x') -}} ", X, ["unrendered"]),
    "ref lines": ("snowflake", "select a from {{\n  ref(\n 'x'\n )\n}}\n", X, ["unrendered"]),
    "ref package": ("snowflake", "select a from {{ ref('pkg', 'x') }}", X, ["unrendered"]),
    "ref alias": ("snowflake", "select t.a from {{ ref('x') }} as t", X, ["unrendered"]),
    "ref alias tight": ("snowflake", "select t.a from {{ ref('x') }}t", X, ["unrendered"]),
    "ref version": (
        "snowflake",
        "select a from {{ ref('x', v=2) }}",
        ["x_v2.a -> m.a  IDENTITY"],
        ["unrendered"],
    ),
    "source": (
        "snowflake",
        "select a from {{ source('a', 'b') }}",
        ["a.b.a -> m.a  IDENTITY"],
        ["unrendered"],
    ),
    "source mixed quotes": (
        "snowflake",
        "select a from {{ source(\"a\", 'b') }} b",
        ["a.b.a -> m.a  IDENTITY"],
        ["unrendered"],
    ),
    "join": (
        "snowflake",
        "select r.a, s.c from {{ ref('x') }} r join {{ source('a','b') }} s on r.id = s.id",
        ["a.b.c -> m.c  IDENTITY", "a.b.id => m  JOIN", "x.a -> m.a  IDENTITY", "x.id => m  JOIN"],
        ["unrendered"],
    ),
    "config": (
        "snowflake",
        "{{ config(materialized='table') }}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "config braces": (
        "snowflake",
        "{{ config(meta={'owner': {'name': 'o;x'}}, tags=['a', 'b']) }}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "config lines with quote": (
        "snowflake",
        "{{\n  config(\n    post_hook=\"insert into audit values ('it; works')\"\n  "
        ")\n}}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "comment with quote": (
        "snowflake",
        "{# don't read this: select z from zz; #}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "set": ("snowflake", "{% set days = 7 %}\nselect a from {{ ref('x') }}", X, ["unrendered"]),
    "set list": (
        "snowflake",
        "{%- set kinds = ['a', \"b's\"] -%}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "set block": (
        "snowflake",
        "{% set q %} select z from zz; {% endset %}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "macro": (
        "snowflake",
        "{% macro f(c) %} select {{ c }} from zz; {% endmacro %}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "value": (
        "snowflake",
        "select a from {{ ref('x') }} where b > {{ var('n') }}",
        ["x.a -> m.a  IDENTITY", "x.b => m  FILTER"],
        ["dynamic"],
    ),
    "value in string": (
        "snowflake",
        "select a from {{ ref('x') }} where b > '{{ var('n') }}'",
        ["x.a -> m.a  IDENTITY", "x.b => m  FILTER"],
        ["unrendered"],
    ),
    "value in string dq": (
        "snowflake",
        "select a from {{ ref('x') }} where b > '{{ var(\"n\") }}'",
        ["x.a -> m.a  IDENTITY", "x.b => m  FILTER"],
        ["unrendered"],
    ),
    "if": (
        "snowflake",
        "select a from {{ ref('x') }} {% if is_incremental() %} where a > (select max(a) from {{ this }}) {% endif %}",
        [],
        ["dynamic"],
    ),
    "if else": (
        "snowflake",
        "select {% if x %} a {% else %} b {% endif %} from t",
        [],
        ["dynamic"],
    ),
    "for": (
        "snowflake",
        "select {% for k in kinds %} sum(case when kind = '{{ k }}' then 1 end) as {{ k }}, {% endfor %} a from t",
        [],
        ["dynamic"],
    ),
    "if around one of two": (
        "snowflake",
        "create view v as select a from {{ ref('x') }}; {% if dev %} create view w as select a from t {% endif %};",
        ["x.a -> v.a  IDENTITY"],
        ["dynamic"],
    ),
    "if over several": (
        "snowflake",
        "{% if dev %} create view v as select a from t; create view w as "
        "select a from t; {% endif %} create view u as select a from {{ ref('x') }}",
        ["x.a -> u.a  IDENTITY"],
        ["dynamic", "dynamic"],
    ),
    "whole macro": (
        "snowflake",
        "{{ dbt_utils.union_relations(relations=[ref('a'), ref('b')]) }}",
        [],
        ["dynamic"],
    ),
    "config and macro": (
        "snowflake",
        "{{ config(materialized='view') }}\n\n{{ audit('x') }}\n",
        [],
        ["dynamic"],
    ),
    "like with brace": (
        "snowflake",
        "select a from x where b like '{%' and c like '%}'",
        ["x.a -> m.a  IDENTITY", "x.b => m  FILTER", "x.c => m  FILTER"],
        [],
    ),
    "braces in string": ("snowflake", "select '{{' as q, a from x", X, []),
    "comment of sql": (
        "snowflake",
        "select a -- {{ ref('zz') }}\nfrom {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "block comment of sql": (
        "snowflake",
        "select a /* {% if x %} */ from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "raw": (
        "snowflake",
        "select a from {{ ref('x') }} where b = {% raw %}'{{ no }}'{% endraw %}",
        ["x.a -> m.a  IDENTITY", "x.b => m  FILTER"],
        ["unrendered"],
    ),
    "snapshot": (
        "snowflake",
        "{% snapshot s %}\n{{ config(unique_key='id', strategy='timestamp') "
        "}}\nselect * from {{ source('a','b') }}\n{% endsnapshot %}",
        ["a.b.* -> m.*  IDENTITY"],
        ["unrendered"],
    ),
    "cte": (
        "snowflake",
        "with r as (select a from {{ ref('x') }}), s as (select a from {{ "
        "source('a','b') }}) select r.a from r join s on r.a = s.a",
        ["a.b.a => m  JOIN", "x.a -> m.a  IDENTITY", "x.a => m  JOIN"],
        ["unrendered"],
    ),
    "reserved word": (
        "snowflake",
        "select a from {{ ref('order') }}",
        ["order.a -> m.a  IDENTITY"],
        ["unrendered"],
    ),
    "hyphen": (
        "snowflake",
        "select a from {{ ref('my-model') }}",
        ["my-model.a -> m.a  IDENTITY"],
        ["unrendered"],
    ),
    "bigquery": (
        "bigquery",
        "select a from {{ ref('x') }} where _partitiontime > timestamp('{{ ds }}')",
        X,
        ["unrendered"],
    ),
    "spark": (
        "spark",
        "insert into p select a from {{ ref('x') }}",
        ["x.a -> p.a  IDENTITY"],
        ["unrendered"],
    ),
    "tsql": (
        "tsql",
        "insert into p select a from {{ ref('x') }}",
        ["x.a -> p.a  IDENTITY"],
        ["unrendered"],
    ),
    "duckdb struct": (
        "duckdb",
        "select {'k': {'l': a}} as s from x",
        ["x.a -> m.s  TRANSFORMATION"],
        [],
    ),
    "filter": (
        "snowflake",
        "select a from {{ ref('x') | upper }}",
        ["m.sql::{ref('x') | upper}.a -> m.a  IDENTITY"],
        ["dynamic"],
    ),
    "unclosed": ("snowflake", "select a from {{ ref('x')", [], ["parse-error"]),
    "unclosed tag": ("snowflake", "{% if x  select a from t", [], ["parse-error"]),
    "name part": (
        "snowflake",
        "select a from t_{{ env }}",
        ["t_{env}.a -> m.a  IDENTITY"],
        ["dynamic"],
    ),
    "self": ("snowflake", "select a from {{ ref('m') }}", ["m.a -> m.a  IDENTITY"], ["unrendered"]),
    "create": (
        "snowflake",
        "create table {{ ref('y') }} as select a from {{ ref('x') }}",
        ["x.a -> y.a  IDENTITY"],
        ["unrendered"],
    ),
    "log": (
        "snowflake",
        "{{ log('hi', info=True) }}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "do": (
        "snowflake",
        "{% do run_query(\"delete from t\") %}\nselect a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "builtins": ("snowflake", "select a from {{ builtins.ref('x') }}", X, ["unrendered"]),
    "star macro": (
        "postgres",
        "select {{ dbt_utils.star(from=ref('x')) }} from {{ ref('x') }}",
        [],
        ["dynamic"],
    ),
    "surrogate key": (
        "postgres",
        "select {{ dbt_utils.generate_surrogate_key(['a', 'b']) }} as k, a from {{ ref('x') }}",
        X,
        ["dynamic"],
    ),
    "multi statements": (
        "postgres",
        "insert into p select a from {{ ref('x') }};\ninsert into p select a from {{ source('a','b') }};",
        ["a.b.a -> p.a  IDENTITY", "x.a -> p.a  IDENTITY"],
        ["unrendered"],
    ),
    "schema dot": (
        "postgres",
        "select a from raw.{{ var('t') }}",
        ["raw.{var('t')}.a -> m.a  IDENTITY"],
        ["dynamic"],
    ),
    "catalog dot ref": (
        "postgres",
        "select a from {{ target.schema }}.orders",
        ["{target.schema}.orders.a -> m.a  IDENTITY"],
        ["dynamic"],
    ),
    "elif": (
        "postgres",
        "select a from {% if x %} t {% elif y %} u {% else %} v {% endif %}",
        [],
        ["dynamic"],
    ),
    "nested if": (
        "postgres",
        "select a from t {% if x %} where b {% if y %} > 1 {% endif %} {% endif %}",
        [],
        ["dynamic"],
    ),
    "endif far": (
        "postgres",
        "{% if x %}\nselect a from t;\nselect b from u;\n{% endif %}\n",
        [],
        ["dynamic", "dynamic"],
    ),
    "for values": (
        "postgres",
        "{% for t in ['a','b'] %}\ninsert into p select x from {{ t }};\n{% endfor %}",
        [],
        ["dynamic"],
    ),
    "include": ("postgres", "{% include 'x.sql' %}\nselect a from x", [], ["dynamic"]),
    "jinja line whitespace control": (
        "postgres",
        "select a\n{%- set z = 1 %}\n{# c #}\nfrom {{- ref('x') }}",
        X,
        ["unrendered"],
    ),
    "ref in comment in template": (
        "postgres",
        "{# {{ ref('zz') }} #}select a from x",
        X,
        ["unrendered"],
    ),
    "source with filter": (
        "postgres",
        "select a from {{ source('a','b') | trim }}",
        ["m.sql::{source('a','b') | trim}.a -> m.a  IDENTITY"],
        ["dynamic"],
    ),
    "ref expr arg": (
        "postgres",
        "select a from {{ ref(var('m')) }}",
        ["m.sql::{ref(var('m'))}.a -> m.a  IDENTITY"],
        ["dynamic"],
    ),
    "trailing comma ref": ("postgres", "select a from {{ ref('x',) }}", X, ["unrendered"]),
    "ref semicolon": ("postgres", "select a from {{ ref('x') }};", X, ["unrendered"]),
    "macro only file": (
        "postgres",
        "{% macro f(c) %}\n  coalesce({{ c }}, 0)\n{% endmacro %}\n",
        [],
        ["unrendered"],
    ),
    "two macros": (
        "postgres",
        "{% macro f(c) %} select 1; {% endmacro %}\n{% macro g() %} select {% if a %} 1 {% endif %}; {% endmacro %}\n",
        [],
        ["unrendered"],
    ),
    "generic test": (
        "postgres",
        "{% test positive(model, column_name) %}\nselect * from {{ model }} where {{ column_name }} < 0\n{% endtest %}",
        [],
        ["unrendered"],
    ),
    "call block": (
        "postgres",
        "{% call statement('x') %} select z from zz {% endcall %}\nselect a from {{ ref('x') }}",
        [],
        ["dynamic"],
    ),
    "delete with this": (
        "postgres",
        "delete from {{ this }} where a in (select a from {{ ref('x') }})",
        ["m.sql::{this}.a => m.sql::{this}  FILTER", "x.a => m.sql::{this}  FILTER"],
        ["dynamic"],
    ),
    "percent in sql": (
        "postgres",
        "select a % 2 as r, b from {{ ref('x') }} where c like '%}' or d like '{%'",
        [
            "x.a -> m.r  TRANSFORMATION",
            "x.b -> m.b  IDENTITY",
            "x.c => m  FILTER",
            "x.d => m  FILTER",
        ],
        ["unrendered"],
    ),
    "json literal": (
        "postgres",
        "select '{\"a\": {\"b\": 1}}'::jsonb as j, a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "plpgsql body": (
        "postgres",
        "create function f() returns int language plpgsql as $$ begin insert "
        "into p select a from {{ ref('x') }}; return 1; end $$;",
        ["x.a -> p.a  IDENTITY"],
        ["unrendered"],
    ),
    "escaped quote": ("postgres", "select 'it''s' as q, a from {{ ref('x') }}", X, ["unrendered"]),
    "backslash mysql": (
        "mysql",
        "select 'it\\'s {{' as q, a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
    "hash comment mysql": ("mysql", "select a # don't {{\nfrom {{ ref('x') }}", X, ["unrendered"]),
    "double brace dict": (
        "postgres",
        "select a from {{ ref('x') }} where b = {{ {'k': {'l': 1}}['k'] }}",
        ["x.a -> m.a  IDENTITY", "x.b => m  FILTER"],
        ["dynamic"],
    ),
    "airflow": (
        "postgres",
        "insert into p select a from x where day = '{{ ds }}' and n = {{ params.n }}",
        ["x.a -> p.a  IDENTITY", "x.day => p  FILTER", "x.n => p  FILTER"],
        ["dynamic"],
    ),
    "qualify": (
        "snowflake",
        "select a from {{ ref('x') }} qualify row_number() over (partition by b order by c desc) = 1",
        ["x.a -> m.a  IDENTITY", "x.b => m  FILTER", "x.c => m  FILTER"],
        ["unrendered"],
    ),
    "union": (
        "postgres",
        "select a from {{ ref('x') }} union all select a from {{ ref('y') }}",
        ["x.a -> m.a  IDENTITY", "y.a -> m.a  IDENTITY"],
        ["unrendered"],
    ),
    "crlf": (
        "postgres",
        "{{ config(\r\n materialized='view') }}\r\nselect a\r\nfrom {{ ref('x') }}\r\n",
        X,
        ["unrendered"],
    ),
    "bom": (
        "postgres",
        "\ufeff{{ config(materialized='view') }} select a from {{ ref('x') }}",
        X,
        ["unrendered"],
    ),
}
"""Name: dialect, text of m.sql, edges, and codes of the diagnostics."""


@pytest.mark.parametrize("name", TEXTS)
def test_a_loose_template(name: str, tmp_path: Path) -> None:
    dialect, text, edges, codes = TEXTS[name]
    (tmp_path / "m.sql").write_bytes(text.encode())
    found = lineal.lineage(tmp_path, dialect=dialect)
    assert sorted(str(edge) for edge in found.edges) == edges
    assert (
        sorted(each.code.code for each in found.diagnostics if each.code.code != "open-star")
        == codes
    )


def test_files_refer_to_each_other(tmp_path: Path) -> None:
    (tmp_path / "stg_orders.sql").write_text("SELECT id, amount FROM {{ source('raw', 'orders') }}")
    (tmp_path / "mart.sql").write_text("SELECT sum(amount) AS total FROM {{ ref('stg_orders') }}")
    found = lineal.lineage(tmp_path)
    assert [str(edge) for edge in found.upstream("mart.total")] == [
        "stg_orders.amount -> mart.total  AGGREGATION",
        "raw.orders.amount -> stg_orders.amount  IDENTITY",
    ]


def test_the_diagnostic_of_a_template(tmp_path: Path) -> None:
    """A template that is understood is a note, one that is not a warning with the way out; coverage
    counts it.
    """
    text = "SELECT a FROM {{ ref('x') }};\n{% if dev %} SELECT b FROM y {% endif %};\nSELECT {{ c }} AS c FROM z"
    found = lineal.lineage(text)
    assert [str(each) for each in found.diagnostics if each.severity > Severity.INFO] == [
        "<input>:2:14: warning[dynamic]: {% if %} was not rendered: the statement is not read",
        "<input>:3:8: warning[dynamic]: this part is a template that was not rendered",
    ]
    assert {each.advice for each in found.diagnostics if each.severity > Severity.INFO} == {
        "Name the folder of the dbt project to have its templates rendered: lineal lineage PROJECT."
    }
    assert (found.coverage.statements.found, found.coverage.statements.parsed) == (3, 2)
    (note,) = lineal.lineage("SELECT a FROM {{ ref('x') }}").diagnostics
    assert (note.code.code, note.severity) == ("unrendered", Severity.INFO)


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ("SELECT {{ var('c') }} AS c FROM {{ ref('z') }}", "dbt project"),
        ("SELECT a FROM x {% if is_incremental() %} WHERE a > 1 {% endif %}", "dbt project"),
        ("SELECT a FROM {{ params.table }} WHERE d = {{ ds }}", "`params` of the operator"),
        ("SELECT a FROM {{ var.value.table }}", "`params` of the operator"),
        ("SELECT a FROM {{ anything }}", "Write the value into the text"),
    ],
)
def test_the_advice_is_that_of_the_tool(text: str, advice: str) -> None:
    """Only a template of dbt is rendered by naming a dbt project."""
    told = [each.advice for each in lineal.lineage(text).diagnostics]
    assert [each for each in told if advice in each] == told
    assert told


def test_braces_in_a_string_say_nothing() -> None:
    assert (
        lineal.lineage(
            "SELECT a FROM x WHERE day = '{{ ds }}' AND b = '{{ var('b') }}'"
        ).diagnostics
        == []
    )


def test_places_are_those_of_the_template() -> None:
    (edge,) = lineal.lineage("{{ config(a='b') }}\nSELECT\n  t.a\nFROM {{ ref('x') }} t").edges
    assert str(edge.usages[0].place) == "<input>:3:3"


def test_the_command_shows_names(tmp_path: Path) -> None:
    (tmp_path / "m.sql").write_text("SELECT a FROM {{ source('raw', 'orders') }}")
    shown = CliRunner().invoke(main, ["lineage", str(tmp_path), "--output", "rows"])
    assert shown.exit_code == 0
    assert shown.stdout.splitlines()[1].startswith("raw.orders,a,m,a,direct")


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("ref('x')", ("x",)),
        ('ref ( "x" )', ("x",)),
        ("ref('p', 'x', version=3)", ("x_v3",)),
        ("ref('x', v='2')", ("x_v2",)),
        ("source('a', 'b')", ("a", "b")),
        ("source('a')", ()),
        ("ref()", ()),
        ("ref(x)", ()),
        ("ref('x') ~ 'y'", ()),
        ("ref('x').identifier", ()),
        ("prefer('x')", ()),
    ],
)
def test_the_name_in_an_expression(content: str, name: tuple[str, ...]) -> None:
    assert name_in(content) == name


@pytest.mark.parametrize(
    "text",
    ["{{", "{{ a ", "{{ ' ", "'{{ ", "{% if x %} ", "{# ", "{% macro f %}", "{{ ref('x') }};"],
)
def test_hostile_text_takes_time_that_grows_with_it(text: str) -> None:
    def seconds(times: int) -> float:
        began = time.process_time()
        template_of(text * times + " ", "snowflake")
        return time.process_time() - began

    # a collection looks at all that earlier tests have left, which says nothing about this text
    gc.disable()
    try:
        assert seconds(20_000) < 40 * (seconds(1_000) + 0.005)
    finally:
        gc.enable()


@pytest.mark.parametrize(
    "statement",
    [
        "{{ ref('x') }};",
        "SELECT a FROM {{ ref('x') }};",
        "SELECT a AS {b} FROM {x};",
        "SELECT a FROM {x} WHERE b = 1 {more};",
    ],
)
def test_twice_the_statements_are_twice_the_work(statement: str) -> None:
    def seconds(times: int) -> float:
        script = Script(statement * times, "spark")
        began = time.process_time()
        parse(Reading(script))
        return time.process_time() - began

    gc.disable()
    try:
        seconds(100)  # what is remembered is remembered before measuring
        assert seconds(1_000) < 6 * seconds(250)
    finally:
        gc.enable()


@pytest.mark.parametrize("text", TEXTS)
def test_every_character_keeps_its_place(text: str) -> None:
    dialect, written, _, _ = TEXTS[text]
    template = template_of(written, dialect)
    if template is not None:
        assert len(template.text) == len(written)
        assert [at for at, each in enumerate(template.text) if each == "\n"] == [
            at for at, each in enumerate(written) if each == "\n"
        ]
