{{ config(materialized='table', alias='dim_customers') }}

with orders as (
    select
        customer_id,
        min(ordered_on) as first_ordered_on,
        max(ordered_on) as last_ordered_on,
        count(order_id) as orders,
        sum(amount) as spent
    from {{ ref('orders') }}
    where status <> 'returned'
    group by customer_id
)

select
    customers.customer_id,
    customers.first_name,
    customers.last_name,
    customers.email,
    orders.first_ordered_on,
    orders.last_ordered_on,
    coalesce(orders.orders, 0) as number_of_orders,
    orders.spent as lifetime_value
from {{ ref('stg_customers') }} as customers
left join orders on orders.customer_id = customers.customer_id
