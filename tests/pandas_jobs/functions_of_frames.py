import pandas as pd

def load():
    return pd.read_csv("orders.csv")

def clean(df):
    df = df.copy()
    df["status"] = df["status"].str.upper()
    return df[df["qty"] > 5]

def summarize(df, by):
    return df.groupby(by, as_index=False).agg(total=("price", "sum"))

def main():
    summarize(clean(load()), "status").to_csv("out/report.csv", index=False)

if __name__ == "__main__":
    main()
