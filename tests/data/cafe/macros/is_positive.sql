{% test is_positive(model, column_name, beside) %}
select {{ column_name }} from {{ model }} where {{ column_name }} <= 0 and {{ beside }} is not null
{% endtest %}
