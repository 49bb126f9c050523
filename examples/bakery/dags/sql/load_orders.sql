INSERT INTO raw.orders (order_id, shop_id, product_id, price, quantity, ordered_on)
SELECT id, shop, product, price, quantity, CAST(sold_at AS DATE)
FROM till_{{ params.till }}.sales
WHERE CAST(sold_at AS DATE) = '{{ ds }}'
