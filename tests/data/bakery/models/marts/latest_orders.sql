select distinct on (customer_id) *
from {{ ref('stg_orders') }}
order by customer_id, ordered_at desc
