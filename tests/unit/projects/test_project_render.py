"""Jinja at arm's length: templates that render, templates that are refused,
and the limits of a template.
"""

from __future__ import annotations

import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from lineal.model.diagnostic import Code, Diagnostic, Place
from lineal.projects import render as room
from lineal.projects.render import Limits, Rendering, Setting, Template, render

TIGHT = Limits(seconds=0.3, wall=20.0)
# one long step in C: no handler gets a word in
KILLER = "{{ ([[1] * 3000] * 3000) | sum(start=[]) | length }}"


def rendering(text: str, *macros: str, limits: Limits = TIGHT, **variables: object) -> Rendering:
    files = [
        Template(macro, f"macros/m{n}.sql", import_name=f"m{n}.sql")
        for n, macro in enumerate(macros)
    ]
    rendered = render(
        [Template(text, "n.sql", this="mart")], Setting(files, variables, limits=limits)
    )
    assert rendered.diagnostics == ()
    return rendered.renderings[0]


def text(source: str, *macros: str, **variables: object) -> str:
    found = rendering(source, *macros, limits=TIGHT, **variables)
    assert found.diagnostics == ()
    assert len(found.texts) == 1
    return found.texts[0]


def fault(source: str, *macros: str, limits: Limits = TIGHT) -> Diagnostic:
    found = rendering(source, *macros, limits=limits)
    assert found.texts == ()
    assert len(found.diagnostics) == 1
    return found.diagnostics[0]


def test_a_text_without_jinja_needs_no_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_start_process", lambda: pytest.fail("a worker was started"))
    assert text("select 1\r\nfrom t") == "select 1\r\nfrom t"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ var('n') }}", "5"),
        ("{{ var('none', 'x') }}", "x"),
        ("{{ var('n', 'x') }}", "5"),
        ("{{ this }} {{ this() }}", "mart mart"),
        ("{{ ref('orders') }} {{ ref('package', 'orders') }}", "orders orders"),
        ("{{ source('shop', 'orders') }}", "orders"),
        ("{{ config(materialized='table') }}x", "x"),
        ("{{ 'a' if false }}x", "x"),
        ("{% for c in ['a', 'b'] %}{{ c }},{% endfor %}", "a,b,"),
        ("{{ '<a>' }}", "<a>"),
        ("é {{ 'ü' }}\n", "é ü\n"),
    ],
)
def test_templates_render_their_calls(source: str, expected: str) -> None:
    assert text(source, n=5) == expected


def test_macros_are_known_by_name_everywhere() -> None:
    dollars = "{% macro dollars(c) %}{{ round2(c ~ ' / 100') }}{% endmacro %}"
    round2 = "{% macro round2(c) %}round({{ c }}, {{ var('digits') }}){% endmacro %}"
    assert text("{{ dollars('amount') }}", dollars, round2, digits=2) == "round(amount / 100, 2)"


def test_macros_can_be_imported_too() -> None:
    macro = "{% macro one() %}1 of {{ this }}{% endmacro %}"
    assert text("{% import 'm0.sql' as m %}{{ m.one() }}", macro) == "1 of mart"
    assert text("{% from 'm0.sql' import one %}{{ one() }}", macro) == "1 of mart"


def test_conditions_that_only_a_run_knows_are_rendered_both_ways() -> None:
    for flag in ("is_incremental", "is_exists"):
        found = rendering(f"a{{% if {flag}() %}} b{{% endif %}}")
        assert found == Rendering(("a", "a b"))


def test_a_macro_that_asks_is_rendered_both_ways() -> None:
    found = rendering(
        "a {{ newer() }}", "{% macro newer() %}{% if is_incremental() %}b{% endif %}{% endmacro %}"
    )
    assert found.texts == ("a ", "a b")


def test_two_questions_have_four_answers() -> None:
    found = rendering("{{ is_exists() }} {{ is_incremental() }}")
    assert set(found.texts) == {"False False", "True False", "False True", "True True"}


def test_equal_texts_are_one() -> None:
    assert rendering("{% if is_exists() %}a{% else %}a{% endif %}").texts == ("a",)


