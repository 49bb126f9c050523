{{ config(alias='dim_customers') }}
with orders as (
    select
        customer_id,
        count(*) as orders,
        sum(amount) as spent,
        min(ordered_on) as first_on
    from {{ ref('paid_orders') }}
    group by customer_id
)

select
    customers.customer_id,
    customers.name,
    customers.first_word,
    coalesce(orders.orders, 0) as orders,
    orders.spent,
    orders.spent / orders.orders as per_order,
    datediff('month', customers.joined_on, orders.first_on) as months_before
from {{ ref('stg_customers') }} as customers
left join orders on orders.customer_id = customers.customer_id
