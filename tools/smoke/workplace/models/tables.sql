CREATE TABLE raw.orders (id INT, customer_id INT, day DATE, amount DECIMAL(10, 2));
CREATE TABLE customers (id INT, name STRING, email STRING);
CREATE TABLE t (a INT);
