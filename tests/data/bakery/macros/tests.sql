{% test positive(model, column_name) %}
select {{ column_name }} from {{ model }} where {{ column_name }} <= 0
{% endtest %}

{% test above(model, column_name, limit_value) %}
select {{ column_name }} from {{ model }} where not {{ column_name }} > {{ limit_value }}
{% endtest %}
