CREATE TABLE account_load AS
SELECT
  t.account_id,
  count(*) AS tickets,
  sum(t.hours) AS hours,
  max(CASE WHEN t.priority = 'HIGH' THEN t.opened_at END) AS last_high
FROM stg_tickets t
GROUP BY t.account_id;
