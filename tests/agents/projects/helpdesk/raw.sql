CREATE TABLE raw_tickets (id INT, account_id INT, opened_at TIMESTAMP, closed_at TIMESTAMP,
  priority VARCHAR, agent_email VARCHAR, minutes INT);
CREATE TABLE raw_accounts (id INT, name VARCHAR, plan VARCHAR, seats INT, price DECIMAL(10,2));
CREATE TABLE raw_events (account_id INT, event VARCHAR, happened_at TIMESTAMP, properties VARCHAR);
