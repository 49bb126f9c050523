{% macro first_word(column) %}split_part({{ column }}, ' ', 1){% endmacro %}
