select
  status,
  count(order_id) as order_count
from fct_orders
group by status
having count(order_id) >= min_count
