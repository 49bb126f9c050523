CREATE TABLE dim_customers AS
SELECT c.id, c.name, lower(c.email) AS email, sum(o.amount) AS lifetime_value
FROM customers c
LEFT JOIN orders o ON o.customer_id = c.id
GROUP BY c.id, c.name, c.email;
