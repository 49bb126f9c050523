select
    customer_id,
    {% for kind in var('kinds') -%}
    sum(case when kind = '{{ kind }}' then amount else 0 end) as {{ kind }}_amount,
    {% endfor -%}
    string_agg(kind, ', ' order by order_id) as bought
from {{ ref('stg_orders') }}
group by customer_id
