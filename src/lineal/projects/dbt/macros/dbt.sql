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
{%- elif f == 'postgres' and adapter.type() != 'redshift' -%} {{ from_date_or_timestamp }} + ((interval '1 {{ datepart }}') * ({{ interval }}))
{%- elif f == 'trino' -%} date_add('{{ datepart }}', {{ interval }}, {{ from_date_or_timestamp }})
{%- else -%} dateadd({{ datepart }}, {{ interval }}, {{ from_date_or_timestamp }})
{%- endif -%}
{%- endmacro %}

{% macro datediff(first_date, second_date, datepart) -%}
{%- set f = adapter_family() -%}
{%- if f == 'bigquery' -%} datetime_diff(cast({{ second_date }} as datetime), cast({{ first_date }} as datetime), {{ datepart }})
{%- elif adapter.type() == 'duckdb' or f == 'trino' -%} date_diff('{{ datepart }}', {{ first_date }}, {{ second_date }})
{%- elif adapter.type() == 'postgres' -%} extract(day from ({{ second_date }})::timestamp - ({{ first_date }})::timestamp)
{%- else -%} datediff({{ datepart }}, {{ first_date }}, {{ second_date }})
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
{% macro equals(expr1, expr2) %}({{ expr1 }} = {{ expr2 }} or ({{ expr1 }} is null and {{ expr2 }} is null)){% endmacro %}
{% macro select_star() %}*{% endmacro %}

{% macro date_spine(datepart, start_date, end_date) -%}
with spine as (select row_number() over (order by null) as n)
select {{ dbt.dateadd(datepart, 'n - 1', start_date) }} as date_{{ datepart }} from spine
where {{ dbt.dateadd(datepart, 'n - 1', start_date) }} < {{ end_date }}
{%- endmacro %}
{% macro generate_series(upper_bound) -%}
select row_number() over (order by null) as generated_number limit {{ upper_bound }}
{%- endmacro %}
{% macro get_intervals_between(start_date, end_date, datepart) %}{% do return(1) %}{% endmacro %}

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
{% macro partition_range(raw_partition_date, date_fmt='%Y%m%d') %}{% do return([raw_partition_date]) %}{% endmacro %}
{% macro dates_in_range(start_date_str, end_date_str=none, in_fmt="%Y%m%d", out_fmt="%Y%m%d") %}{% do return([start_date_str]) %}{% endmacro %}
