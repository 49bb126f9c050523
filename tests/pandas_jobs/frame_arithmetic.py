import numpy as np
import pandas as pd

orders = pd.read_csv("orders.csv")[["qty", "price"]]
((orders - orders.mean()) / orders.std()).to_csv("out/scores.csv", index=False)
np.log(orders + 1).rolling(3).mean().to_csv("out/smooth.csv", index=False)
orders.where(orders > 20, orders.shift(1)).to_csv("out/large.csv", index=False)
orders.isin([5, 6, 7]).to_csv("out/few.csv", index=False)
orders.transform(lambda column: column / column.max()).to_csv("out/shares.csv", index=False)
