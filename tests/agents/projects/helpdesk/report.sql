CREATE TABLE report AS SELECT * FROM churn_risk WHERE load_rank <= 10;
