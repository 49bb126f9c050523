select *
from raw_payments
