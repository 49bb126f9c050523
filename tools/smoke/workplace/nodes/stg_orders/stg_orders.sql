select
  id as order_id,
  customer_id,
  day,
  amount
from raw_orders
{% if is_incremental() %}
where day > (select max(day) from stg_orders)
{% endif %}
