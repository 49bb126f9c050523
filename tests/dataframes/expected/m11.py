import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import MultinomialNB
mails = pd.read_csv("mails.csv")
vec = TfidfVectorizer()
Xv = vec.fit_transform(mails["body"])
nb = MultinomialNB()
nb.fit(Xv, mails["spam"])
new = pd.read_csv("inbox.csv")
new["spam"] = nb.predict(vec.transform(new["body"]))
new[["id", "spam"]].to_csv("flags.csv", index=False)
