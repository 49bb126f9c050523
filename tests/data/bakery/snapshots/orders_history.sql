{% snapshot orders_history %}
{{ config(unique_key='order_id', strategy='check', check_cols=['amount', 'paid'], hard_deletes='invalidate') }}
select order_id, kind, amount, paid from {{ ref('stg_orders') }}
{% endsnapshot %}
