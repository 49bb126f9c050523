select zone_id, borough, name as zone_name from {{ source('tlc', 'zones') }}
