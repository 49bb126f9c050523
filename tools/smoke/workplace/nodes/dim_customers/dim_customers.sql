select
  c.id as customer_id,
  c.name,
  c.email,
  sum(o.amount) as revenue
from raw_customers c
left join stg_orders o on o.customer_id = c.id
group by c.id, c.name, c.email
