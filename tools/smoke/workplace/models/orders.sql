CREATE VIEW orders AS
SELECT id, customer_id, day, amount
FROM raw.orders;
