select
    id as payment_id,
    order_id,
    method,
    {{ cents_to_dollars('cents') }} as amount
from {{ ref('raw_payments') }}
