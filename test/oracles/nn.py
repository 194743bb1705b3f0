#!/usr/bin/python3
"""PyTorch's numbers for src/nn: each layer and loss with its weights, inputs, result and gradients.

Usage:  python3 nn.py > nn.json      (torch 1.13.1, CPU, one thread; no network)
"""
import json, sys
import torch, torch.nn as nn, torch.nn.functional as F

torch.set_num_threads(1)
torch.manual_seed(9)
cases = {}


def tensor(t):
    kind = {torch.float32: "float32", torch.int64: "int64"}[t.dtype]
    return {"type": kind, "dims": list(t.shape), "data": [float("%.9g" % x) for x in t.detach().reshape(-1).tolist()]}


def case(name, weights, inputs, result):
    """Gradients are of sum(result * cos(0, 1, 2, ...)), for the weights and the float inputs."""
    factors = torch.cos(torch.arange(result.numel(), dtype=torch.float32)).reshape(result.shape)
    leaves = {**weights, **{k: v for k, v in inputs.items() if v.requires_grad}}
    gradients = torch.autograd.grad((result * factors).sum(), list(leaves.values()))
    cases[name] = {
        "weights": {k: tensor(v) for k, v in weights.items()},
        "inputs": {k: tensor(v) for k, v in inputs.items()},
        "result": tensor(result),
        "gradients": {k: tensor(g) for k, g in zip(leaves, gradients)},
    }


def floats(*shape):
    return torch.randn(*shape).requires_grad_()


def named(name, module):
    return {f"{name}.{k}": p for k, p in module.named_parameters()}


x = floats(3, 4)
m = nn.Linear(4, 2)
case("linear", named("l", m), {"x": x}, m(x))
m = nn.LayerNorm(4, eps=1e-5)
with torch.no_grad():
    m.weight.copy_(torch.randn(4)); m.bias.copy_(torch.randn(4))
case("layerNorm", named("l", m), {"x": x}, m(x))
case("gelu", {}, {"x": x}, F.gelu(x))
case("l2Normalise", {}, {"x": x}, F.normalize(x))
ids = torch.tensor([[1, 0, 4], [2, 2, 0]])
mask = torch.tensor([[1, 1, 1], [1, 1, 0]])
m = nn.Embedding(5, 2)
case("embedding", named("l", m), {"ids": ids}, m(ids))
hidden = floats(2, 3, 4)
keep = mask.unsqueeze(-1).bool()
case("meanPooling", {}, {"hidden": hidden, "mask": mask}, (hidden * keep).sum(1) / mask.sum(1, keepdim=True))
case("sumPooling", {}, {"hidden": hidden, "mask": mask}, (hidden * keep).sum(1))
case("maxPooling", {}, {"hidden": hidden, "mask": mask}, hidden.masked_fill(~keep, -1e30).max(1).values)
case("firstToken", {}, {"hidden": hidden, "mask": mask}, hidden[:, 0])

# attention: PyTorch's own, with its stacked projection as three
m = nn.MultiheadAttention(4, 2, batch_first=True)
with torch.no_grad():
    m.in_proj_bias.copy_(torch.randn(12))
parts = {}
for part, w, b in zip(["query", "key", "value"], m.in_proj_weight.chunk(3), m.in_proj_bias.chunk(3)):
    parts[part] = [w.detach().clone().requires_grad_(), b.detach().clone().requires_grad_()]
stacked = torch.cat([parts[p][0] for p in parts]), torch.cat([parts[p][1] for p in parts])
states = F.multi_head_attention_forward(
    *[hidden.transpose(0, 1)] * 3, 4, 2, *stacked, None, None, False, 0.0, torch.eye(4), None,
    key_padding_mask=~mask.bool(), need_weights=False)[0].transpose(0, 1)
weights = {f"l.{p}.{k}": t for p in parts for k, t in zip(["weight", "bias"], parts[p])}
case("attention", weights, {"hidden": hidden, "mask": mask}, states)

for direction in ["forward", "backward"]:
    m = nn.LSTM(4, 3, batch_first=True, bidirectional=True)
    suffix = "l0_reverse" if direction == "backward" else "l0"
    own = {f"l.{k}": p for k, p in m.named_parameters() if k.endswith(suffix)}
    case(f"lstm.{direction}", own, {"x": hidden}, m(hidden)[0][..., 3:] if direction == "backward" else m(hidden)[0][..., :3])
