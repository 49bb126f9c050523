# customers.csv(id id, age int, income float, region word, visits int, churned bit, spend float)
# fresh.csv(id id, age int, income float, region word, visits int)
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

df = pd.read_csv("customers.csv")
prepare = ColumnTransformer(
    [("numbers", StandardScaler(), ["age", "income"]), ("words", OneHotEncoder(handle_unknown="ignore"), ["region"])]
)
model = make_pipeline(prepare, Ridge())
model.fit(df, df["spend"])
fresh = pd.read_csv("fresh.csv")
fresh["spend"] = model.predict(fresh)
fresh[["id", "spend"]].to_csv("fresh_spend.csv", index=False)
