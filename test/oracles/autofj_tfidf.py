"""Accuracy of scikit-learn's character TF-IDF on AutoFJ sets, by the published rule (cosine, first best title).

Run: python3 test/oracles/autofj_tfidf.py FOLDER [SET...] > test/oracles/autofj_tfidf.json
FOLDER holds one folder per set with left.csv, right.csv and gt.csv; without SET all of them are scored.
The output holds the sets' names and numbers only.
"""

import csv
import json
import os
import sys
import time

import numpy as np
import sklearn
from sklearn.feature_extraction.text import TfidfVectorizer


def column(path, name):
    with open(path, encoding="utf8", newline="") as file:
        return [row[name] for row in csv.DictReader(file)]


def score(folder):
    left = column(f"{folder}/left.csv", "title")
    right = column(f"{folder}/right.csv", "title")
    truth = dict(zip(column(f"{folder}/gt.csv", "title_r"), column(f"{folder}/gt.csv", "title_l")))
    started = time.perf_counter()
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), lowercase=True)
    vectorizer.fit(left + right)
    cosines = (vectorizer.transform(right) @ vectorizer.transform(left).T).toarray()
    best = np.argmax(cosines, axis=1)
    seconds = time.perf_counter() - started
    judged = [row for row, title in enumerate(right) if title in truth]
    hits = sum(left[best[row]] == truth[right[row]] for row in judged)
    return {"accuracy": hits / len(judged), "rows": len(judged), "seconds": round(seconds, 3)}


folder = sys.argv[1]
names = sys.argv[2:] or sorted(os.listdir(folder))
json.dump(
    {"scikit-learn": sklearn.__version__, "sets": {name: score(f"{folder}/{name}") for name in names}},
    sys.stdout,
    indent=1,
)
print()
