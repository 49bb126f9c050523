import pandas as pd

orders = pd.read_csv("orders.csv")
products = pd.read_csv("products.csv")
customers = pd.read_csv("customers.csv")
tools = products[products["category"] == "tools"].set_index("product_id")["cost"]
orders["tool_cost"] = orders["product_id"].map(tools)
tiers = dict(zip(customers["customer_id"], customers["tier"]))
orders["tier"] = [tiers.get(each, "none") for each in orders["customer_id"]]
dear = orders.query("price > @products.cost.mean()")
dear[["order_id", "tool_cost", "tier"]].to_csv("out/dear.csv", index=False)
