CREATE TABLE customer_value AS
SELECT c.id AS customer_id,
       sha2(c.email, 256) AS email_hash,
       coalesce(sum(p.euros), 0) AS lifetime_value
FROM customers c
LEFT JOIN paid_orders p ON p.customer_id = c.id
GROUP BY c.id, c.email;
