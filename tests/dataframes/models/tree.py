# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

df = pd.read_csv("customers.csv")
tree = DecisionTreeRegressor(random_state=0)
tree.fit(df[["visits", "age"]], df["spend"])
fresh = pd.read_csv("fresh.csv")
fresh["spend"] = tree.predict(fresh[["visits", "age"]])
fresh.drop(columns=["region", "income"]).to_csv("tree.csv", index=False)
