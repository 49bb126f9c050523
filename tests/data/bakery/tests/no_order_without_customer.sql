select orders.order_id
from {{ ref('stg_orders') }} as orders
left join {{ ref('customers') }} as customers on customers.customer_id = orders.customer_id
where customers.customer_id is null
