#!/usr/bin/python3
"""PyTorch's numbers for src/objectives/neighbours.ts and a whole step of QuickThoughts: 20 steps of Adam with clipped gradients
on two GRU encoders, in float64.

Usage:  python3 neighbours.py > neighbours.json      (torch 1.13, CPU, one thread; no network)

A sentence has one to five words, a word one to three units. Two texts follow one another in each batch; one sentence is a
text of its own. Sums run over plain lists of neighbours.
"""
import json, pathlib, sys
import torch
from torch import log

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "scripts"))
from oracle_models import Gru

torch.set_num_threads(1)
torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
BUCKETS, WIDTH, HIDDEN, BATCHES, CONTEXT, RATE, CLIP = 16, 4, 3, 20, 2, 0.05, 0.08
WORDS, UNITS, LENGTH = 8, 3, 5
places = [0, 1, 2, 3, 10, 11, 12, 13, 30]

f, g = Gru(BUCKETS + 1, WIDTH, HIDDEN), Gru(BUCKETS + 1, WIDTH, HIDDEN)
named = {prefix + "characters." + name: weight for prefix, model in (("", f), ("g.", g)) for name, weight in model.named_parameters()}
with torch.no_grad():
    for weight in named.values():
        weight.copy_((3 * weight).float().double())


def stored():
    return {name: {"dims": list(w.shape), "data": [float("%.9g" % x) for x in w.detach().reshape(-1)]} for name, w in named.items()}


def padded(rows, columns, blank, draw):
    """Rows of one or more drawn numbers, filled up."""
    table = torch.full((rows, columns), blank)
    for row in table:
        count = int(torch.randint(1, columns + 1, (1,)))
        row[:count] = torch.randint(*draw, (count,))
    return table


def loss_of(ids, capitals, words):
    own, others = f(ids, capitals, words), g(ids, capitals, words)
    terms = []
    for i in range(len(places)):
        near = [j for j in range(len(places)) if j != i and abs(places[i] - places[j]) <= CONTEXT]
        if not near:
            continue
        rest = [k for k in range(len(places)) if k != i]
        total = torch.stack([(own[i] @ others[k]).exp() for k in rest]).sum()
        target = 1 / len(near)
        terms.append(sum(target * (torch.tensor(target).log() - log((own[i] @ others[j]).exp() / total)) for j in near))
    return torch.stack(terms).mean()


first, batches, losses, norms = stored(), [], [], []
optimiser = torch.optim.Adam(named.values(), lr=RATE)
for _ in range(BATCHES):
    ids = padded(WORDS, UNITS, 0, (1, BUCKETS + 1))
    capitals = torch.randint(0, 2, ids.shape) * (ids > 0)
    words = padded(len(places), LENGTH, -1, (0, WORDS))
    loss = loss_of(ids, capitals, words)
    optimiser.zero_grad()
    loss.backward()
    norms.append(torch.nn.utils.clip_grad_norm_(named.values(), CLIP).item())
    optimiser.step()
    losses.append(loss.item())
    batches.append({"character_ids": ids.tolist(), "character_capitals": capitals.tolist(), "phrase_words": words.tolist()})
sizes = {"buckets": BUCKETS, "width": WIDTH, "hidden": HIDDEN, "phraseLength": LENGTH}
print(f"gradient norms {min(norms):.3f} to {max(norms):.3f}", file=sys.stderr)
settings = {"torch": torch.__version__, "sizes": sizes, "contextSize": CONTEXT, "rate": RATE, "clipNorm": CLIP, "places": places}
json.dump({**settings, "first": first, "batches": batches, "losses": losses, "last": stored()}, sys.stdout, separators=(",", ":"))
