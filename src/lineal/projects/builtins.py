"""The macros that Feather-Flow brings along: a `featherflow.yml` project calls them without
defining them.

What counts here is which columns they read and how; a project's own macro of the same name comes
first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lineal.projects.render import Template

FILE = "macros of Feather-Flow"

TEXT = """
{% macro date_spine(start_date, end_date) -%}
select cast(d as date) as date_day
from unnest(generate_series(date '{{ start_date }}', date '{{ end_date }}', interval '1 day')) as days(d)
{%- endmacro %}
{% macro date_trunc(part, column) %}date_trunc('{{ part }}', {{ column }}){% endmacro %}
{% macro date_add(column, amount, unit) %}{{ column }} + interval '{{ amount }} {{ unit }}'{% endmacro %}
{% macro date_diff(unit, start, end) %}date_diff('{{ unit }}', {{ start }}, {{ end }}){% endmacro %}
{% macro slugify(column) %}lower(regexp_replace(trim({{ column }}), '[^a-zA-Z0-9]+', '-', 'g')){% endmacro %}
{% macro clean_string(column) %}trim(regexp_replace({{ column }}, '[^a-zA-Z0-9 ]', '', 'g')){% endmacro %}
{% macro split_part(column, delimiter, part) %}split_part({{ column }}, '{{ delimiter }}', {{ part }}){% endmacro %}
{% macro safe_divide(a, b) -%}
case when {{ b }} = 0 or {{ b }} is null then null else cast({{ a }} as double) / {{ b }} end
{%- endmacro %}
{% macro round_money(column) %}round(cast({{ column }} as double), 2){% endmacro %}
{% macro percent_of(a, b) -%}
case when {{ b }} = 0 or {{ b }} is null then 0.0 else round(100.0 * {{ a }} / {{ b }}, 2) end
{%- endmacro %}
{% macro limit_zero() %}limit 0{% endmacro %}
{% macro bool_or(column) %}bool_or({{ column }}){% endmacro %}
{% macro hash(column) %}md5(cast({{ column }} as varchar)){% endmacro %}
{% macro hash_columns(columns) -%}
md5({% for c in columns %}{{ " || '|' || " if not loop.first }}coalesce(cast({{ c }} as varchar), ''){% endfor %})
{%- endmacro %}
{% macro surrogate_key(columns) %}{{ hash_columns(columns) }}{% endmacro %}
{% macro coalesce_columns(columns) %}coalesce({{ columns | join(', ') }}){% endmacro %}
{% macro not_null(column) %}{{ column }} is not null{% endmacro %}
"""

NAMES = re.findall(r"{% macro (\w+)", TEXT)
CALL = re.compile(rf"\b({'|'.join(NAMES)})\s*\(")


def builtin_macros(texts: Iterable[str]) -> list[Template]:
    """One macro file with all of them if some text may call one; nothing at all for most projects."""
    called = any("{" in text and CALL.search(text) for text in texts)
    if called:
        return [Template(TEXT, FILE)]

    return []
