{# The commonest macros of the package dbt_utils, in our own words: for projects whose packages are not installed. #}

{% macro group_by(n) %}group by {% for i in range(1, n + 1) %}{{ i }}{{ ', ' if not loop.last }}{% endfor %}{% endmacro %}

{% macro generate_surrogate_key(field_list) -%}
{%- set fields = [field_list] if field_list is string else field_list -%}
{{ dbt.hash(dbt.concat(spaced(fields))) }}
{%- endmacro %}
{% macro spaced(fields) -%}
{%- set made = [] -%}
{%- for field in fields -%}
{%- do made.append("coalesce(cast(" ~ field ~ " as " ~ dbt.type_string() ~ "), '_dbt_utils_surrogate_key_null_')") -%}
{%- if not loop.last -%}{%- do made.append("'-'") -%}{%- endif -%}
{%- endfor -%}
{%- do return(made) -%}
{%- endmacro %}
{% macro surrogate_key(field_list) -%}
{%- set fields = [field_list] if field_list is string else field_list -%}
{{ generate_surrogate_key(fields + (varargs | list)) }}
{%- endmacro %}

{% macro get_filtered_columns_in_relation(from, except=[]) -%}
{%- set left_out = except | map('lower') | list -%}
{%- set kept = [] -%}
{%- for column in adapter.get_columns_in_relation(from) if column.name | lower not in left_out -%}
{%- do kept.append(column.name) -%}
{%- endfor -%}
{%- do return(kept) -%}
{%- endmacro %}

{% macro star(from, relation_alias=False, except=[], prefix='', suffix='', quote_identifiers=True, unquote_aliases=False, rename={}) -%}
{%- set columns = adapter.get_columns_in_relation(from) -%}
{%- set left_out = except | map('lower') | list -%}
{%- set before = relation_alias ~ '.' if relation_alias else '' -%}
{%- if not columns.complete -%}
{{ before }}*{{ star_without(except) if except }}
{%- else -%}
{%- for column in columns if column.name | lower not in left_out -%}
{{ before }}{{ adapter.quote(column.name) }}{{ ' as ' ~ adapter.quote(prefix ~ column.name ~ suffix) if prefix or suffix }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endif -%}
{%- endmacro %}
{% macro star_without(except) -%}
{%- set word = {'snowflake': 'exclude', 'duckdb': 'exclude', 'redshift': 'exclude', 'bigquery': 'except', 'databricks': 'except', 'spark': 'except', 'clickhouse': 'except'}.get(adapter.type()) -%}
{{ ' ' ~ word ~ ' (' ~ except | join(', ') ~ ')' if word }}
{%- endmacro %}

{% macro union_relations(relations, column_override=none, include=[], exclude=[], source_column_name='_dbt_source_relation', where=none) -%}
{%- set overrides = column_override if column_override is not none else {} -%}
{%- set listed = {} -%}
{%- set names = [] -%}
{%- set open = [] -%}
{%- for relation in relations -%}
{%- set columns = adapter.get_columns_in_relation(relation) -%}
{%- if not columns.complete -%}{%- do open.append(relation) -%}{%- endif -%}
{%- set own = [] -%}
{%- for column in columns -%}
{%- if (not include or column.name | lower in include | map('lower') | list) and column.name | lower not in exclude | map('lower') | list -%}
{%- do own.append(column.name | lower) -%}
{%- if column.name | lower not in names | map('lower') | list -%}{%- do names.append(column.name) -%}{%- endif -%}
{%- endif -%}
{%- endfor -%}
{%- do listed.update({relation | string: own}) -%}
{%- endfor -%}
{%- for relation in relations %}
(select {% if source_column_name %}cast('{{ relation | string | replace("'", "") }}' as {{ dbt.type_string() }}) as {{ source_column_name }}, {% endif %}
{%- if open %}*{% else -%}
{%- for name in names -%}
{%- set value = adapter.quote(name) if name | lower in listed[relation | string] else 'null' -%}
{%- set kind = overrides.get(name) or overrides.get(name | lower) or overrides.get(name | upper) -%}
{{ 'cast(' ~ value ~ ' as ' ~ kind ~ ')' if kind else value }} as {{ adapter.quote(name) }}{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endif %} from {{ relation }}{{ ' where ' ~ where if where }})
{%- if not loop.last %} union all {% endif -%}
{%- endfor -%}
{%- endmacro %}

{% macro get_column_values(table, column, order_by='count(*) desc', max_records=none, default=none, where=none) -%}
{%- set found = run_query('select distinct ' ~ column ~ ' from ' ~ table) -%}
{%- do return(found.columns[0].values()) -%}
{%- endmacro %}
{% macro get_query_results_as_dict(query) -%}{%- do return(run_query(query).columns) -%}{%- endmacro %}
{% macro get_single_value(query, default=none) -%}{%- do return(run_query(query).columns[0].values()[0]) -%}{%- endmacro %}

{% macro pivot(column, values, alias=True, agg='sum', cmp='=', prefix='', suffix='', then_value=1, else_value=0, quote_identifiers=True, distinct=False) -%}
{%- for value in values -%}
{{ agg }}({{ 'distinct ' if distinct }}case when {{ column }} {{ cmp }} '{{ value | string | replace("'", "''") }}' then {{ then_value }} else {{ else_value }} end)
{%- if alias %} as {{ adapter.quote(prefix ~ value ~ suffix) if quote_identifiers else dbt_utils.slugify(prefix ~ value ~ suffix) }}{% endif -%}
{{ ', ' if not loop.last }}
{%- endfor -%}
{%- endmacro %}

{% macro unpivot(relation=none, cast_to='varchar', exclude=none, remove=none, field_name='field_name', value_name='value', quote_identifiers=False, table=none) -%}
{%- set from = relation or table -%}
{%- set kept = exclude or [] -%}
{%- set gone = (kept + (remove or [])) | map('lower') | list -%}
{%- for column in adapter.get_columns_in_relation(from) if column.name | lower not in gone -%}
select {% for name in kept %}{{ name }}, {% endfor %}cast('{{ column.name }}' as {{ dbt.type_string() }}) as {{ field_name }}, cast({{ adapter.quote(column.name) }} as {{ cast_to }}) as {{ value_name }} from {{ from }}
{%- if not loop.last %} union all {% endif -%}
{%- else -%}
select {% for name in kept %}{{ name }}, {% endfor %}cast(null as {{ dbt.type_string() }}) as {{ field_name }}, cast(null as {{ cast_to }}) as {{ value_name }} from {{ from }}
{%- endfor -%}
{%- endmacro %}

{% macro deduplicate(relation, partition_by, order_by) -%}
{%- if adapter.type() in ('postgres', 'duckdb', 'redshift') -%}
select distinct on ({{ partition_by }}) * from {{ relation }} order by {{ partition_by }}{{ ', ' ~ order_by if order_by }}
{%- else -%}
select deduplicated.* from {{ relation }} as deduplicated qualify row_number() over (partition by {{ partition_by }} order by {{ order_by }}) = 1
{%- endif -%}
{%- endmacro %}

{% macro date_spine(datepart, start_date, end_date) %}{{ dbt.date_spine(datepart, start_date, end_date) }}{% endmacro %}
{% macro generate_series(upper_bound) %}{{ dbt.generate_series(upper_bound) }}{% endmacro %}
{% macro get_intervals_between(start_date, end_date, datepart) %}{% do return(dbt.get_intervals_between(start_date, end_date, datepart)) %}{% endmacro %}
{% macro get_powers_of_two(upper_bound) %}{% do return(dbt.get_powers_of_two(upper_bound)) %}{% endmacro %}
{% macro safe_divide(numerator, denominator) %}( {{ numerator }} ) / nullif( ( {{ denominator }} ), 0){% endmacro %}
{% macro safe_add(field_list) %}{% for field in (field_list if field_list is not string else [field_list] + (varargs | list)) %}coalesce({{ field }}, 0){{ ' + ' if not loop.last }}{% endfor %}{% endmacro %}
{% macro safe_subtract(field_list) %}{% for field in field_list %}coalesce({{ field }}, 0){{ ' - ' if not loop.last }}{% endfor %}{% endmacro %}
{% macro width_bucket(expr, min_value, max_value, num_buckets) %}width_bucket({{ expr }}, {{ min_value }}, {{ max_value }}, {{ num_buckets }}){% endmacro %}
{% macro haversine_distance(lat1, lon1, lat2, lon2, unit='mi') %}2 * 3961 * {{ '1.60934 * ' if unit == 'km' }}asin(sqrt(power(sin(radians({{ lat2 }} - {{ lat1 }}) / 2), 2) + cos(radians({{ lat1 }})) * cos(radians({{ lat2 }})) * power(sin(radians({{ lon2 }} - {{ lon1 }}) / 2), 2))){% endmacro %}
{% macro nullcheck(cols) %}{% for column in cols %}nullif({{ column.name }}, '') as {{ column.name }}{{ ', ' if not loop.last }}{% endfor %}{% endmacro %}
{% macro nullcheck_table(relation) %}select {{ nullcheck(adapter.get_columns_in_relation(relation)) or '*' }} from {{ relation }}{% endmacro %}

{% macro get_url_parameter(field, url_parameter) %}nullif({{ dbt.split_part(dbt.split_part(field, "'" ~ url_parameter ~ "='", 2), "'&'", 1) }}, ''){% endmacro %}
{% macro without_protocol(field) %}replace(replace({{ field }}, 'http://', ''), 'https://', ''){% endmacro %}
{% macro get_url_host(field) %}cast({{ dbt.split_part(dbt.split_part(without_protocol("replace(" ~ field ~ ", 'android-app://', '')"), "'/'", 1), "'?'", 1) }} as {{ dbt.type_string() }}){% endmacro %}
{% macro get_url_path(field) -%}
{%- set url = without_protocol(field) -%}
{%- set slash = "coalesce(nullif(" ~ dbt.position("'/'", url) ~ ", 0), " ~ dbt.position("'?'", url) ~ " - 1)" -%}
cast({{ dbt.split_part(dbt.right(url, dbt.length(url) ~ " - " ~ slash), "'?'", 1) }} as {{ dbt.type_string() }})
{%- endmacro %}

{% macro slugify(string) %}{% set made = modules.re.sub('[^a-z0-9_]+', '', modules.re.sub('[ -]+', '_', string | string | lower)) %}{% do return(modules.re.sub('^([0-9])', '_\\1', made)) %}{% endmacro %}
{% macro pretty_time(format='%H:%M:%S') %}{% do return('') %}{% endmacro %}
{% macro pretty_log_format(message) %}{% do return(message) %}{% endmacro %}
{% macro log_info(message) %}{% endmacro %}
{% macro identifier(value) %}{{ adapter.quote(value) }}{% endmacro %}
{% macro _is_relation(obj, macro) %}{% endmacro %}
{% macro _is_ephemeral(obj, macro) %}{% endmacro %}
{% macro get_relations_by_prefix(schema, prefix, exclude='', database=none) -%}
{%- set found = [] -%}
{%- for each in adapter.list_relations(database, schema) if (each.identifier | lower).startswith(prefix | lower) -%}{%- do found.append(each) -%}{%- endfor -%}
{%- do return(found) -%}
{%- endmacro %}
{% macro get_relations_by_pattern(schema_pattern, table_pattern, exclude='', database=none) -%}
{%- do return(get_relations_by_prefix(schema_pattern, table_pattern | replace('%', ''))) -%}
{%- endmacro %}
{% macro get_table_types_sql() %}'table'{% endmacro %}
{% macro get_tables_by_pattern_sql(schema_pattern, table_pattern, exclude='', database=none) %}{% endmacro %}
{% macro get_tables_by_prefix_sql(schema, prefix, exclude='', database=none) %}{% endmacro %}

{# Of earlier versions; dbt itself has these now. #}
{% macro type_string() %}{{ dbt.type_string() }}{% endmacro %}
{% macro type_timestamp() %}{{ dbt.type_timestamp() }}{% endmacro %}
{% macro type_float() %}{{ dbt.type_float() }}{% endmacro %}
{% macro type_numeric() %}{{ dbt.type_numeric() }}{% endmacro %}
{% macro type_bigint() %}{{ dbt.type_bigint() }}{% endmacro %}
{% macro type_int() %}{{ dbt.type_int() }}{% endmacro %}
{% macro type_boolean() %}{{ dbt.type_boolean() }}{% endmacro %}
{% macro dateadd(datepart, interval, from_date_or_timestamp) %}{{ dbt.dateadd(datepart, interval, from_date_or_timestamp) }}{% endmacro %}
{% macro datediff(first_date, second_date, datepart) %}{{ dbt.datediff(first_date, second_date, datepart) }}{% endmacro %}
{% macro date_trunc(datepart, date) %}{{ dbt.date_trunc(datepart, date) }}{% endmacro %}
{% macro last_day(date, datepart) %}{{ dbt.last_day(date, datepart) }}{% endmacro %}
{% macro concat(fields) %}{{ dbt.concat(fields) }}{% endmacro %}
{% macro hash(field) %}{{ dbt.hash(field) }}{% endmacro %}
{% macro safe_cast(field, type) %}{{ dbt.safe_cast(field, type) }}{% endmacro %}
{% macro cast_bool_to_text(field) %}{{ dbt.cast_bool_to_text(field) }}{% endmacro %}
{% macro bool_or(expression) %}{{ dbt.bool_or(expression) }}{% endmacro %}
{% macro any_value(expression) %}{{ dbt.any_value(expression) }}{% endmacro %}
{% macro listagg(measure, delimiter_text="','", order_by_clause=none, limit_num=none) %}{{ dbt.listagg(measure, delimiter_text, order_by_clause, limit_num) }}{% endmacro %}
{% macro split_part(string_text, delimiter_text, part_number) %}{{ dbt.split_part(string_text, delimiter_text, part_number) }}{% endmacro %}
{% macro replace(field, old_chars, new_chars) %}{{ dbt.replace(field, old_chars, new_chars) }}{% endmacro %}
{% macro position(substring_text, string_text) %}{{ dbt.position(substring_text, string_text) }}{% endmacro %}
{% macro length(expression) %}{{ dbt.length(expression) }}{% endmacro %}
{% macro right(string_text, length_expression) %}{{ dbt.right(string_text, length_expression) }}{% endmacro %}
{% macro string_literal(value) %}{{ dbt.string_literal(value) }}{% endmacro %}
{% macro escape_single_quotes(expression) %}{{ dbt.escape_single_quotes(expression) }}{% endmacro %}
{% macro except() %}{{ dbt.except() }}{% endmacro %}
{% macro intersect() %}{{ dbt.intersect() }}{% endmacro %}
{% macro current_timestamp() %}{{ dbt.current_timestamp() }}{% endmacro %}
{% macro current_timestamp_in_utc() %}{{ dbt.current_timestamp() }}{% endmacro %}

{# Tests of the package, for projects whose packages are not installed. #}
{% test unique_combination_of_columns(model, combination_of_columns, quote_columns=false) %}
{%- set names = [] -%}{%- for name in combination_of_columns -%}{%- do names.append(adapter.quote(name) if quote_columns else name) -%}{%- endfor %}
select {{ names | join(', ') }} from {{ model }} group by {{ names | join(', ') }} having count(*) > 1
{% endtest %}
{% test expression_is_true(model, expression, column_name=none) %}
select 1 as failed from {{ model }} where not({{ column_name ~ ' ' if column_name is not none }}{{ expression }})
{% endtest %}
{% test accepted_range(model, column_name, min_value=none, max_value=none, inclusive=true) %}
select * from {{ model }} where 1 = 2
{%- if min_value is not none %} or not {{ column_name }} >{{ '=' if inclusive }} {{ min_value }}{% endif %}
{%- if max_value is not none %} or not {{ column_name }} <{{ '=' if inclusive }} {{ max_value }}{% endif %}
{% endtest %}
{% test not_accepted_values(model, column_name, values, quote=true) %}
select distinct {{ column_name }} as value_field from {{ model }} where {{ column_name }} in (
{%- for value in values %}{{ "'" ~ value ~ "'" if quote else value }}{{ ', ' if not loop.last }}{% endfor %})
{% endtest %}
{% test not_empty_string(model, column_name, trim_whitespace=true) %}
select {{ column_name }} from {{ model }} where {{ 'trim(' ~ column_name ~ ')' if trim_whitespace else column_name }} = ''
{% endtest %}
{% test at_least_one(model, column_name, group_by_columns=[]) %}
select {{ (group_by_columns + ['count(' ~ column_name ~ ') as filler_column']) | join(', ') }} from {{ model }}
{{ 'group by ' ~ group_by_columns | join(', ') if group_by_columns }} having count({{ column_name }}) = 0
{% endtest %}
{% test not_constant(model, column_name, group_by_columns=[]) %}
select {{ (group_by_columns + ['count(distinct ' ~ column_name ~ ') as filler_column']) | join(', ') }} from {{ model }}
{{ 'group by ' ~ group_by_columns | join(', ') if group_by_columns }} having count(distinct {{ column_name }}) = 1
{% endtest %}
{% test not_null_proportion(model, column_name, at_least, at_most=1, group_by_columns=[]) %}
with validation as (
select {{ (group_by_columns + ['sum(case when ' ~ column_name ~ ' is null then 0 else 1 end) / cast(count(*) as ' ~ dbt.type_numeric() ~ ') as not_null_proportion']) | join(', ') }}
from {{ model }} {{ 'group by ' ~ group_by_columns | join(', ') if group_by_columns }}
)
select * from validation where not_null_proportion < {{ at_least }} or not_null_proportion > {{ at_most }}
{% endtest %}
{% test relationships_where(model, column_name, to, field, from_condition='1=1', to_condition='1=1') %}
with left_table as (
select {{ column_name }} as id from {{ model }} where {{ column_name }} is not null and {{ from_condition }}
), right_table as (
select {{ field }} as id from {{ to }} where {{ field }} is not null and {{ to_condition }}
)
select left_table.id from left_table left join right_table on left_table.id = right_table.id where right_table.id is null
{% endtest %}
{% test cardinality_equality(model, column_name, to, field) %}
with table_a as (
select {{ column_name }} as id, count(*) as num_rows from {{ model }} group by {{ column_name }}
), table_b as (
select {{ field }} as id, count(*) as num_rows from {{ to }} group by {{ field }}
), except_a as (
select * from table_a {{ dbt.except() }} select * from table_b
), except_b as (
select * from table_b {{ dbt.except() }} select * from table_a
)
select * from except_a union all select * from except_b
{% endtest %}
{% test equal_rowcount(model, compare_model, group_by_columns=[]) %}
{%- if group_by_columns -%}{{ lineage_only('equal_rowcount with group_by_columns') }}{%- endif -%}
{{ config(fail_calc='sum(coalesce(diff_count, 0))') }}
select abs(a.n - b.n) as diff_count from (select count(*) as n from {{ model }}) as a cross join (select count(*) as n from {{ compare_model }}) as b
{% endtest %}
{% test fewer_rows_than(model, compare_model, group_by_columns=[]) %}
{%- if group_by_columns -%}{{ lineage_only('fewer_rows_than with group_by_columns') }}{%- endif -%}
{{ config(fail_calc='sum(coalesce(row_count_delta, 0))') }}
select case when a.n > b.n then a.n - b.n when a.n = b.n then 1 else 0 end as row_count_delta
from (select count(*) as n from {{ model }}) as a cross join (select count(*) as n from {{ compare_model }}) as b
{% endtest %}
{% test sequential_values(model, column_name, interval=1, datepart=none, group_by_columns=[]) %}
{%- set partition = 'partition by ' ~ group_by_columns | join(', ') if group_by_columns else '' %}
with windowed as (
select {{ column_name }}, lag({{ column_name }}) over ({{ partition }} order by {{ column_name }}) as previous from {{ model }}
)
select * from windowed where previous is not null and not({{ column_name }} = {{ dbt.dateadd(datepart, interval, 'previous') if datepart else 'previous + ' ~ interval }})
{% endtest %}
