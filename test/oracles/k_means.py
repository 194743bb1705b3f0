"""Expected clusterings for src/search/k-means.ts, from scikit-learn's KMeans on synthetic points.

Run: python3 test/oracles/k_means.py > test/oracles/k_means.json
"""

import json
import sys

import numpy as np
import sklearn
from sklearn.cluster import KMeans

random = np.random.default_rng(11)


def blobs(count, dimension, clusters, spread):
    centres = random.normal(size=(clusters, dimension)) * 3
    points = centres[random.integers(0, clusters, count)] + random.normal(size=(count, dimension)) * spread
    return points.round(3).astype(np.float32)


def case(name, points, clusters, start=None):
    start = points[random.choice(len(points), clusters, replace=False)] if start is None else start
    given = KMeans(clusters, init=start, n_init=1, algorithm="lloyd").fit(points)
    best = min(KMeans(clusters, n_init=10, random_state=seed).fit(points).inertia_ for seed in range(5))
    return {
        "name": name,
        "dimension": points.shape[1],
        "clusters": clusters,
        "points": [round(float(value), 3) for value in points.ravel()],
        "start": [round(float(value), 3) for value in start.ravel()],
        "labels": given.labels_.tolist(),
        "inertia": float(given.inertia_),
        "bestInertia": float(best),
    }


# One start that no point is nearest to: its cluster loses all its points in the first step.
lonely_start = np.array([[-1, 0], [1, 0], [500, 500]], dtype=np.float32)
json.dump(
    {
        "scikit-learn": sklearn.__version__,
        "cases": [
            case("well separated", blobs(150, 2, 3, 0.3), 3),
            case("overlapping", blobs(300, 5, 4, 2.0), 4),
            case("no structure", random.normal(size=(200, 8)).round(3).astype(np.float32), 5),
            case("far from the origin", blobs(150, 3, 3, 0.8) + np.float32(50), 3),
            case("a start that loses all its points", blobs(80, 2, 3, 1.0), 3, lonely_start),
            case("one cluster", blobs(40, 3, 1, 1.0), 1),
        ],
    },
    sys.stdout,
    separators=(",", ":"),
)
print()
