#!/usr/bin/python3
"""Reference values from PyTorch for a step of the whole method: a tiny BERT and LOVE in parallel, NT-Xent with
hard negatives that are also anchors and with equal phrases masked, and the type head on each phrase and its twin.

Usage:  python3 scripts/make-step-fixture.py > test/oracles/whole_step.json      (torch 1.13.1, CPU, float64)

Written from the papers, one row at a time, independently of pearl's graphs.
"""
import json
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import torch
import torch.nn as nn
import torch.nn.functional as F

from oracle_models import Love

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(23)

CONFIG = {
    "model_type": "bert", "vocab_size": 40, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 32, "max_position_embeddings": 12, "type_vocab_size": 2, "layer_norm_eps": 1e-12,
}
CHARACTERS = {"kind": "love", "rows": 24, "width": 8, "outputs": 6, "positions": 16}
TYPES = 95
TEMPERATURE = 0.07


class SelfAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def forward(self, x, mask):
        rows, length, width = x.shape
        split = lambda t: t.reshape(rows, length, self.heads, -1).transpose(1, 2)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        scores = q @ k.transpose(2, 3) / math.sqrt(width / self.heads)
        scores = scores.masked_fill((mask == 0)[:, None, None, :], -math.inf)
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(rows, length, width)


class Output(nn.Module):
    def __init__(self, inputs, width):
        super().__init__()
        self.dense, self.LayerNorm = nn.Linear(inputs, width), nn.LayerNorm(width, eps=CONFIG["layer_norm_eps"])

    def forward(self, x, residual):
        return self.LayerNorm(self.dense(x) + residual)


class Layer(nn.Module):
    def __init__(self, width, heads, inner):
        super().__init__()
        self.attention = nn.ModuleDict({"self": SelfAttention(width, heads), "output": Output(width, width)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = Output(inner, width)

    def forward(self, x, mask):
        x = self.attention["output"](self.attention["self"](x, mask), x)
        return self.output(F.gelu(self.intermediate["dense"](x)), x)


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        width = CONFIG["hidden_size"]
        self.embeddings = nn.ModuleDict({
            "word_embeddings": nn.Embedding(CONFIG["vocab_size"], width),
            "token_type_embeddings": nn.Embedding(2, width),
            "position_embeddings": nn.Embedding(CONFIG["max_position_embeddings"], width),
            "LayerNorm": nn.LayerNorm(width, eps=CONFIG["layer_norm_eps"]),
        })
        layers = [Layer(width, CONFIG["num_attention_heads"], CONFIG["intermediate_size"]) for _ in range(CONFIG["num_hidden_layers"])]
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(layers)})

    def forward(self, ids, mask):
        e = self.embeddings
        x = e["word_embeddings"](ids) + e["token_type_embeddings"](torch.zeros_like(ids))
        x = e["LayerNorm"](x + e["position_embeddings"](torch.arange(ids.shape[1])))
        for layer in self.encoder["layer"]:
            x = layer(x, mask)
        weights = mask.unsqueeze(-1).to(x.dtype)
        return (x * weights).sum(1) / weights.sum(1)


def draw(low, high):
    return int(torch.randint(low, high, (1,)))


def phrase():
    tokens = [2] + [draw(5, CONFIG["vocab_size"]) for _ in range(draw(1, 6))] + [3]
    words = [[[1, 0]] + [[draw(4, 24), draw(0, 2)] for _ in range(draw(2, 7))] + [[3, 0]] for _ in range(draw(1, 4))]
    return {"tokens": tokens, "words": words}


# Two phrases of the corpus with two hard negatives each; all six are anchors, and each has a twin. The second
# phrase is also a hard negative of the first, so it occurs twice in the batch, with two different twins. The
# twin of the first phrase is the phrase itself.
phrases = [phrase() for _ in range(10)]
anchors = [0, 1, 2, 1, 3, 4]
positives = [0, 5, 6, 7, 8, 9]
types = [3, 40, -1, 40, 94, 3]


def padded(rows, fill=0):
    longest = max(len(row) for row in rows)
    return torch.tensor([row + [fill] * (longest - len(row)) for row in rows])


def inputs_of(numbers):
    chosen = [phrases[n] for n in numbers]
    tokens = [p["tokens"] for p in chosen]
    words = [word for p in chosen for word in p["words"]]
    places, at = [], 0
    for p in chosen:
        places.append(list(range(at, at + len(p["words"]))))
        at += len(p["words"])
    return {
        "ids": padded(tokens), "mask": padded([[1] * len(t) for t in tokens]),
        "units": padded([[u for u, _ in w] for w in words]), "capitals": padded([[c for _, c in w] for w in words]),
        "words": padded(places, -1),
    }


bert = Bert()
love = Love(CHARACTERS["rows"], CHARACTERS["width"], outputs=CHARACTERS["outputs"])
head = nn.Linear(CONFIG["hidden_size"] + CHARACTERS["outputs"], TYPES)
named = {}
for prefix, module in [("", bert), ("characters.", love), ("type_head.", head)]:
    for name, weight in module.named_parameters():
        with torch.no_grad():
            if weight.dim() == 1:
                weight.add_(0.1 * torch.randn_like(weight))
            weight.copy_(weight.to(torch.float32).to(torch.float64))
        named[prefix + name] = weight

x = inputs_of(anchors + positives)
vectors = torch.cat([bert(x["ids"], x["mask"]), love(x["units"], x["capitals"], x["words"])], dim=1)

# NT-Xent, row by row: 2B rows; the partner is the positive, equal phrases are not negatives
unit = F.normalize(vectors, dim=1)
order = anchors + positives
pairs = len(anchors)
rows = []
for i in range(2 * pairs):
    partner = (i + pairs) % (2 * pairs)
    others = [k for k in range(2 * pairs) if k != i and (k == partner or order[k] != order[i])]
    scores = unit[others] @ unit[i] / TEMPERATURE
    rows.append(torch.logsumexp(scores, 0) - unit[partner] @ unit[i] / TEMPERATURE)
contrastive = torch.stack(rows).mean()

known = [i for i, t in enumerate(types) if t >= 0]
labels = torch.tensor([types[i] for i in known])
logits = head(vectors)
type_loss = F.cross_entropy(logits[known], labels) + F.cross_entropy(logits[[i + pairs for i in known]], labels)
total = contrastive + type_loss
gradients = torch.autograd.grad(total, list(named.values()))


def stored(tensor):
    return {"dims": list(tensor.shape), "data": [float("%.9g" % v) for v in tensor.detach().reshape(-1).tolist()]}


print(json.dumps({
    "config": CONFIG, "characters": CHARACTERS, "types": TYPES, "temperature": TEMPERATURE,
    "phrases": phrases, "batch": {"anchors": anchors, "positives": positives, "types": types},
    "weights": {name: stored(weight) for name, weight in named.items()},
    "losses": {"total": total.item(), "contrastive": contrastive.item(), "type": type_loss.item()},
    "gradients": {name: stored(gradient) for name, gradient in zip(named, gradients)},
    "vectors": stored(vectors),
}, separators=(",", ":")))
