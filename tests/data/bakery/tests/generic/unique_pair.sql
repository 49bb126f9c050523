{% test unique_pair(model, first, second) %}
select {{ first }}, {{ second }} from {{ model }} group by {{ first }}, {{ second }} having count(*) > 1
{% endtest %}
