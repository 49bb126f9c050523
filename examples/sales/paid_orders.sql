CREATE VIEW paid_orders AS
SELECT id, customer_id, amount * rate AS euros
FROM orders
WHERE status = 'paid';
