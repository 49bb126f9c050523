CREATE VIEW paid_orders AS
SELECT id, customer_id, round(amount * rate, 2) AS euros
FROM orders
WHERE status = 'paid';
