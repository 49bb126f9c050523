{# cents_to_dollars('cents')      cents / 100.0, as a number with two digits behind the point #}
{% macro cents_to_dollars(column, digits=2) -%}
    round({{ column }} / 100.0, {{ digits }})
{%- endmacro %}
