{{ config(materialized='table') }}
select city, cast(count(*) as bigint) as customers from {{ ref('customers') }} group by city
