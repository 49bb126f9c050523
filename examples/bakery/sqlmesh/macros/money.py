from sqlmesh import macro


@macro()
def cents(evaluator, price):
    return f"CAST({price} * 100 AS BIGINT)"
