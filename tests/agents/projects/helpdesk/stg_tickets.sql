CREATE VIEW stg_tickets AS
WITH source AS (
  SELECT * FROM raw_tickets
),
renamed AS (
  SELECT
    id AS ticket_id,
    account_id,
    opened_at,
    closed_at,
    upper(priority) AS priority,
    md5(agent_email) AS agent_key,
    minutes / 60.0 AS hours
  FROM source
  WHERE opened_at IS NOT NULL
)
SELECT * FROM renamed;
