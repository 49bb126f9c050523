select
  vendor_id,
  cast(pickup_at as timestamp) as pickup_at,
  cast(dropoff_at as timestamp) as dropoff_at,
  zone_id,
  fare,
  tip,
  {{ total('fare', 'tip') }} as total
from {{ source('tlc', 'trips') }}
where fare > 0
