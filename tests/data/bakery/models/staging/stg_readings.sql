select reading_id, oven, degrees, cast(read_at as timestamp) as read_at
from {{ source('landing', 'oven_readings') }}
