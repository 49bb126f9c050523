{# The commonest macros of the package dbt_date, in our own words. #}
{% macro now(tz=none) %}{{ dbt.current_timestamp() }}{% endmacro %}
{% macro today(tz=none) %}cast({{ dbt.current_timestamp() }} as date){% endmacro %}
{% macro yesterday(date=none, tz=none) %}{{ n_days_ago(1) }}{% endmacro %}
{% macro tomorrow(date=none, tz=none) %}{{ n_days_away(1) }}{% endmacro %}
{% macro n_days_ago(n, date=none, tz=none) %}{{ dbt.dateadd('day', '-' ~ n, date or today()) }}{% endmacro %}
{% macro n_days_away(n, date=none, tz=none) %}{{ dbt.dateadd('day', n, date or today()) }}{% endmacro %}
{% macro n_weeks_ago(n, tz=none) %}{{ dbt.dateadd('week', '-' ~ n, today()) }}{% endmacro %}
{% macro n_months_ago(n, tz=none) %}{{ dbt.dateadd('month', '-' ~ n, today()) }}{% endmacro %}
{% macro date_part(datepart, date) %}{{ 'extract(' ~ datepart ~ ' from ' ~ date ~ ')' if adapter.type() == 'bigquery' else "date_part('" ~ datepart ~ "', " ~ date ~ ')' }}{% endmacro %}
{% macro day_of_week(date, isoweek=true) %}{{- lineage_only('dbt_date.day_of_week') -}}{{ date_part('dayofweek', date) }}{% endmacro %}
{% macro day_of_month(date) %}{{ date_part('day', date) }}{% endmacro %}
{% macro day_of_year(date) %}{{ date_part('dayofyear', date) }}{% endmacro %}
{% macro day_name(date, short=true, language='default') %}{{- lineage_only('dbt_date.day_name') -}}{{ "format_date('%a', cast(" ~ date ~ " as date))" if adapter.type() == 'bigquery' else 'dayname(' ~ date ~ ')' }}{% endmacro %}
{% macro month_name(date, short=true, language='default') %}{{- lineage_only('dbt_date.month_name') -}}{{ "format_date('%b', cast(" ~ date ~ " as date))" if adapter.type() == 'bigquery' else 'monthname(' ~ date ~ ')' }}{% endmacro %}
{% macro week_start(date=none, tz=none) %}{{- lineage_only('dbt_date.week_start') -}}{{ dbt.date_trunc('week', date or today()) }}{% endmacro %}
{% macro week_end(date=none, tz=none) %}{{- lineage_only('dbt_date.week_end') -}}{{ dbt.last_day(date or today(), 'week') }}{% endmacro %}
{% macro iso_week_start(date=none, tz=none) %}{{ week_start(date) }}{% endmacro %}
{% macro iso_week_end(date=none, tz=none) %}{{ week_end(date) }}{% endmacro %}
{% macro week_of_year(date=none, tz=none) %}{{- lineage_only('dbt_date.week_of_year') -}}{{ date_part('week', date or today()) }}{% endmacro %}
{% macro iso_week_of_year(date=none, tz=none) %}{{- lineage_only('dbt_date.iso_week_of_year') -}}{{ week_of_year(date) }}{% endmacro %}
{% macro last_week(tz=none) %}{{ dbt.dateadd('week', '-1', today()) }}{% endmacro %}
{% macro last_month(tz=none) %}{{ dbt.dateadd('month', '-1', today()) }}{% endmacro %}
{% macro last_month_number(tz=none) %}{{ date_part('month', last_month()) }}{% endmacro %}
{% macro last_month_name(short=true, tz=none) %}{{ month_name(last_month()) }}{% endmacro %}
{% macro round_timestamp(timestamp) %}{{ dbt.date_trunc('day', dbt.dateadd('hour', 12, timestamp)) }}{% endmacro %}
{% macro convert_timezone(column, target_tz=none, source_tz=none) %}{{- lineage_only('dbt_date.convert_timezone') -}}cast({{ column }} as {{ dbt.type_timestamp() }}){% endmacro %}
{% macro to_unixtimestamp(timestamp) %}{{ date_part('epoch', timestamp) }}{% endmacro %}
{% macro from_unixtimestamp(epochs, format='seconds') %}{{- lineage_only('dbt_date.from_unixtimestamp') -}}cast({{ epochs }} as {{ dbt.type_timestamp() }}){% endmacro %}
{% macro periods_since(date_col, period_name='day', tz=none) %}{{ dbt.datediff(date_col, today(), period_name) }}{% endmacro %}
{% macro date(year, month, day) %}{{ dbt.date(year, month, day) }}{% endmacro %}
{% macro date_spine(datepart, start_date, end_date) %}{{ dbt.date_spine(datepart, start_date, end_date) }}{% endmacro %}
{% macro get_intervals_between(start_date, end_date, datepart) %}{% do return(dbt.get_intervals_between(start_date, end_date, datepart)) %}{% endmacro %}
{% macro get_base_dates(start_date=none, end_date=none, n_dateparts=none, datepart='day') -%}
select d.date_{{ datepart }} from ({{ dbt.date_spine(datepart, "cast('" ~ (start_date or '2000-01-01') ~ "' as date)", "cast('" ~ (end_date or '2030-01-01') ~ "' as date)") }}) as d
{%- endmacro %}
{% macro get_date_dimension(start_date, end_date) -%}{{- lineage_only('dbt_date.get_date_dimension') -}}
with base_dates as ({{ get_base_dates(start_date, end_date) }})
select date_day,
{% for name in 'prior_date_day next_date_day prior_year_date_day prior_year_over_year_date_day day_of_week day_of_week_iso day_of_week_name day_of_week_name_short day_of_month day_of_year week_start_date week_end_date prior_year_week_start_date prior_year_week_end_date week_of_year iso_week_start_date iso_week_end_date prior_year_iso_week_start_date prior_year_iso_week_end_date iso_week_of_year prior_year_week_of_year prior_year_iso_week_of_year month_of_year month_name month_name_short month_start_date month_end_date prior_year_month_start_date prior_year_month_end_date quarter_of_year quarter_start_date quarter_end_date year_number year_start_date year_end_date'.split() -%}
{{ dbt.date_trunc('day', 'date_day') }} as {{ name }}{{ ', ' if not loop.last }}
{% endfor -%}
from base_dates
{%- endmacro %}
