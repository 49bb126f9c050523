select id as order_id, customer_id, amount, tip, status, cast(ordered_at as date) as ordered_at, amount + tip as total
from {{ ref('raw_orders') }}
