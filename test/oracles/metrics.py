"""Expected numbers for src/benchmark/metrics, from SciPy and scikit-learn, on seeded random lists.

Run: python3 test/oracles/metrics.py > test/oracles/metrics.json
"""

import json
import sys

import numpy as np
import scipy
import sklearn
from scipy.stats import pearsonr, rankdata, spearmanr
from sklearn.metrics import normalized_mutual_info_score, roc_auc_score

random = np.random.default_rng(7)


def correlation(x, y):
    return {
        "x": x,
        "y": y,
        "pearson": pearsonr(x, y)[0],
        "spearman": spearmanr(x, y)[0],
        "ranksOfX": rankdata(x).tolist(),
    }


def area(scores, positive):
    return {"scores": scores, "positive": positive, "auc": roc_auc_score(positive, scores)}


def information(a, b):
    return {"a": a, "b": b, "nmi": normalized_mutual_info_score(a, b)}


def numbers(count, digits):
    return random.normal(size=count).round(digits).tolist()


def labels(count, classes):
    return random.integers(0, classes, count).tolist()


noise = numbers(60, 4)
mixed = labels(80, 4)
json.dump(
    {
        "scipy": scipy.__version__,
        "scikit-learn": sklearn.__version__,
        "correlations": [
            correlation([1, 2, 3, 4, 5], [2, 1, 4, 3, 7]),
            correlation([1.0, 1.0, 2.0, 2.0, 3.0], [5.0, 5.0, 5.0, 1.0, 0.0]),
            correlation(noise, [value + other for value, other in zip(noise, numbers(60, 4))]),
            correlation(numbers(200, 1), numbers(200, 1)),
            correlation([1e8 + value for value in numbers(50, 3)], numbers(50, 3)),
        ],
        "areas": [
            area([0.1, 0.4, 0.35, 0.8], [False, False, True, True]),
            area([0.5] * 6, [True, False, True, False, False, True]),
            area(numbers(150, 1), (random.random(150) < 0.3).tolist()),
            area([3, 2, 1], [True, True, False]),
        ],
        "informations": [
            information([0, 0, 1, 1], [1, 1, 0, 0]),
            information([0, 0, 1, 1], [0, 1, 0, 1]),
            information([0, 0, 0, 0], [0, 1, 2, 3]),
            information([0, 0, 0], [5, 5, 5]),
            information(mixed, [value if flip else other for value, other, flip in zip(mixed, labels(80, 3), labels(80, 2))]),
            information(labels(300, 3), labels(300, 5)),
        ],
    },
    sys.stdout,
    separators=(",", ":"),
)
print()
