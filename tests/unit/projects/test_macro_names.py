"""A chain names the macro, or the SQL function, that made an expression."""

from __future__ import annotations

import json
from pathlib import Path

import jinja2
import pytest

import lineal
from lineal.model.script import Expansion
from lineal.projects.dbt.expansions import expansions_in
from lineal.projects.render import Rendering, Setting, Template, render

MACROS = """
{% macro cents(c) %}{{ c }} / 100.0{% endmacro %}
{% macro plus(c) %}{{ c }} + 1{% endmacro %}
{% macro outer(c) %}round({{ cents(c) }}, 2){% endmacro %}
{% macro ident(c) %}{{ c }}{% endmacro %}
{% macro items() %}upper(name) as n, amount + 1 as m{% endmacro %}
{% macro whens(c) %}when {{ c }} = 1 then 'a' else 'b'{% endmacro %}
{% macro ratio(a, b) %}safe_divide({{ a }}, {{ b }}){% endmacro %}
{% macro wrap() %}trim({{ caller() }}){% endmacro %}
{% macro whole() %}select upper(name) as n, id as i, sum(amount) as s from raw group by 1, 2{% endmacro %}
{% macro key(a, b) %}md5(coalesce({{ a }}, '') || coalesce({{ b }}, '')){% endmacro %}
"""

SOURCE = """
kind: source
tables:
  - name: raw
    columns: [{name: id, type: int}, {name: name, type: string}, {name: amount, type: int}, {name: price, type: int}]
"""

FUNCTION = (
    "kind: function\nfunction_type: scalar\narguments: [{name: a}, {name: b}]\nreturns: DOUBLE\n"
)


