CREATE VIEW all_activity AS
SELECT account_id, opened_at AS at, 'ticket' AS kind FROM stg_tickets
UNION ALL
SELECT account_id, happened_at, event FROM raw_events;
