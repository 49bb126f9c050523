{{
    config(
        materialized='incremental',
        unique_key=['customer_id', 'day'],
        post_hook="delete from {{ this }} where day < date '2020-01-01'"
    )
}}

select
    customer_id,
    cast(visited_at as date) as day,
    count(visit_id) as visits
from {{ ref('stg_visits') }}
{% if is_incremental() %}
where visited_at > (select max(day) from {{ this }})
{% endif %}
group by customer_id, cast(visited_at as date)