def written(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def transforms(found: lineal.Lineage, target: str) -> dict[str, set[str]]:
    """Return the usage of the sources of each column, as its first direct usage says."""
    made: dict[str, set[str]] = {}
    for edge in found.edges:
        if edge.into.name == target and edge.field_level:
            first = min(edge.usages, key=lambda usage: not usage.way.direct)
            made.setdefault(edge.target.name, set()).add(first.transform)
    return made


@pytest.mark.parametrize(
    ("select", "wanted"),
    [
        ("{{ cents('amount') }} as x", "x: cents"),
        ("coalesce({{ cents('amount') }}, 0) as x", "x: coalesce+cents"),
        ("cast({{ cents('amount') }} as int) as x", "x: cast+cents"),
        ("({{ cents('amount') }})::int as x", "x: cast+cents"),
        ("- ({{ cents('amount') }}) as x", "x: negate+cents"),
        ("{{ cents('amount') }} * 2 as x", "x: multiply+cents"),
        ("2 * {{ plus('amount') }} as x", "x: multiply+plus"),
        ("{{ outer('amount') }} as x", "x: outer"),
        ("{{ cents('sum(amount)') }} as x", "x: cents"),
        ("sum({{ cents('amount') }}) as x", "x: sum+cents"),
        ("{{ ident('amount') }} as x, upper({{ ident('name') }}) as y", "x: direct, y: upper"),
        ("id, {{ items() }}, {{ cents('amount') }} as y", "id: direct, n: items, m: items, y: cents"),
        ("case when {{ cents('amount') }} > 1 then 1 end as x", "x: case+compare+cents"),
        ("case {{ whens('id') }} end as x", "x: whens"),
        ("{% set v = cents('amount') %}{{ v }} as x, coalesce({{ v }}, 1) as y", "x: cents, y: coalesce+cents"),
        ("{{ cents('amount') | trim | lower }} as x, {{ cents('id').strip() }} as y", "x: cents, y: cents"),
        ("{% for c in ['amount', 'price'] %}{{ cents(c) }} as {{ c }}_d, {% endfor %}id",
         "amount_d: cents, price_d: cents, id: direct"),
        ("safe_divide({{ cents('amount') }}, price) as x", "x: safe_divide+cents | safe_divide"),
        ("{{ ratio('amount', 'price') }} as x", "x: ratio"),
        ("{{ key('id', 'name') }} as x", "x: key"),
        ("lower({% call wrap() %}name{% endcall %}) as x", "x: lower+wrap"),
        ("{{ 'coalesce(' ~ cents('amount') ~ ', 0)' }} as x", "x: coalesce+cents"),
        ("{{ cents('amount') }} + {{ plus('price') }} as x, amount / 100.0 as y", "x: add+cents | add+plus, y: divide"),
        ("sum({{ cents('amount') }}) over (partition by {{ ident('id') }}) as x", "x: sum+cents | sum"),
        ("sum(amount) filter (where {{ cents('price') }} > 1) as x", "x: sum | sum+compare+cents"),
        ("coalesce((select max({{ cents('amount') }}) from raw), {{ cents('0') }}) as x", "x: coalesce+max+cents"),
    ],
)  # fmt: skip
def test_a_macro_of_a_project_is_named(tmp_path: Path, select: str, wanted: str) -> None:
    folder = written(
        tmp_path,
        {
            "lineal.yml": "name: p\ndialect: duckdb\n",
            "macros/money.sql": MACROS,
            "nodes/src/src.yml": SOURCE,
            "nodes/safe_divide/safe_divide.yml": FUNCTION,
            "nodes/safe_divide/safe_divide.sql": "case when b = 0 then null else a / b end",
            "nodes/m/m.yml": "kind: sql\n",
            "nodes/m/m.sql": f"select {select} from raw",
        },
    )
    found = lineal.lineage(folder)
    assert found.diagnostics == []
    expected = {
        name: set(rest.split(" | "))
        for name, _, rest in (each.partition(": ") for each in wanted.split(", "))
    }
    assert transforms(found, "m") == expected


@pytest.mark.parametrize(
    ("model", "wanted"),
    [
        ("with c as (select {{ cents('amount') }} as d from raw) select abs(d) as x from c", {"abs+cents"}),
        ("{{ whole() }}", {"whole", "direct"}),
        ("select {% if is_incremental() %}{{ cents('id') }}{% else %}{{ plus('price') }}{% endif %} as x from raw",
         {"cents", "plus"}),
        ("{% import 'money.sql' as money %}select {{ money.cents('amount') }} as x from raw", {"cents"}),
    ],
)  # fmt: skip
def test_a_macro_is_named_in_every_position(tmp_path: Path, model: str, wanted: set[str]) -> None:
    files = {
        "lineal.yml": "name: p\ndialect: duckdb\n",
        "macros/money.sql": MACROS,
        "nodes/src/src.yml": SOURCE,
    }
    folder = written(tmp_path, {**files, "nodes/m/m.yml": "kind: sql\n", "nodes/m/m.sql": model})
    assert set().union(*transforms(lineal.lineage(folder), "m").values()) == wanted


def test_the_calls_that_a_macro_makes_are_kept(tmp_path: Path) -> None:
    """Types and comparisons of versions need the calls."""
    files = {
        "lineal.yml": "name: p\ndialect: duckdb\n",
        "macros/money.sql": MACROS,
        "nodes/src/src.yml": SOURCE,
    }
    model = {
        "nodes/m/m.yml": "kind: sql\n",
        "nodes/m/m.sql": "select {{ outer('amount') }} as x from raw",
    }
    (edge,) = lineal.lineage(written(tmp_path, {**files, **model})).edges
    assert edge.usages[0].path == (("outer", "round", "divide"),)
    assert edge.usages[0].calls == ("round", "divide")


# -- functions -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialect", "sql", "wanted"),
    [
        ("spark", "create function sd(a int, b int) returns int return a / nullif(b, 0); create view m as"
         " select sd(sum(x), y) as z from t group by y", {"sd+sum", "sd"}),
        ("spark", "create function best() returns int return (select max(a) from t);"
         " create view m as select best() + 1 as z from u", {"add+best"}),
        ("spark", "create function one(a int) returns int return a + 1; create function two(a int) returns int"
         " return one(a) * 2; create view m as select two(coalesce(x, 0)) as z from t", {"two+coalesce"}),
        ("spark", "create function tax(p int, r int) returns int return case when r > 1 then p * r else p end;"
         " create view m as select tax(p => x, r => cast(y as int)) as z from t", {"tax", "tax+cast"}),
        ("duckdb", "create macro add1(a) as a + 1; create view m as select add1(x) as z from t", {"add1"}),
        ("postgres", "create function s.f(a int) returns int language sql as $$ select abs(a) $$;"
         " create view m as select round(s.f(x)) as z from t", {"round+f"}),
        ("spark", "create view m as select unknown_to_all(coalesce(x, 1)) as z from t", {"unknown_to_all+coalesce"}),
    ],
)  # fmt: skip
def test_a_function_is_named_in_place_of_its_body(dialect: str, sql: str, wanted: set[str]) -> None:
    assert transforms(lineal.lineage(sql, dialect=dialect), "m") == {"z": wanted}


