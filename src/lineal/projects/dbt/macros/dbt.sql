{# What dbt itself brings for every adapter. It is written for lineage: which columns are read, and in words that the
   adapter's dialect reads. A project's own macro of the same name comes first. #}

{% macro adapter_family() %}{% do return({'redshift': 'postgres', 'duckdb': 'postgres', 'databricks': 'spark', 'athena': 'trino', 'fabric': 'sqlserver', 'synapse': 'sqlserver'}.get(adapter.type(), adapter.type())) %}{% endmacro %}

{% macro type_string() %}{{ {'bigquery': 'string', 'spark': 'string', 'databricks': 'string', 'clickhouse': 'String', 'snowflake': 'varchar', 'postgres': 'text', 'duckdb': 'varchar', 'athena': 'varchar', 'trino': 'varchar'}.get(adapter.type(), 'varchar') }}{% endmacro %}
{% macro type_timestamp() %}{{ {'snowflake': 'timestamp_ntz', 'sqlserver': 'datetime2', 'fabric': 'datetime2'}.get(adapter.type(), 'timestamp') }}{% endmacro %}
{% macro type_float() %}{{ {'bigquery': 'float64', 'sqlserver': 'float'}.get(adapter.type(), 'float') }}{% endmacro %}
{% macro type_numeric() %}{{ {'bigquery': 'numeric', 'spark': 'decimal(28, 6)', 'databricks': 'decimal(28, 6)'}.get(adapter.type(), 'numeric(28, 6)') }}{% endmacro %}
{% macro type_bigint() %}{{ {'bigquery': 'int64'}.get(adapter.type(), 'bigint') }}{% endmacro %}
{% macro type_int() %}{{ {'bigquery': 'int64'}.get(adapter.type(), 'int') }}{% endmacro %}
{% macro type_boolean() %}{{ {'bigquery': 'bool', 'sqlserver': 'bit'}.get(adapter.type(), 'boolean') }}{% endmacro %}
{% macro type_date() %}date{% endmacro %}

{% macro current_timestamp() %}{{ 'now()' if adapter.type() in ('postgres', 'duckdb', 'clickhouse') else 'current_timestamp()' if adapter.type() in ('bigquery', 'spark', 'databricks', 'snowflake') else 'current_timestamp' }}{% endmacro %}
{% macro current_timestamp_backcompat() %}{{ current_timestamp() }}{% endmacro %}
{% macro current_timestamp_in_utc_backcompat() %}{{ current_timestamp() }}{% endmacro %}
{% macro current_timestamp_in_utc() %}{{ current_timestamp() }}{% endmacro %}
{% macro snapshot_get_time() %}{{ current_timestamp() }}{% endmacro %}

{% macro dateadd(datepart, interval, from_date_or_timestamp) -%}
{%- set f = adapter_family() -%}
{%- if f == 'bigquery' -%} datetime_add(cast({{ from_date_or_timestamp }} as datetime), interval {{ interval }} {{ datepart }})
{%- elif f == 'postgres' and adapter.type() != 'redshift' -%} {{ from_date_or_timestamp }} + ((interval '{{ {'quarter': '3 month', 'week': '7 day'}.get(datepart | lower, '1 ' ~ datepart) }}') * ({{ interval }}))
{%- elif f == 'trino' -%} date_add('{{ datepart }}', {{ interval }}, {{ from_date_or_timestamp }})
{%- else -%} dateadd({{ datepart }}, {{ interval }}, {{ from_date_or_timestamp }})
{%- endif -%}
{%- endmacro %}

{% macro datediff(first_date, second_date, datepart) -%}
{%- set f = adapter_family() -%}
{%- if f == 'bigquery' -%} datetime_diff(cast({{ second_date }} as datetime), cast({{ first_date }} as datetime), {{ datepart }})
{%- elif adapter.type() == 'duckdb' and datepart == 'week' -%} ({{ dbt.datediff(first_date, second_date, 'day') }} // 7 + {{ week_begun(first_date, second_date) }})
{%- elif adapter.type() == 'duckdb' -%} (date_diff('{{ datepart }}', {{ first_date }}::timestamp, {{ second_date }}::timestamp))
{%- elif f == 'trino' -%} date_diff('{{ datepart }}', {{ first_date }}, {{ second_date }})
{%- elif adapter.type() == 'postgres' -%} {{ datediff_in_parts(first_date, second_date, datepart | lower) }}
{%- else -%} datediff({{ datepart }}, {{ first_date }}, {{ second_date }})
{%- endif -%}
{%- endmacro %}
{% macro week_begun(first_date, second_date) -%}
case when date_part('dow', ({{ first_date }})::timestamp) <= date_part('dow', ({{ second_date }})::timestamp) then case when {{ first_date }} <= {{ second_date }} then 0 else -1 end else case when {{ first_date }} <= {{ second_date }} then 1 else 0 end end
{%- endmacro %}
{# PostgreSQL has no datediff: dbt writes the difference of each part. #}
{% macro datediff_in_parts(first_date, second_date, datepart) -%}
{%- set larger = {'quarter': ('year', 4), 'month': ('year', 12), 'hour': ('day', 24), 'minute': ('hour', 60), 'second': ('minute', 60), 'millisecond': ('minute', 60000), 'microsecond': ('minute', 60000000)} -%}
{%- if datepart == 'day' -%} (({{ second_date }})::date - ({{ first_date }})::date)
{%- elif datepart == 'week' -%} ({{ datediff_in_parts(first_date, second_date, 'day') }} / 7 + {{ week_begun(first_date, second_date) }})
{%- elif datepart == 'year' -%} (date_part('year', ({{ second_date }})::date) - date_part('year', ({{ first_date }})::date))
{%- elif datepart in larger -%}
{%- set part, times = larger[datepart] -%}
{%- set kind = 'date' if part == 'year' else 'timestamp' -%}
({{ datediff_in_parts(first_date, second_date, part) }} * {{ times }} + floor(date_part('{{ datepart }}', ({{ second_date }})::{{ kind }})) - floor(date_part('{{ datepart }}', ({{ first_date }})::{{ kind }})))
{%- else -%} {{ exceptions.raise_compiler_error('datediff does not know the part ' ~ datepart) }}
{%- endif -%}
{%- endmacro %}

{% macro date_trunc(datepart, date) -%}
{%- if adapter.type() == 'bigquery' -%} timestamp_trunc(cast({{ date }} as timestamp), {{ datepart }})
{%- else -%} date_trunc('{{ datepart }}', {{ date }})
{%- endif -%}
{%- endmacro %}

{% macro last_day(date, datepart) -%}
cast({{ dbt.dateadd('day', '-1', dbt.dateadd(datepart, '1', dbt.date_trunc(datepart, date))) }} as date)
{%- endmacro %}
{% macro date(year, month, day) %}cast('{{ '%04d-%02d-%02d' | format(year, month, day) }}' as date){% endmacro %}

{% macro concat(fields) %}{{ 'concat(' ~ fields | join(', ') ~ ')' if adapter.type() in ('bigquery', 'spark', 'databricks') else fields | join(' || ') }}{% endmacro %}
{% macro hash(field) %}{{ 'to_hex(md5(cast(' ~ field ~ ' as string)))' if adapter.type() == 'bigquery' else 'md5(cast(' ~ field ~ ' as ' ~ dbt.type_string() ~ '))' }}{% endmacro %}
{% macro safe_cast(field, type) %}{{ {'bigquery': 'safe_cast', 'snowflake': 'try_cast', 'duckdb': 'try_cast', 'databricks': 'try_cast'}.get(adapter.type(), 'cast') }}({{ field }} as {{ type }}){% endmacro %}
{% macro cast(field, type) %}cast({{ field }} as {{ type }}){% endmacro %}
{% macro cast_bool_to_text(field) %}cast({{ field }} as {{ dbt.type_string() }}){% endmacro %}
{% macro bool_or(expression) %}{{ 'logical_or' if adapter.type() == 'bigquery' else 'boolor_agg' if adapter.type() == 'snowflake' else 'bool_or' }}({{ expression }}){% endmacro %}
{% macro any_value(expression) %}any_value({{ expression }}){% endmacro %}
{% macro listagg(measure, delimiter_text="','", order_by_clause=none, limit_num=none) -%}
{%- if limit_num -%}{{ lineage_only('listagg with a limit') }}{%- endif -%}
{{ 'listagg' if adapter.type() in ('snowflake', 'redshift') else 'string_agg' }}({{ measure }}, {{ delimiter_text }}{{ ' ' ~ order_by_clause if order_by_clause and adapter.type() not in ('snowflake', 'redshift') else '' }}){{ ' within group (' ~ order_by_clause ~ ')' if order_by_clause and adapter.type() in ('snowflake', 'redshift') else '' }}
{%- endmacro %}
{% macro array_construct(inputs=[], data_type=none) %}{{ 'array_construct(' ~ inputs | join(', ') ~ ')' if adapter.type() == 'snowflake' else 'array(' ~ inputs | join(', ') ~ ')' if adapter_family() == 'spark' else 'array[' ~ inputs | join(', ') ~ ']' }}{% endmacro %}
{% macro array_append(array, new_element) %}array_append({{ array }}, {{ new_element }}){% endmacro %}
{% macro array_concat(array_1, array_2) %}array_cat({{ array_1 }}, {{ array_2 }}){% endmacro %}
{% macro split_part(string_text, delimiter_text, part_number) -%}
{{ 'split(' ~ string_text ~ ', ' ~ delimiter_text ~ ')[safe_offset(' ~ (part_number | int - 1) ~ ')]' if adapter.type() == 'bigquery' else 'split_part(' ~ string_text ~ ', ' ~ delimiter_text ~ ', ' ~ part_number ~ ')' }}
{%- endmacro %}
{% macro replace(field, old_chars, new_chars) %}replace({{ field }}, {{ old_chars }}, {{ new_chars }}){% endmacro %}
{% macro position(substring_text, string_text) %}{{ 'strpos(' ~ string_text ~ ', ' ~ substring_text ~ ')' if adapter.type() in ('bigquery', 'duckdb') else 'position(' ~ substring_text ~ ' in ' ~ string_text ~ ')' }}{% endmacro %}
{% macro length(expression) %}length({{ expression }}){% endmacro %}
{% macro right(string_text, length_expression) %}right({{ string_text }}, {{ length_expression }}){% endmacro %}
{% macro string_literal(value) %}'{{ value }}'{% endmacro %}
{% macro escape_single_quotes(expression) %}{{ expression | replace("'", "''") }}{% endmacro %}
{% macro except() %}{{ 'except distinct' if adapter.type() == 'bigquery' else 'except' }}{% endmacro %}
{% macro intersect() %}{{ 'intersect distinct' if adapter.type() == 'bigquery' else 'intersect' }}{% endmacro %}
{% macro equals(expr1, expr2) %}({{ expr1 }} = {{ expr2 }}){% endmacro %}
{% macro select_star() %}*{% endmacro %}

{# A series of days needs no question to the database: the numbers are made first, and those up to the last day kept. #}
{% macro date_spine(datepart, start_date, end_date) -%}
{%- set known = get_intervals_between(start_date, end_date, datepart) -%}
{%- set most = known or {'hour': 1048576, 'minute': 4194304}.get(datepart | lower, 65536) -%}
{%- if not known and datepart | lower in ('second', 'millisecond', 'microsecond') -%}{{ lineage_only('how many ' ~ datepart ~ 's there are') }}{%- endif -%}
with rawdata as ({{ dbt.generate_series(most) }}
), all_periods as (
select {{ dbt.dateadd(datepart, 'generated_number - 1', start_date) }} as date_{{ datepart }}, generated_number from rawdata
)
select date_{{ datepart }} from all_periods where generated_number <= {{ dbt.datediff(start_date, end_date, datepart) }}
{%- endmacro %}
{# Between two dates that are written out; none where only a database knows. #}
{% macro get_intervals_between(start_date, end_date, datepart) -%}
{%- set first, last = literal_date(start_date), literal_date(end_date) -%}
{%- if first is none or last is none -%}{%- do return(none) -%}{%- endif -%}
{%- set days = (last - first).days -%}
{%- set months = (last.year - first.year) * 12 + last.month - first.month -%}
{%- set found = {'day': days, 'week': days // 7 + 1, 'month': months, 'quarter': months // 3 + 1, 'year': last.year - first.year, 'hour': days * 24, 'minute': days * 1440, 'second': days * 86400}.get(datepart | lower) -%}
{%- do return(found if found and found > 0 else none) -%}
{%- endmacro %}
{# cast('2020-01-01' as date), to_date('01/31/2020', 'mm/dd/yyyy')      the date, if that is all it says #}
{% macro literal_date(text) -%}
{%- set words = modules.re.sub("'[^']*'", '', text | string | lower) -%}
{%- for word in modules.re.findall('[a-z_]+', words) if word not in ('cast', 'as', 'date', 'timestamp', 'datetime', 'to_date', 'timestamp_ntz', 'to_timestamp') -%}{%- do return(none) -%}{%- endfor -%}
{%- set iso = modules.re.findall("'([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[ T]00:00:00(?:[.]0+)?)?'", text | string) -%}
{%- if iso | length == 1 and not modules.re.search('[-+*/]', words) -%}{%- do return(modules.datetime.date(iso[0][0] | int, iso[0][1] | int, iso[0][2] | int)) -%}{%- endif -%}
{%- set american = modules.re.findall("'([0-9]{2})/([0-9]{2})/([0-9]{4})' *, *'mm/dd/yyyy'", text | string | lower) -%}
{%- if american | length == 1 -%}{%- do return(modules.datetime.date(american[0][2] | int, american[0][0] | int, american[0][1] | int)) -%}{%- endif -%}
{%- do return(none) -%}
{%- endmacro %}
{% macro get_powers_of_two(upper_bound) -%}
{%- for i in range(1, 100) if upper_bound <= 2 ** i -%}{%- do return(i) -%}{%- endfor -%}
{%- endmacro %}
{% macro generate_series(upper_bound) -%}
{%- set n = get_powers_of_two(upper_bound | int) %}
with p as (select 0 as generated_number union all select 1), unioned as (
select {% for i in range(n) %}p{{ i }}.generated_number * {{ 2 ** i }} + {% endfor %}1 as generated_number
from {% for i in range(n) %}p as p{{ i }}{{ ' cross join ' if not loop.last }}{% endfor %}
)
select * from unioned where generated_number <= {{ upper_bound }}
{%- endmacro %}

{% macro generate_schema_name(custom_schema_name=none, node=none) %}{{ target.schema ~ '_' ~ custom_schema_name | trim if custom_schema_name else target.schema }}{% endmacro %}
{% macro generate_alias_name(custom_alias_name=none, node=none) %}{{ custom_alias_name | trim if custom_alias_name else node.name }}{% endmacro %}
{% macro generate_database_name(custom_database_name=none, node=none) %}{{ custom_database_name | trim if custom_database_name else target.database }}{% endmacro %}
{% macro snapshot_hash_arguments(args) %}md5({% for arg in args %}coalesce(cast({{ arg }} as varchar), ''){{ " || '|' || " if not loop.last }}{% endfor %}){% endmacro %}

{# The tests that dbt brings, as it writes them. #}
{% macro get_where_subquery(relation) -%}
{%- if config.get('where') -%}{%- do return('(select * from ' ~ relation ~ ' where ' ~ config.get('where') ~ ') dbt_subquery') -%}{%- endif -%}
{%- do return(relation) -%}
{%- endmacro %}
{% test unique(model, column_name) %}{{ adapter.dispatch('test_unique', 'dbt')(model, column_name) }}{% endtest %}
{% macro default__test_unique(model, column_name) %}
select {{ column_name }} as unique_field, count(*) as n_records
from {{ model }}
where {{ column_name }} is not null
group by {{ column_name }}
having count(*) > 1
{% endmacro %}
{% test not_null(model, column_name) %}{{ adapter.dispatch('test_not_null', 'dbt')(model, column_name) }}{% endtest %}
{% macro default__test_not_null(model, column_name) %}
select {{ column_name }} from {{ model }} where {{ column_name }} is null
{% endmacro %}
{% test accepted_values(model, column_name, values, quote=True) %}{{ adapter.dispatch('test_accepted_values', 'dbt')(model, column_name, values, quote) }}{% endtest %}
{% macro default__test_accepted_values(model, column_name, values, quote=True) %}
with all_values as (
select {{ column_name }} as value_field, count(*) as n_records from {{ model }} group by {{ column_name }}
)
select * from all_values where value_field not in (
{%- for value in values %}{{ "'" ~ value ~ "'" if quote else value }}{{ ', ' if not loop.last }}{% endfor -%}
)
{% endmacro %}
{% test relationships(model, column_name, to, field) %}{{ adapter.dispatch('test_relationships', 'dbt')(model, column_name, to, field) }}{% endtest %}
{% macro default__test_relationships(model, column_name, to, field) %}
with child as (
select {{ column_name }} as from_field from {{ model }} where {{ column_name }} is not null
), parent as (
select {{ field }} as to_field from {{ to }}
)
select from_field from child left join parent on child.from_field = parent.to_field where parent.to_field is null
{% endmacro %}
{% macro copy_grants() %}{% endmacro %}
{% macro convert_datetime(date_str, date_fmt) %}{% do return(modules.datetime.datetime.strptime(date_str | string | trim, date_fmt)) %}{% endmacro %}
{% macro dates_in_range(start_date_str, end_date_str=none, in_fmt="%Y%m%d", out_fmt="%Y%m%d") -%}
{%- set first = convert_datetime(start_date_str, in_fmt) -%}
{%- set last = convert_datetime(end_date_str if end_date_str is not none else start_date_str, in_fmt) -%}
{%- set found = [] -%}
{%- for i in range((last - first).days + 1) -%}
{%- set day = first + modules.datetime.timedelta(days=i) -%}
{%- do found.append(day.strftime(out_fmt) if out_fmt else day) -%}
{%- endfor -%}
{%- do return(found) -%}
{%- endmacro %}
{% macro partition_range(raw_partition_date, date_fmt='%Y%m%d') -%}
{%- set ends = (raw_partition_date | string).split(',') -%}
{%- do return(dates_in_range(ends[0], ends[1] if ends | length > 1 else none, in_fmt=date_fmt)) -%}
{%- endmacro %}
