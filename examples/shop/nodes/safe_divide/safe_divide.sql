case when denominator = 0 then null else numerator / denominator end
