MODEL (
  name mart.revenue,
  kind FULL
);

@DEF(kinds, ['bread', 'cake']);

SELECT
  o.shop_id,
  o.ordered_on,
  SUM(o.cents * o.quantity) AS cents,
  @EACH(@kinds, k -> SUM(CASE WHEN p.kind = k THEN o.cents END) AS @{k}_cents)
FROM staging.orders AS o
JOIN staging.products AS p ON o.product_id = p.product_id
GROUP BY o.shop_id, o.ordered_on
