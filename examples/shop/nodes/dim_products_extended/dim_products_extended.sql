select distinct
  product_id,
  product_name,
  category,
  price,
  cast(product_id * 10 as bigint) as id_scaled,
  case
    when category = 'electronics' then
      case
        when price >= 200 then 'premium electronics'
        else 'everyday electronics'
      end
    when category = 'furniture' then
      case
        when price >= 200 then 'large furniture'
        else 'small furniture'
      end
    else 'general goods'
  end as detailed_category
from stg_products
