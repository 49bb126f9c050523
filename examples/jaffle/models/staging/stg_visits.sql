select visit_id, customer_id, visited_at, page
from {{ source('web', 'visits') }}