m = nn.LSTM(4, 3, batch_first=True)
packed = nn.utils.rnn.pack_padded_sequence(hidden, mask.sum(1), batch_first=True)
case("lstm.masked", named("l", m), {"x": hidden, "mask": mask}, m(packed)[1][0][0])


# losses
def nt_xent(a, p, temperature, hard=None, groups=None):
    z = F.normalize(torch.cat([a, p]))
    columns = z if hard is None else torch.cat([z, F.normalize(hard)])
    n = len(z)
    s = z @ columns.t() / temperature
    rows = torch.arange(n)
    partner = (rows + n // 2) % n
    out = torch.zeros_like(s, dtype=torch.bool)
    if groups is not None:
        out = groups[:n, None] == groups[None]
        out[rows, partner] = False
    out[rows, rows] = True
    return F.cross_entropy(s.masked_fill(out, float("-inf")), partner)


a, p, hard = floats(4, 5), floats(4, 5), floats(3, 5)
case("ntXent", {}, {"anchors": a, "positives": p}, nt_xent(a, p, 0.07))
case("ntXent.cold", {}, {"anchors": a, "positives": p}, nt_xent(a, p, 0.005))
case("ntXent.hard", {}, {"anchors": a, "positives": p, "hardNegatives": hard}, nt_xent(a, p, 0.1, hard))
groups = torch.tensor([0, 1, 0, 2, 3, 1, 4, 2, 4, 7, 0])
case("ntXent.groups", {}, {"anchors": a, "positives": p, "hardNegatives": hard, "groups": groups}, nt_xent(a, p, 0.1, hard, groups))
logits, labels = floats(4, 3), torch.tensor([2, 0, 1, 2])
both = {"logits": logits, "labels": labels}
case("crossEntropy", {}, both, F.cross_entropy(logits, labels))
huge = (logits.detach() * 300).requires_grad_()
case("crossEntropy.huge", {}, {"logits": huge, "labels": labels}, F.cross_entropy(huge, labels))
targets = torch.rand(4, 3)
case("binaryCrossEntropy", {}, {"logits": logits, "targets": targets}, F.binary_cross_entropy_with_logits(logits, targets))
case("binaryCrossEntropy.huge", {}, {"logits": huge, "targets": targets}, F.binary_cross_entropy_with_logits(huge, targets))
case("squaredError", {}, {"predictions": logits, "targets": targets}, F.mse_loss(logits, targets))

# a RoBERTa without layers: positions are counted from behind the padding's number
rows = torch.tensor([[0, 7, 8, 2], [0, 9, 2, 1]])
real = rows.ne(1).int()
positions = (torch.cumsum(real, 1).type_as(real) * real).long() + 1
tables = {"word": floats(10, 4), "position": floats(7, 4), "token_type": floats(1, 4)}
weights = {f"embeddings.{k}_embeddings.weight": t for k, t in tables.items()}
weights.update({"embeddings.LayerNorm.weight": floats(4), "embeddings.LayerNorm.bias": floats(4)})
summed = tables["word"][rows] + tables["token_type"][0] + tables["position"][positions]
norm = [weights["embeddings.LayerNorm.weight"], weights["embeddings.LayerNorm.bias"]]
case("roberta", weights, {"ids": rows, "mask": real.long()}, F.layer_norm(summed, (4,), *norm, 1e-5))


# each side against the other: what is equal but the pair itself is left out
def both_ways(a, p, groups, scale):
    s = F.normalize(a) @ F.normalize(p).t() * scale
    n = len(s)
    out = (groups[:, None] == groups[None]) & ~torch.eye(n, dtype=torch.bool)
    s, own = s.masked_fill(out, float("-inf")), torch.arange(n)
    return (F.cross_entropy(s, own) + F.cross_entropy(s.t(), own)) / 2


pairs, scale = torch.tensor([0, 1, 0, 2]), floats(1, 1)
case("bothWays", {}, {"anchors": a, "positives": p, "groups": pairs}, both_ways(a, p, pairs, 10))
case("bothWays.learned", {}, {"anchors": a, "positives": p, "groups": pairs, "scale": scale}, both_ways(a, p, pairs, scale))

json.dump(cases, sys.stdout, separators=(",", ":"))
