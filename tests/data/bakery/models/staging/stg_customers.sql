select
    id as customer_id,
    code,
    name,
    coalesce(city, 'unknown') as city,
    joined_on,
    {{ first_word('name') }} as first_word
from {{ source('base', 'raw_customers') }}
