select
  status,
  order_count,
  order_count / 100.0 as pct_of_hundred
from order_volume_by_status({{ var("min_order_count") }})
