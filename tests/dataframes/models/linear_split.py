# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import train_test_split

df = pd.read_csv("customers.csv")
features = df[["age", "visits"]]
target = df["spend"]
x_train, x_test, y_train, y_test = train_test_split(features, target, test_size=0.25, random_state=1)
model = LinearRegression().fit(x_train, y_train)
fresh = pd.read_csv("fresh.csv")
out = pd.DataFrame({"id": fresh["id"], "spend": model.predict(fresh[["age", "visits"]])})
out.to_csv("spend.csv", index=False)
