CREATE VIEW mart AS SELECT id, amount FROM orders;
