AUDIT (
  name no_free_orders
);

SELECT order_id FROM @this_model WHERE cents <= @least
