import pandas as pd

customers = pd.read_csv("customers.csv")
customers["first"] = customers["name"].str.split(" ").str[0].str.title()
customers["domain"] = customers["email"].str.extract(r"@(\w+)", expand=False)
customers["is_org"] = customers["email"].str.endswith(".org")
customers["label"] = customers["first"].str.cat(customers["tier"], sep="/")
customers[["first", "domain", "is_org", "label"]].to_csv("out/names.csv", index=False)
