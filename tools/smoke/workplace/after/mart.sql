CREATE VIEW mart AS SELECT id, round(amount, 1) AS amount FROM orders;
