-- one row a customer
CREATE TABLE customer_value AS
WITH paid AS (SELECT * FROM paid_orders)
SELECT customer.id AS customer_id,
       sha2(customer.email, 256) AS email_hash,
       coalesce(sum(paid.euros), 0) AS lifetime_value
FROM customers AS customer
LEFT JOIN paid ON customer.id = paid.customer_id
GROUP BY customer.id, customer.email;
