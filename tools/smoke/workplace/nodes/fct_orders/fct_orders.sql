select
  o.order_id,
  o.day,
  o.amount,
  o.amount / d.revenue as share
from stg_orders o
join dim_customers d on d.customer_id = o.customer_id
