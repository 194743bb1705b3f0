"""Expected probes for src/benchmark/probe.ts, from PyTorch, on synthetic pairs.

Run: python3 test/oracles/ppdb_probe.py > test/oracles/ppdb_probe.json

Pairs, first weights, split and order of batches come from the same generators as in src/random.ts and
src/nn/initialise.ts, written out here, so that both sides train the same probe on the same batches.
"""

import json
import math
import sys

import numpy as np
import torch
import torch.nn.functional as F

MASK = 0xFFFFFFFF


def mulberry32(seed):
    state = (((seed ^ 0x9E3779B9) & MASK) * 0x85EBCA6B) & MASK

    def draw():
        nonlocal state
        state = (state + 0x6D2B79F5) & MASK
        mixed = ((state ^ (state >> 15)) * (state | 1)) & MASK
        mixed ^= (mixed + ((mixed ^ (mixed >> 7)) * (mixed | 61) & MASK)) & MASK
        return ((mixed ^ (mixed >> 14)) & MASK) / 4294967296

    return draw


def fnv1a(text):
    state = 0x811C9DC5
    for character in text:
        state = ((state ^ ord(character)) * 0x01000193) & MASK
    return state


def weight(name, shape, inputs, seed):
    draw = mulberry32(seed ^ fnv1a(name))
    limit = 1 / math.sqrt(inputs)
    values = [limit * (2 * draw() - 1) for _ in range(math.prod(shape))]
    return torch.tensor(values, dtype=torch.float32).reshape(shape).requires_grad_()


def shuffle(order, draw):
    for i in range(len(order) - 1, 0, -1):
        j = int(draw() * (i + 1))
        order[i], order[j] = order[j], order[i]


def pairs(count, dimension, seed):
    """The second vector is the first one with noise, or with noise and a turned half."""
    draw = mulberry32(seed)
    features, positive = [], []
    for _ in range(count):
        first = [2 * draw() - 1 for _ in range(dimension)]
        same = draw() < 0.5
        second = [x * (1 if same or i % 2 else -1) + 1.6 * (draw() - 0.5) for i, x in enumerate(first)]
        features.append(first + second)
        positive.append(same)
    return torch.tensor(features, dtype=torch.float32), torch.tensor(positive)


def probe(features, positive, seed, rate, fair, dtype):
    features = features.to(dtype)
    count, width = features.shape
    draw = mulberry32(seed)
    order = list(range(count))
    shuffle(order, draw)
    held = math.ceil(0.3 * count)
    test_size = math.ceil(held / 2)
    training, validation, test = order[: count - held], order[count - held : count - test_size], order[count - test_size :]
    weights = [
        weight("hidden.weight", (256, width), width, seed),
        weight("hidden.bias", (256,), width, seed),
        weight("output.weight", (1, 256), 256, seed),
        weight("output.bias", (1,), 256, seed),
    ]
    weights = [w.detach().to(dtype).requires_grad_() for w in weights]
    optimiser = torch.optim.Adam(weights, lr=rate)

    def logits(rows, by):
        return F.linear(F.relu(F.linear(features[rows], by[0], by[1])), by[2], by[3])[:, 0]

    def accuracy(rows, by):
        with torch.no_grad():
            parts = [rows[i : i + 200] for i in range(0, len(rows), 200)]
            hits = [((logits(part, by) > 0) == positive[part]).float() for part in parts]
        return torch.cat(hits).mean().item() if fair else sum(h.mean().item() for h in hits) / len(hits)

    best, best_epoch, best_weights, epoch, losses = -1, 0, None, 0, []
    while epoch < 100 and not (epoch >= 3 and epoch - best_epoch >= 5):
        epoch += 1
        shuffle(training, draw)
        for start in range(0, len(training), 200):
            rows = training[start : start + 200]
            loss = F.binary_cross_entropy_with_logits(logits(rows, weights), positive[rows].to(dtype))
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        reached = accuracy(validation, weights)
        if reached > best:
            best, best_epoch, best_weights = reached, epoch, [w.detach().clone() for w in weights]
    return {"accuracy": accuracy(test, best_weights if fair else weights), "epochs": epoch, "tested": len(test)}


features, positive = pairs(3000, 6, 5)
cases = []
for seed in range(3):
    for rate in [1e-4, 3e-3]:
        for protocol in ["fair", "published"]:
            single, double = (
                probe(features, positive, seed, rate, protocol == "fair", dtype)
                for dtype in (torch.float32, torch.float64)
            )
            # where rounding decides when to stop, or a test pair, there is nothing to compare with
            if single == double:
                cases.append({"seed": seed, "learningRate": rate, "protocol": protocol, **single})
json.dump(
    {"versions": {"python": sys.version.split()[0], "torch": torch.__version__, "numpy": np.__version__},
     "count": 3000, "dimension": 6, "seed": 5, "cases": cases},
    sys.stdout,
)
