{{
    config(
        materialized='incremental',
        unique_key='order_id',
        incremental_strategy='delete+insert',
        on_schema_change='append_new_columns',
        pre_hook="{% if is_incremental() %}delete from {{ this }} where order_id = 6{% endif %}",
        post_hook="delete from {{ this }} where amount < 3.60 and kind = 'bread' and order_id > 4"
    )
}}
select order_id, kind, amount, paid from {{ ref('stg_orders') }}
{% if is_incremental() %}
where order_id >= 3
{% endif %}
