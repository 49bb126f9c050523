CREATE VIEW stg_accounts AS
SELECT id AS account_id, name AS account_name, plan, seats * price AS mrr
FROM raw_accounts;
