{#- One column for each way to pay. -#}
select
    order_id,
    {% for method in var('payment_methods') -%}
    sum(case when method = '{{ method }}' then amount else 0 end) as {{ method }}_amount,
    {% endfor -%}
    sum(amount) as total_amount
from {{ ref('stg_payments') }}
group by order_id
