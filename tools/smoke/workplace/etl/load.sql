INSERT INTO mart.daily (day, total)
SELECT day, sum(amount) FROM public.orders GROUP BY day;
