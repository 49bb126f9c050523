CREATE TABLE report AS
SELECT sum(amount) AS total FROM todays_orders;
