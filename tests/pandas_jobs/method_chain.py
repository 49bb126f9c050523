import pandas as pd

(
    pd.read_csv("orders.csv")
    .query("status != 'void' and qty > 3")
    .assign(net=lambda d: d["price"] * d["qty"], gross=lambda d: d["net"] * 1.19)
    .sort_values(["customer_id", "gross"], ascending=[True, False])
    .loc[:, ["customer_id", "net", "gross"]]
    .to_csv("out/net.csv", index=False)
)
