{{
    config(
        materialized='incremental',
        unique_key=['order_id', 'kind'],
        incremental_strategy='merge',
        merge_exclude_columns=['first_amount']
    )
}}
select order_id, kind, amount, amount as first_amount from {{ ref('stg_orders') }}
