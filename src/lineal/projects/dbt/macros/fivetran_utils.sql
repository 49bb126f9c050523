{# The macros of fivetran_utils that list columns, in our own words; and the commonest of the others. #}

{% macro fill_staging_columns(source_columns, staging_columns) -%}
{%- set there = source_columns | map(attribute='name') | map('lower') | list -%}
{%- set all_known = source_columns.complete is not defined or source_columns.complete -%}
{%- for column in staging_columns -%}
{%- if not all_known or column.name | lower in there -%}
{{ adapter.quote(column.name) if column.quote else column.name }} as {{ column.alias or (adapter.quote(column.name) if column.quote else column.name) }}
{%- else -%}
cast(null as {{ column.datatype }}) as {{ column.alias or (adapter.quote(column.name) if column.quote else column.name) }}
{%- endif -%}
{{ ',\n' if not loop.last }}
{%- endfor -%}
{%- endmacro %}

{% macro source_relation(union_schema_variable='union_schemas', union_database_variable='union_databases') %}{% if var(union_schema_variable, []) or var(union_database_variable, []) %}{{ lineage_only('fivetran_utils.source_relation of several schemas') }}{% endif %}, cast('' as {{ dbt.type_string() }}) as source_relation{% endmacro %}
{% macro union_data(table_identifier, database_variable, schema_variable, default_database, default_schema, default_variable, union_schema_variable='union_schemas', union_database_variable='union_databases') -%}
{%- if var(union_schema_variable, []) or var(union_database_variable, []) -%}{{ lineage_only('fivetran_utils.union_data of several schemas') }}{%- endif -%}
{%- set found = adapter.get_relation(database=default_database, schema=var(schema_variable, default_schema), identifier=var(table_identifier ~ '_identifier', table_identifier)) -%}
select * from {{ found or source(default_schema, table_identifier) }}
{%- endmacro %}

{% macro string_agg(field_to_agg, delimiter) %}{{ dbt.listagg(field_to_agg, delimiter) }}{% endmacro %}
{% macro array_agg(field_to_agg) %}array_agg({{ field_to_agg }}){% endmacro %}
{% macro max_bool(boolean_field) %}{{ 'bool_or' if adapter.type() in ('postgres', 'duckdb', 'redshift') else 'max' }}({{ boolean_field }}){% endmacro %}
{% macro ceiling(num) %}ceiling({{ num }}){% endmacro %}
{% macro first_value(first_value_field, partition_field, order_by_field, order='asc') %}first_value({{ first_value_field }}) over (partition by {{ partition_field }} order by {{ order_by_field }} {{ order }} rows between unbounded preceding and unbounded following){% endmacro %}
{% macro json_extract(string, string_path) %}{{- lineage_only('fivetran_utils.json_extract') -}}json_extract_path_text({{ string }}, '{{ string_path }}'){% endmacro %}
{% macro json_parse(string, string_path) %}{{- lineage_only('fivetran_utils.json_parse') -}}json_extract_path_text({{ string }}, {% for each in string_path %}'{{ each }}'{{ ', ' if not loop.last }}{% endfor %}){% endmacro %}
{% macro try_cast(field, type) %}{{ dbt.safe_cast(field, type) }}{% endmacro %}
{% macro timestamp_add(datepart, interval, from_timestamp) %}{{ dbt.dateadd(datepart, interval, from_timestamp) }}{% endmacro %}
{% macro timestamp_diff(first_date, second_date, datepart) %}{{ dbt.datediff(first_date, second_date, datepart) }}{% endmacro %}
{% macro enabled_vars(vars) %}{% for name in vars if var(name, true) == false %}{% do return(false) %}{% endfor %}{% do return(true) %}{% endmacro %}
{% macro enabled_vars_one_true(vars) %}{% for name in vars if var(name, false) == true %}{% do return(true) %}{% endfor %}{% do return(false) %}{% endmacro %}
{% macro persist_pass_through_columns(pass_through_variable, identifier=none, transform='', append_string='') -%}
{%- for field in var(pass_through_variable, none) or [] %}, {{ transform ~ '(' if transform }}{{ identifier ~ '.' if identifier }}{{ field.alias or field.name or field }}{{ ')' if transform }} as {{ field.alias or field.name or field }}{{ append_string }}{% endfor -%}
{%- endmacro %}
{% macro fill_pass_through_columns(pass_through_variable) -%}
{%- for field in var(pass_through_variable, none) or [] %}, {{ field.transform_sql or field.name or field }} as {{ field.alias or field.name or field }}{% endfor -%}
{%- endmacro %}
{% macro add_pass_through_columns(base_columns, pass_through_var) -%}
{%- for field in pass_through_var or [] -%}{%- do base_columns.append({'name': field.name or field, 'alias': field.alias, 'datatype': field.datatype or dbt.type_string()}) -%}{%- endfor -%}
{%- endmacro %}
{% macro remove_prefix_from_columns(columns, prefix='', exclude=[]) -%}
{%- for column in columns -%}{{ column.name }} as {{ column.name[prefix | length:] if column.name.startswith(prefix) and column.name not in exclude else column.name }}{{ ', ' if not loop.last }}{%- endfor -%}
{%- endmacro %}
{% macro add_dbt_source_relation() %}{% endmacro %}
{% macro apply_source_relation(package_name=none) %}{% if var((package_name or '') ~ '_sources', []) %}, _dbt_source_relation as source_relation{% else %}, cast('{{ package_name or '' }}' as {{ dbt.type_string() }}) as source_relation{% endif %}{% endmacro %}
{% macro partition_by_source_relation(package_name=none, has_other_partitions='yes', alias=none) -%}
{%- if var((package_name or '') ~ '_sources', []) | length > 1 -%}{{ 'partition by ' if has_other_partitions == 'no' else ', ' }}{{ alias ~ '.' if alias }}source_relation{%- endif -%}
{%- endmacro %}
{% macro union_connections(connection_dictionary, single_source_name, single_table_name, default_identifier=none) -%}
{%- if var(connection_dictionary, []) -%}{{ lineage_only('fivetran_utils.union_connections of several connections') }}{%- endif -%}
select * from {{ source(single_source_name, single_table_name) }}
{%- endmacro %}
{% macro empty_variable_warning(variable, downstream_model) %}{% endmacro %}
