select
  cast(t.pickup_at as date) as day,
  z.borough,
  sum(t.total) as revenue,
  sum(t.tip) as tips,
  count(*) as trips
from {{ ref('stg_trips') }} t
join {{ ref('stg_zones') }} z using (zone_id)
group by 1, 2
