#!/usr/bin/python3
"""PyTorch's numbers for src/objectives/neighbours.ts: 20 steps of Adam on two encoders, in float64.

Usage:  python3 neighbours.py > neighbours.json      (torch 1.13, CPU, one thread; no network)

Sentences are bags of words; an encoder is the sum of its words' vectors, then tanh. Two texts follow one another in each
batch; one sentence is a text of its own. Sums run over plain lists of neighbours.
"""
import json, sys
import torch
from torch import log

torch.set_num_threads(1)
torch.manual_seed(3)
torch.set_default_dtype(torch.float64)
WORDS, WIDTH, BATCHES, ROWS, CONTEXT, RATE = 11, 4, 20, 9, 2, 0.05

f = (0.5 * torch.randn(WORDS, WIDTH)).float().double().requires_grad_()
g = (0.5 * torch.randn(WORDS, WIDTH)).float().double().requires_grad_()
first = {"f": f.tolist(), "g": g.tolist()}
batches = [torch.randint(0, 3, (ROWS, WORDS)).double() for _ in range(BATCHES)]
places = [0, 1, 2, 3, 10, 11, 12, 13, 30]
optimiser = torch.optim.Adam([f, g], lr=RATE)
losses = []
for bags in batches:
    own, others = torch.tanh(bags @ f), torch.tanh(bags @ g)
    terms = []
    for i in range(ROWS):
        near = [j for j in range(ROWS) if j != i and abs(places[i] - places[j]) <= CONTEXT]
        if not near:
            continue
        rest = [k for k in range(ROWS) if k != i]
        total = torch.stack([(own[i] @ others[k]).exp() for k in rest]).sum()
        target = 1 / len(near)
        terms.append(sum(target * (torch.tensor(target).log() - log((own[i] @ others[j]).exp() / total)) for j in near))
    loss = torch.stack(terms).mean()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()
    losses.append(loss.item())
json.dump(
    {
        **{"torch": torch.__version__, "contextSize": CONTEXT, "rate": RATE, "places": places, "first": first},
        **{"batches": [b.int().tolist() for b in batches], "losses": losses, "last": {"f": f.tolist(), "g": g.tolist()}},
    },
    sys.stdout,
)
