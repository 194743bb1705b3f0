#!/usr/bin/python3
"""PyTorch's numbers for src/objectives with a teacher, and on prefixes: losses and gradients in float64, from the papers' formulas.

Usage:  python3 teacher.py > teacher.json      (torch 2.15, CPU; no network)

Sums run over plain lists of phrases, so that no mask or matrix form is shared with pearl. Teachers have the students'
width ("alike") or another one ("wide"); some of the batch's phrases are nearer to a row than its positive for both.
"""
import json
import torch
import torch.nn.functional as F
from torch import exp, log

torch.set_num_threads(1)
torch.manual_seed(9)
torch.set_default_dtype(torch.float64)
WIDTH = 5
numbers = lambda *shape: torch.randn(*shape, dtype=torch.float32).double()


def batch(pairs, negatives, classes):
    count = 2 * pairs + negatives
    teachers = {"alike": F.normalize(numbers(count, WIDTH), dim=1), "wide": F.normalize(numbers(count, 7), dim=1)}
    # as the tensors are in float32
    teachers = {name: rows.float().double() for name, rows in teachers.items()}
    return {"rows": numbers(count, WIDTH), "pairs": pairs, "classes": classes, "scores": [], "teachers": teachers}


batches = {
    "with a teacher": batch(4, 0, [0, 1, 2, 3] * 2),
    "of triplets with a teacher": batch(4, 4, [0, 1, 1, 3] * 2 + [4, 5, 6, 7]),
}


def parts_of(raw):
    a, p, n = raw
    return [F.normalize(x, dim=1) for x in (a, p, n)], F.normalize(torch.cat([a, p, n]), dim=1)


def distill(raw, t, classes, match, temperature=0.05):
    _, z = parts_of(raw)
    r = range(len(z))
    if match == "vectors":
        return sum(1 - z[i] @ t[i] for i in r) / len(z)
    if match == "similarities":
        return sum((z[i] @ z[j] - t[i] @ t[j]) ** 2 for i in r for j in r) / len(z) ** 2
    total = torch.zeros(())
    for i in r:
        others = [j for j in r if j != i]
        q = F.log_softmax(torch.stack([z[i] @ z[j] / temperature for j in others]), 0)
        p = F.softmax(torch.stack([t[i] @ t[j] / temperature for j in others]), 0)
        total = total + F.kl_div(q, p, reduction="sum")
    return total / len(z)


def margin_mse(raw, t, classes):
    (a, p, n), _ = parts_of(raw)
    b = len(a)
    student = [a[i] @ p[i] - a[i] @ n[i] for i in range(b)]
    teacher = [t[i] @ t[b + i] - t[i] @ t[2 * b + i] for i in range(b)]
    return F.mse_loss(torch.stack(student), torch.stack(teacher))


masked = 0


def kept(i, partner, t, classes, among):
    """Columns of other classes that the teacher finds at most as near as the positive."""
    global masked
    others = [j for j in among if classes[j] != classes[i]]
    near = [j for j in others if t is not None and t[i] @ t[j] > t[i] @ t[partner]]
    masked += len(near)
    return [j for j in others if j not in near]


def share(z, i, partner, others, temperature):
    s = lambda j: exp(z[i] @ z[j] / temperature)
    return -log(s(partner) / (s(partner) + sum([s(j) for j in others], torch.zeros(()))))


def nt_xent(raw, t, classes, temperature=0.07):
    _, z = parts_of(raw)
    b = len(raw[0])
    losses = []
    for i in range(2 * b):
        partner = (i + b) % (2 * b)
        losses.append(share(z, i, partner, kept(i, partner, t, classes, range(len(z))), temperature))
    return sum(losses) / len(losses)


def info_nce(raw, t, classes, temperature=0.07, directions="one"):
    _, z = parts_of(raw)
    b, total = len(raw[0]), len(z)
    negatives = list(range(2 * b, total))
    forward = sum(share(z, i, i + b, kept(i, i + b, t, classes, list(range(b, 2 * b)) + negatives), temperature) for i in range(b)) / b
    if directions == "one":
        return forward
    back = sum(share(z, i + b, i, kept(i + b, i, t, classes, list(range(b)) + negatives), temperature) for i in range(b)) / b
    return (forward + back) / 2


def on_prefixes(function, dims):
    def loss(raw, *others, **settings):
        cuts = [[x[:, :m] for x in raw] for m in dims] + [raw]
        return sum(function(cut, *others, **settings) for cut in cuts) / len(cuts)
    return loss


PAIRS, TRIPLETS = batches
runs = [
    ("distill", distill, {"match": match, **more}, name, teacher, [])
    for match, more, teachers in [
        ("vectors", {}, ["alike"]),
        ("similarities", {}, ["alike", "wide"]),
        ("neighbours", {}, ["alike", "wide"]),
        ("neighbours", {"temperature": 0.5}, ["wide"]),
    ]
    for teacher in teachers
    for name in batches
]
runs += [("distill", distill, {"match": "neighbours"}, TRIPLETS, "wide", [2, 3])]
runs += [("margin-mse", margin_mse, {}, TRIPLETS, teacher, []) for teacher in ("alike", "wide")]
runs += [("margin-mse", margin_mse, {}, TRIPLETS, "wide", [3])]
runs += [
    (name, function, settings, which, teacher, dims)
    for name, function, settings in [
        ("nt-xent", nt_xent, {}),
        ("info-nce", info_nce, {}),
        ("info-nce", info_nce, {"directions": "both"}),
    ]
    for which in batches
    for teacher, dims in [("wide", []), ("alike", [2]), (None, [1, 3])]
]

rounded = lambda t: [float("%.8g" % x) for x in t.detach().reshape(-1).tolist()]
cases = []
for name, function, settings, which, teacher, dims in runs:
    b = batches[which]
    n = b["pairs"]
    parts = [part.clone().requires_grad_() for part in (b["rows"][:n], b["rows"][n:2 * n], b["rows"][2 * n:])]
    t = None if teacher is None else b["teachers"][teacher]
    loss = on_prefixes(function, dims)(parts, t, b["classes"], **settings)
    found = torch.autograd.grad(loss, parts, allow_unused=True)
    named = zip(("anchors", "positives", "negatives"), found)
    cases.append({
        "objective": name, "settings": settings, "batch": which, "scores": False, "loss": rounded(loss)[0],
        **({"teacher": teacher} if teacher else {}), **({"dims": dims} if dims else {}),
        "gradients": {key: rounded(g) for key, g in named if g is not None and g.numel()},
    })
assert masked > 20
stored = {
    key: {**b, "rows": rounded(b["rows"]), "teachers": {name: rounded(t) for name, t in b["teachers"].items()}}
    for key, b in batches.items()
}
print(json.dumps({"width": WIDTH, "batches": stored, "weights": {}, "cases": cases}, separators=(",", ":")))
