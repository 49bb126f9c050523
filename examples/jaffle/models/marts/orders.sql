with orders as (
    select * from {{ ref('stg_orders') }}
),

payments as (
    select * from {{ ref('int_payments_by_order') }}
)

select
    orders.order_id,
    orders.customer_id,
    orders.ordered_on,
    orders.status,
    {% for method in var('payment_methods') -%}
    coalesce(payments.{{ method }}_amount, 0) as {{ method }}_amount,
    {% endfor -%}
    payments.total_amount as amount
from orders
left join payments on payments.order_id = orders.order_id