# -- dbt -------------------------------------------------------------------------------------------

DBT = {
    "dbt_project.yml": "name: shop\nversion: '1.0'\nprofile: duckdb\n",
    "macros/money.sql": "{% macro cents(c, s=2) %}round({{ c }} / 100.0, {{ s }}){% endmacro %}"
    "{% macro sure(c) %}{{ return(adapter.dispatch('sure', 'shop')(c)) }}{% endmacro %}"
    "{% macro default__sure(c) %}abs({{ c }}){% endmacro %}",
    "dbt_packages/util/dbt_project.yml": "name: util\nversion: '1.0'\n",
    "dbt_packages/util/macros/u.sql": "{% macro shout(c) %}upper({{ c }}){% endmacro %}",
    "models/s.yml": "sources: [{name: raw, tables: [{name: t, columns: [{name: id}, {name: name}]}]}]\n",
}


@pytest.mark.parametrize(
    ("select", "wanted"),
    [
        ("{{ cents('amount') }}", "cents"),
        ("{{ shop.cents('amount') }}", "cents"),
        ("{{ util.shout('name') }}", "util.shout"),
        ("{{ sure('amount') }}", "sure"),
        ("{{ dbt.date_trunc('month', 'amount') }}", "date_trunc"),
        (
            "{{ dbt_utils.generate_surrogate_key(['id', 'name']) }}",
            "dbt_utils.generate_surrogate_key",
        ),
        ("cast(amount as {{ dbt.type_string() }})", "cast"),
        ("{{ cents('amount * ' ~ var('rate')) }}", "cents"),
    ],
)
def test_a_macro_of_a_dbt_project_is_named(tmp_path: Path, select: str, wanted: str) -> None:
    model = {"models/m.sql": f"select {select} as z from {{{{ source('raw', 't') }}}}"}
    found = lineal.lineage(written(tmp_path, {**DBT, **model}), dialect="duckdb")
    assert transforms(found, "m") == {"z": {wanted}}


def test_a_macro_in_compiled_sql_is_named(tmp_path: Path) -> None:
    node = {
        "unique_id": "model.shop.m", "name": "m", "resource_type": "model", "package_name": "shop", "schema": "s",
        "database": "d", "original_file_path": "models/m.sql", "config": {"materialized": "view"},
        "raw_code": "select id, {{ cents('amount') }} as z,\n {{ util.shout('name') }} as y from t",
        "compiled_code": "select id, round(amount / 100.0, 2) as z,\n upper(name) as y from t",
        "depends_on": {"nodes": [], "macros": []}, "columns": {},
    }  # fmt: skip
    macro = {
        "name": "cents",
        "package_name": "shop",
        "macro_sql": "{% macro cents(c) %}…{% endmacro %}",
    }
    shout = {
        "name": "shout",
        "package_name": "util",
        "macro_sql": "{% macro shout(c) %}…{% endmacro %}",
    }
    manifest = {
        "metadata": {"dbt_schema_version": "dbt/manifest/v12.json", "adapter_type": "duckdb"},
        "nodes": {"model.shop.m": node}, "macros": {"macro.shop.cents": macro, "macro.util.shout": shout},
    }  # fmt: skip
    file = written(tmp_path, {"manifest.json": json.dumps(manifest)}) / "manifest.json"
    assert transforms(lineal.lineage(file), "m") == {
        "id": {"direct"},
        "z": {"cents"},
        "y": {"util.shout"},
    }


