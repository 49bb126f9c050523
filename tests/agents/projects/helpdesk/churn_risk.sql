CREATE TABLE churn_risk AS
SELECT
  a.account_id,
  a.account_name,
  a.mrr,
  coalesce(l.tickets, 0) AS tickets,
  l.hours,
  e.last_seen,
  rank() OVER (PARTITION BY a.plan ORDER BY l.hours DESC) AS load_rank
FROM stg_accounts a
LEFT JOIN account_load l ON l.account_id = a.account_id
LEFT JOIN (
  SELECT account_id, max(happened_at) AS last_seen
  FROM raw_events
  WHERE event <> 'bot'
  GROUP BY account_id
) e ON e.account_id = a.account_id
WHERE a.plan <> 'free';
