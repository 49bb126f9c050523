MODEL (
  name staging.orders,
  kind INCREMENTAL_BY_TIME_RANGE (time_column ordered_on),
  description 'Orders of the shop, one row per order',
  column_descriptions (order_id = 'The key of an order'),
  audits (not_null(columns := (order_id, shop_id)), no_free_orders(least := 0))
);

SELECT
  order_id,
  shop_id,
  product_id,
  @cents(price) AS cents,
  quantity,
  ordered_on
FROM @{raw_schema}.orders
WHERE ordered_on BETWEEN @start_date AND @end_date
