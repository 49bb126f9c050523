select
  product_id,
  product_name,
  category,
  price,
  case
    when category in ('electronics', 'accessories') then 'tech'
    when category in ('kitchen', 'furniture') then 'home'
    else 'other'
  end as category_group,
  case
    when price >= 200 then 'premium'
    when price >= 50 then 'standard'
    else 'budget'
  end as price_tier
from stg_products
where active = true
