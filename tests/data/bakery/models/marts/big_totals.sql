select kind, total from {{ ref('totals_by_kind') }} where total > {{ var('big', 20) }}
