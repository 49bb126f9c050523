{% macro total(fare, tip) -%}
  ({{ fare }} + coalesce({{ tip }}, 0))
{%- endmacro %}