def test_one_way_can_fail_and_the_other_stays() -> None:
    found = rendering("a\n{% if is_exists() %}{{ var('none') }}{% endif %}")
    assert found.texts == ("a\n",)
    assert [each.place for each in found.diagnostics] == [Place("n.sql", 2, 1)]


@pytest.mark.parametrize(
    "source",
    [
        "{# a\n comment #}\nLINE3",
        "a\n{% if is_incremental() %}\nb\nc\n{% endif %}\nLINE6",
        "a\n{% set x = [\n 1,\n 2,\n] %}\nLINE6",
        "a\n\n{%- if true -%}\n\n b {%- endif %}\n\nLINE7",
        "a {# x\n y #} b -- note {# z\n #} more note\nLINE4",
        "{% macro m() %}\nx\n{% endmacro %}\n{{ m() | trim }}\nLINE5",
        "{% set x %}\nx\n{% endset %}\n{{ x | trim }}\nLINE5",
        "{% macro m() %}\nx\n + y\n{% endmacro %}\n{{ m() }} as z,\nLINE6",
        "{% macro m() %}\n-- don't\nx\n{% endmacro %}\n{{ m() }}, {{ m() }}\nLINE6\n\nLINE8",
        "a,\n{% for x in ['b', 'c', 'd'] %}\n '{{ x }}' as {{ x }},\n{% endfor %}\nLINE5",
        "a,\n{% for x in 'bcd' %}\n -- don't\n f({{ x }})\n  as {{ x }},\n{% endfor %}\nLINE7",
        "{% for x in 'bc' %}{% for y in 'de' %}\n{{ x }}{{ y }},\n{% endfor %}\n{% endfor %}\nLINE5",
        "{% for x in 'bc' -%}\n{% if x == 'b' %}\nb\n{% else %}\nc\n{% endif %}\n{% endfor %}\nLINE8",
        "{% macro m(x) %}\n{{ x }}\n + 1\n{% endmacro %}\n{% for x in 'bc' %}\n{{ m(x) }},\n{% endfor %}\nLINE8",
    ],
)
def test_lines_stay_where_they_are(source: str) -> None:
    for rendered in rendering(source).texts:
        lines = rendered.split("\n")
        marked = [(n, line) for n, line in enumerate(lines, 1) if "LINE" in line]
        assert [f"LINE{n}" for n, _ in marked] == [line.strip() for _, line in marked] != []


def test_a_comment_in_the_sql_is_not_broken_up() -> None:
    assert text("a -- note {# x\n #} more note\nb") == "a -- note  more note\n\nb"


@pytest.mark.parametrize(
    ("body", "call"),
    [("x\n", "-- {{ m() }}"), ("'a\nb'", "{{ m() }}"), ("x -- note\n+ 1", "{{ m() }}")],
    ids=["in a comment", "string over two lines", "comment behind code"],
)
def test_a_macro_is_not_folded_where_a_line_break_counts(body: str, call: str) -> None:
    assert body in text("{% macro m() %}" + body + "{% endmacro %}" + call + "\nb")


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("{{ x }}, -- note\n+ 1", "d, -- note\n+ 1"),
        ("'{{ x }}\nb',", "'d\nb',"),
        ("{{ x }}, /* a\nb */", "d, /* a\nb */"),
    ],
    ids=["comment behind code", "string over two lines", "block"],
)
def test_a_round_is_not_folded_where_a_line_break_counts(body: str, kept: str) -> None:
    assert kept in text("{% for x in 'cd' %}" + body + "\n{% endfor %}\nb")


def test_many_rounds_are_folded_on_one_line() -> None:
    rounds = text("{% for x in range(2000) %}\n c{{ x }},\n{% endfor %}\nb")
    assert rounds.count("\n") == 3 and rounds.count(",") == 2_000


def test_captured_text_has_no_marks() -> None:
    assert text("{% set x %}\na\n{% endset %}{{ x | length }}") == "3"


