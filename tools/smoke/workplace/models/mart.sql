CREATE TABLE mart AS
SELECT day, count(*) AS orders, sum(amount) AS revenue, sum(amount * 1.2) AS total
FROM orders
GROUP BY day;
