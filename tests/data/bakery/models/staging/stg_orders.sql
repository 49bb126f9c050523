select
    id as order_id,
    customer_id,
    kind,
    amount,
    paid,
    ordered_at,
    cast(ordered_at as date) as ordered_on,
    date_trunc('month', cast(ordered_at as date)) as month,
    date_part('dow', ordered_at) as weekday,
    amount / 3 as third,
    cast(amount as integer) as whole
from {{ ref('raw_orders') }}
where cast(ordered_at as date) >= cast('{{ var("first_day") }}' as date)