def test_an_undefined_variable_is_named() -> None:
    found = render(
        [Template("a\n{{ var('min_dat') }}", "n.sql")],
        Setting(variables={"min_date": 1}, project="p.yml"),
    )
    (one,) = found.renderings[0].diagnostics
    assert str(one) == "n.sql:2:1: error[template-error]: the variable 'min_dat' is not defined"
    assert (
        one.hint
        == "Did you mean 'min_date'? Add it under vars: in p.yml, or give a default: var('min_dat', …)."
    )


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("a\n{{ nope }}", 2, "'nope' is undefined"),
        ("a\n{{ nope('x') }}", 2, "'nope' is undefined"),
        ("a\n\n{% if %}", 3, "Expected an expression"),
        ("a\n{% endfor %}", 2, "unknown tag 'endfor'"),
        ("a\n{{ 1 / 0 }}", 2, "division by zero"),
        ("a\n{{ error('no such region') }}", 2, "no such region"),
        ("a\n{% include '/etc/passwd' %}", 2, "no macro file '/etc/passwd'"),
        ("a\n{% import '../x.sql' as x %}", 2, "no macro file '../x.sql'"),
        ("a\n{{ ref() }}", 2, "need a name"),
    ],
)
def test_a_template_error_has_its_line(source: str, line: int, message: str) -> None:
    found = fault(source)
    assert (found.code, found.place) == (Code.TEMPLATE_ERROR, Place("n.sql", line, 1))
    assert message in found.message


def test_an_error_in_a_macro_names_both_places() -> None:
    found = fault("a\n{{ m() }}", "{% macro m() %}\n{{ nope }}{% endmacro %}")
    assert (
        str(found) == "n.sql:2:1: error[template-error]: 'nope' is undefined (in macros/m0.sql:2)"
    )


def test_lines_count_from_the_place_of_the_template() -> None:
    found = render([Template("a\n{{ nope }}", "n.yml", line=10)])
    assert [each.place for each in found.renderings[0].diagnostics] == [Place("n.yml", 11, 1)]


@pytest.mark.parametrize(
    "attack",
    [
        "{{ cycler.__init__.__globals__ }}",
        "{{ ''.__class__.__mro__ }}",
        "{{ var.__func__.__globals__ }}",
        "{{ '{0.__class__}'.format(1) }}",
        "{{ '{0.__class__}'.format_map({'0': 1}) }}",
        "{{ self.__init__.__globals__ }}",
        "{{ ref.__globals__ }}",
        "{{ (1 | attr('__class__')) }}",
        "{{ this.__class__ }}",
        "{{ is_exists.__closure__ }}",
    ],
)
def test_the_sandbox_holds(attack: str) -> None:
    found = fault(f"a\n{attack}")
    assert (found.code, found.place) == (Code.TEMPLATE_ERROR, Place("n.sql", 2, 1))


def test_lists_grow_and_other_templates_do_not_see_it() -> None:
    text = "{% set a = var('a') %}{% do a.append('y') %}{{ a | join(', ') }}"
    found = render([Template(text, "n.sql"), Template(text, "m.sql")], Setting([], {"a": ["x"]}))
    assert [each.texts for each in found.renderings] == [("x, y",), ("x, y",)]


@pytest.mark.parametrize(
    "monster",
    [
        "{{ 'x' * 10**10 }}",
        "{{ 10**10 * 'x' }}",
        "{{ [1] * 10**10 }}",
        "{{ 10 ** (10 ** 10) }}",
        "{% for i in range(10**9) %}{% endfor %}",
        "{% for i in range(10**5) %}{% for j in range(10**5) %}{% endfor %}{% endfor %}",
        "{% for i in range(10**5) %}{{ 'x' * 1000 }}{% endfor %}",
        "{{ 'a'.ljust(10**10) }}",
        "{{ '%10000000000d' % 1 }}",
        "{{ '{:10000000000}'.format(1) }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        "{{ " + "(" * 50_000 + "1" + ")" * 50_000 + " }}",
    ],
)
def test_a_monster_is_stopped_at_its_line(monster: str) -> None:
    found = fault(f"a\n{monster}")
    assert found.code is Code.TEMPLATE_LIMIT
    assert found.place is not None
    assert found.place.file == "n.sql"
    assert found.place.line == 2 or "(((" in monster


