with revenue as (
  select borough, sum(revenue) as revenue
  from {{ ref('daily_revenue') }}
  group by borough
)
select borough, revenue, row_number() over (order by revenue desc) as place
from revenue
