import pandas as pd

products = pd.read_csv("products.csv")
left = products[["product_id", "title"]]
right = products["cost"].round(0).rename("rounded")
pd.concat([left, right], axis=1).to_csv("out/side.csv", index=False)
