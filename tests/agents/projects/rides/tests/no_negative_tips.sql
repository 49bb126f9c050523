select tips from {{ ref('daily_revenue') }} where tips < 0
