"""Expected numbers for src/fewshot/classify/classifiers.ts, from scikit-learn, on seeded random rows of length 1.

Run: python3 test/oracles/logistic.py > test/oracles/logistic.json
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

random = np.random.default_rng(11)


def case(rows, width, kinds):
    """Rows around a mean for each kind; kinds differ in size."""
    labels = np.sort(random.integers(0, kinds, rows) * random.integers(0, 2, rows)) % kinds
    labels[:kinds] = range(kinds)
    means = random.normal(size=(kinds, width))
    x = means[labels] + random.normal(size=(rows, width))
    x = (x / np.linalg.norm(x, axis=1, keepdims=True)).astype("float32").round(5)
    fitted = LogisticRegression(C=3, tol=1e-10, max_iter=10000).fit(x.astype("float64"), labels)
    probabilities = fitted.predict_proba(x.astype("float64"))
    return {
        "x": x.astype("float64").round(5).tolist(),
        "labels": labels.tolist(),
        "weights": fitted.coef_.tolist(),
        "intercepts": (fitted.intercept_ - fitted.intercept_.mean()).tolist(),
        "probabilities": probabilities.tolist(),
    }


json.dump(
    {"scikit-learn": sklearn.__version__, "cases": [case(24, 4, 3), case(60, 7, 5)]},
    sys.stdout,
    indent=1,
)