def test_a_file_name_cannot_break_out() -> None:
    """Jinja writes a template's name into the code of an inline if without quoting it."""
    name = "o'brien\"/'.sql"
    found = render([Template("{{ 'a' if false }}{{ 'x' }}\n{{ nope }}", name)])
    assert [each.place for each in found.renderings[0].diagnostics] == [Place(name, 2, 1)]


def test_only_the_template_that_kills_the_worker_is_left_out() -> None:
    templates = [Template(f"{{{{ {n} }}}}", f"{n}.sql") for n in range(4)]
    templates.insert(2, Template(KILLER, "killer.sql"))
    found = render(
        templates, Setting([Template("{% macro m() %}{% endmacro %}", "m.sql")], limits=TIGHT)
    )
    assert [each.texts for each in found.renderings] == [("0",), ("1",), (), ("2",), ("3",)]
    (one,) = found.renderings[2].diagnostics
    assert (
        str(one)
        == "killer.sql:1:1: error[template-limit]: the template takes more than 0.3 s of CPU time"
    )


def test_the_clock_on_the_wall_counts_too() -> None:
    slow = "{% for i in range(10**5) %}{% for j in range(10**5) %}{% endfor %}{% endfor %}"
    found = render(
        [Template(slow, "a.sql"), Template("{{ 1 }}", "b.sql")],
        Setting(limits=Limits(60.0, wall=1.0)),
    )
    assert "longer than 1 s" in found.renderings[0].diagnostics[0].message
    assert found.renderings[1].texts == ("1",)


def test_a_macro_file_that_does_not_load_is_reported_once() -> None:
    slow = "{% for i in range(10**5) %}{% for j in range(10**5) %}{% endfor %}{% endfor %}"
    macros = [
        Template("\n{% oops %}", "macros/bad.sql"),
        Template(slow, "macros/slow.sql"),
        Template(KILLER, "macros/killer.sql"),
        Template("{% macro ok() %}1{% endmacro %}", "macros/ok.sql"),
    ]
    found = render([Template("{{ ok() }}", "n.sql")] * 2, Setting(macros, limits=TIGHT))
    assert [each.texts for each in found.renderings] == [("1",), ("1",)]
    assert [(each.code, str(each.place)) for each in found.diagnostics] == [
        (Code.TEMPLATE_ERROR, "macros/bad.sql:2:1"),
        (Code.TEMPLATE_LIMIT, "macros/slow.sql:1:1"),
        (Code.TEMPLATE_LIMIT, "macros/killer.sql:1:1"),
    ]


def test_without_an_interpreter_each_template_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    found = fault("{{ 1 }}")
    assert found.code is Code.TEMPLATE_ERROR
    assert "cannot start /nowhere/python" in found.message


def test_a_worker_that_does_not_start_does_not_hang(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(room, "WORKER", tmp_path / "none.py")
    assert "does not start" in fault("{{ 1 }}").message


def test_twenty_templates_are_cheap() -> None:
    templates = [Template("select {{ var('x') }}\nfrom {{ this }}", f"{n}.sql") for n in range(20)]
    start = time.perf_counter()
    assert len(render(templates, Setting(variables={"x": 1})).renderings) == 20
    assert time.perf_counter() - start < 5.0  # about 0.15 s on an idle machine


def test_it_works_from_standard_input_without_a_main_guard() -> None:
    script = textwrap.dedent(
        """
        from lineal.projects.render import Template, render
        print(render([Template("{{ 1 + 1 }}", "a.sql")]).renderings[0].texts)
        """
    )
    source = Path(room.__file__).parents[2]
    done = subprocess.run(
        [sys.executable, "-"],
        input=f"import sys\nsys.path.insert(0, {str(source)!r})\n{script}",
        text=True,
        capture_output=True,
    )
    assert (done.stdout, done.stderr) == ("('2',)\n", "")