@pytest.mark.parametrize(
    ("template", "compiled", "found"),
    [
        ("select {{ m('a') }} as x", "select f(a)  as x", {"f(a)": "m"}),
        ("{{ m('a') }} as x, {{ p.n('b') }} y", "  a, 2 as x,g(b) y", {"a, 2": "m", "g(b)": "p.n"}),
        ("select {{ m('a') }}, {{ m('b') }} from t", "select f(a, 1), f(b, 2) from t",
         {"f(a, 1)": "m", "f(b, 2)": "m"}),
        ("select {{ m('a') }}, {{ m('b') }} from t", "select a, 1, f(b, 2) from t", {}),
        ("{{ config(x=1) }}\n{{ m('a') }} as x", "a + 1 as x", {"a + 1": "m"}),
        ("select {{ m('a') }} as x {% if c %}, {{ m('b') }} as y{% endif %} from t", "select 1+a as x, 1+b as y from t",
         {"1+a": "m"}),
        ("select {{ other('a') }} as x", "select f(a) as x", {}),
        ("select {{ m('a') }} as x from t", "select f(a) as z from t", {}),
        ("select {{ m('a') }}{{ m('b') }} as x", "select fg as x", {}),
        ("{{ m('a') }}", "select 1", {"select 1": "m"}),
        ("select {{ m('a') }}", "select f(a)", {"f(a)": "m"}),
        ("{{ m(", "select 1", {}),
    ],
)  # fmt: skip
def test_a_template_is_aligned_with_its_result(
    template: str, compiled: str, found: dict[str, str]
) -> None:
    made = expansions_in(compiled, template, frozenset(("m", "n")), ("shop",))
    assert {compiled[each.start : each.end]: each.macro for each in made} == found


# -- rendering -------------------------------------------------------------------------------------

TEMPLATES = [
    "select {{ cents('a') }} as a, {{ 'x' ~ cents('c') ~ outer('d') }} e",
    "{% set s = cents('s') %}{{ s }} {{ s | length }} {{ s.upper() }} {{ s[1:3] }} {{ [s, s] | join(',') }}",
    "{% set b %}{{ cents('z') }}{% endset %}{{ b }} {{ b | length }}",
    "{% filter upper %}{{ cents('z') }}{% endfilter %}{{ none }}{{ 1 + 1 }}{{ [1, 2] }}{{ {'a': cents('q')} }}",
    "{% for x in ['p', 'q'] recursive %}{{ cents(x) }}{{ loop.index }}{% endfor %}",
    "{% call wrap() %}{{ cents('w') }}{% endcall %}",
    "{% macro own(x) %}[{{ cents(x) }}]{% endmacro %}{{ own('k') }}{{ own('k') == '[k / 100.0]' }}",
    "{{ cents(cents('n')) if cents('n') == 'n / 100.0' else 'no' }}{{ cents('') }}{{ nothing | default(cents('d')) }}",
    "{{ cents('a') ~ none ~ 1 ~ true }}",
]


@pytest.mark.parametrize("template", TEMPLATES)
def test_the_text_is_that_of_jinja(template: str) -> None:
    """Marks around the output of macros do not change it."""
    environment = jinja2.Environment(autoescape=False, keep_trailing_newline=True)
    plain = environment.from_string(MACROS.replace("\n", "") + template).render()
    (rendering,) = render(
        [Template(template, "t.sql")], Setting([Template(MACROS, "money.sql")])
    ).renderings
    assert rendering.diagnostics == ()
    assert rendering.texts == (plain,)


def test_only_what_the_template_itself_calls_is_marked() -> None:
    template = "{{ outer('a') }} {{ cents('b') | trim }} {{ ' ' ~ plus('c') }}{{ ident(' ') }}\n\n{{ 'plain' }}"
    (rendering,) = render(
        [Template(template, "t.sql")], Setting([Template(MACROS, "money.sql")])
    ).renderings
    ((text, expansions),) = rendering.parts
    assert [(text[each.start : each.end], each.macro) for each in expansions] == [
        ("round(a / 100.0, 2)", "outer"), ("b / 100.0", "cents"), ("c + 1", "plus"),
    ]  # fmt: skip
    assert Rendering(("a", "b")).parts == [("a", ()), ("b", ())]
    assert isinstance(expansions[0], Expansion)
