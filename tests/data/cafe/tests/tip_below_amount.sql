select o.order_id from {{ ref('orders') }} as o where o.tip > o.amount
