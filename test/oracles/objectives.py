#!/usr/bin/python3
"""PyTorch's numbers for src/objectives: losses and gradients in float64, written from the papers' formulas.

Usage:  python3 objectives.py > objectives.json      (torch 1.13 or 2.15, CPU, one thread; no network)

Sums run over plain lists of pairs, so that no mask or matrix form is shared with pearl. Batches have equal rows within
a class and across classes, classes of one row (hard negatives), one class for all rows, and one pair.
"""
import json
import torch
import torch.nn.functional as F
from torch import exp, log

torch.set_num_threads(1)
torch.manual_seed(4)
torch.set_default_dtype(torch.float64)
WIDTH = 5


def numbers(*shape):
    return torch.randn(*shape, dtype=torch.float32).double()


def batch(pairs, negatives, classes, equal=(), scores=None):
    """@param equal (row, other): the row becomes the other one; rows count anchors, positives, negatives."""
    rows = numbers(2 * pairs + negatives, WIDTH)
    for row, other in equal:
        rows[row] = rows[other]
    return {"rows": rows, "pairs": pairs, "classes": classes, "scores": scores}


batches = {
    "pairs": batch(4, 0, [0, 1, 2, 3] * 2, scores=[0.9, 0.1, 0.5, 0.0]),
    "classes": batch(5, 2, [0, 0, 1, 2, 2] * 2 + [3, 4], [(1, 0), (7, 3), (10, 2), (6, 8)], [1, 0, 1, 0.25, 1]),
    "with one class": batch(3, 0, [0] * 6, [(4, 0)], [1, 1, 0]),
    "of one pair": batch(1, 0, [0, 0], scores=[0.5]),
}


class Rows:
    def __init__(self, anchors, positives, negatives, classes, scores):
        self.raw = (anchors, positives, negatives)
        self.a, self.p = F.normalize(anchors, dim=1), F.normalize(positives, dim=1)
        self.z = torch.cat([self.a, self.p] + ([F.normalize(negatives, dim=1)] if len(negatives) else []))
        self.n, self.all, self.classes = len(anchors), len(self.z), classes
        self.scores = scores

    def partner(self, i):
        return (i + self.n) % (2 * self.n)

    def same(self, i, among=None):
        return [j for j in range(among or self.all) if j != i and self.classes[j] == self.classes[i]]

    def others(self, i):
        return [j for j in range(self.all) if self.classes[j] != self.classes[i]]

    def rows(self):
        return range(2 * self.n)

    def d2(self, i, j):
        return ((self.z[i] - self.z[j]) ** 2).sum()

    def sides(self):
        """For each anchor the columns of other classes behind the anchors."""
        return [[j for j in self.others(i) if j >= self.n] for i in range(self.n)]


ZERO = torch.zeros(())
average = lambda values: sum(values) / len(values) if values else ZERO
distance = lambda d2: torch.sqrt(torch.clamp(d2, min=1e-6))


def contrastive(r, w, margin=1.0, threshold=0.5, scored=False):
    near = lambda d2: d2 / 2
    far = lambda d2: F.relu(margin - distance(d2)) ** 2 / 2
    if scored:
        return average([(near if y >= threshold else far)(r.d2(i, i + r.n)) for i, y in enumerate(r.scores)])
    pairs = lambda of: [r.d2(i, j) for i in r.rows() for j in of(i)]
    return average([near(d) for d in pairs(r.same)]) + average([far(d) for d in pairs(r.others)])


def triplet(r, w, margin=0.2, mining="semi-hard"):
    losses = []
    for i in r.rows():
        near = r.d2(i, r.partner(i))
        far = [r.d2(i, j) for j in r.others(i)]
        if not far:
            continue
        if mining == "all":
            losses += [F.relu(near - d + margin) for d in far]
            continue
        beyond = [d for d in far if d > near + 1e-6]
        chosen = min(beyond) if beyond else max(far)
        tied = [d for d in (beyond or far) if abs(d - chosen) < 1e-6]
        losses.append(F.relu(near - average(tied) + margin))
    return average(losses)


def n_pair(r, w, scale=1.0, **settings):
    (a, p, n), total = r.raw, ZERO
    columns = torch.cat([p, n])
    for i, others in enumerate(r.sides()):
        own = scale * a[i] @ p[i]
        total = total + log(1 + sum([exp(scale * a[i] @ columns[j - r.n] - own) for j in others], ZERO))
    return total / r.n + settings.get("lambda", 0.002) * ((a ** 2).sum() + (p ** 2).sum()) / r.n


def nce(r, w, temperature=0.07):
    h = lambda cosine: torch.sigmoid(cosine / temperature + w["nce.normaliser"][0])
    data = [log(h(r.z[i] @ r.z[i + r.n])) for i in range(r.n)]
    noise = [log(1 - h(r.z[i] @ r.z[j])) for i, others in enumerate(r.sides()) for j in others]
    return -(average(data) + average(noise)) / 2


def info_nce(r, w, temperature=0.07, directions="one"):
    def one_way(rows, columns):
        losses = []
        for i, others in enumerate(r.sides()):
            f = lambda j: exp(rows[i] @ columns[j - r.n] / temperature)
            losses.append(-log(f(i + r.n) / (f(i + r.n) + sum([f(j) for j in others], ZERO))))
        return average(losses)

    negatives = r.z[2 * r.n:]
    forward = one_way(r.a, torch.cat([r.p, negatives]))
    return forward if directions == "one" else (forward + one_way(r.p, torch.cat([r.a, negatives]))) / 2


def nt_xent(r, w, temperature=0.07):
    s = lambda i, j: exp(r.z[i] @ r.z[j] / temperature)
    others = lambda i: sum([s(i, j) for j in r.others(i)], ZERO)
    return average([-log(s(i, r.partner(i)) / (s(i, r.partner(i)) + others(i))) for i in r.rows()])


def hard_weighted(r, w, temperature=0.5, prior=0.1, beta=1.0):
    losses = []
    for i in r.rows():
        pos = exp(r.z[i] @ r.z[r.partner(i)] / temperature)
        u = [exp(r.z[i] @ r.z[j] / temperature) for j in r.others(i)]
        total = pos
        if u:
            q = [x ** beta for x in u]
            expected = sum(a * b for a, b in zip(q, u)) / sum(q)
            g = (expected - prior * pos) / (1 - prior)
            total = pos + len(u) * torch.clamp(g, min=float(exp(torch.tensor(-1 / temperature))))
        losses.append(-log(pos / total))
    return average(losses)


def debiased(r, w, temperature=0.5, prior=0.1):
    return hard_weighted(r, w, temperature, prior, 0.0)


def align_uniform(r, w, alpha=2.0, t=2.0, **settings):
    align = average([torch.clamp(r.d2(i, i + r.n), min=1e-12) ** (alpha / 2) for i in range(r.n)])
    spread = average([exp(-t * r.d2(i, j)) for i in r.rows() for j in r.others(i)])
    uniform = log(spread) if len(set(r.classes)) > 1 else log(torch.tensor(1e-30))
    return align + settings.get("lambda", 1.0) * uniform


def lifted(r, w, margin=1.0):
    d = lambda i, j: distance(r.d2(i, j))
    terms = []
    for i in r.rows():
        for j in r.same(i, 2 * r.n):
            pushed = [exp(margin - d(i, k)) for k in r.others(i)] + [exp(margin - d(j, l)) for l in r.others(j)]
            terms.append(F.relu(log(sum(pushed)) + d(i, j)) ** 2 if pushed else ZERO)
    return average(terms) / 2


def shares(r, score, mean_of_own):
    """Mean over rows with others of their class of -log(own / all)."""
    losses = []
    for i in r.rows():
        own, others = r.same(i), r.others(i)
        if own:
            inside = sum(exp(score(i, j)) for j in own)
            everyone = sum(exp(score(i, j)) for j in own + others)
            losses.append(-log(inside / (len(own) if mean_of_own else 1) / everyone))
    return average(losses)


def soft_nearest(r, w, temperature=0.2, learning="fixed"):
    sharpness = (w["soft_nearest.sharpness"][0] if learning == "learned" else 1) / temperature
    return shares(r, lambda i, j: -r.d2(i, j) * sharpness, False)


def sup_con(r, w, temperature=0.1, form="out"):
    s = lambda i, j: r.z[i] @ r.z[j] / temperature
    if form == "in":
        return shares(r, s, True)
    losses = []
    for i in r.rows():
        own = r.same(i)
        everyone = sum(exp(s(i, j)) for j in own + r.others(i))
        losses.append(-average([log(exp(s(i, p)) / everyone) for p in own]))
    return average(losses)


def gaussian(r, w, width=3, epsilon=1e-6):
    h = F.relu(torch.cat(r.raw))
    mu = F.linear(h, w["gaussian.mean.weight"], w["gaussian.mean.bias"])
    sigma = F.elu(F.linear(h, w["gaussian.variance.weight"], w["gaussian.variance.bias"])) + 1 + epsilon
    normal = [torch.distributions.MultivariateNormal(m, torch.diag(s)) for m, s in zip(mu, sigma)]
    kl = torch.distributions.kl_divergence
    r.rows = lambda: range(r.all)
    return shares(r, lambda p, q: -(kl(normal[q], normal[p]) + kl(normal[p], normal[q])) / 2, True)


def block(r, w, loss="logistic"):
    cost = (lambda v: log(1 + exp(-v)) / torch.log(torch.tensor(2.0))) if loss == "logistic" else (lambda v: F.relu(1 - v))
    mean_of = lambda rows: r.z[rows].mean(0)
    whole = lambda j: [k for k in range(r.all) if r.classes[k] == r.classes[j]]
    return average([
        cost(r.z[i] @ (mean_of(r.same(i)) - mean_of(whole(j))))
        for i in r.rows() if r.same(i) for j in r.others(i)
    ])


def regression(r, w):
    return average([(r.z[i] @ r.z[i + r.n] - y) ** 2 for i, y in enumerate(r.scores)])


def simcse(r, w, temperature):
    """Unsupervised SimCSE as its authors compute it: cross-entropy of the cosines of two passes with their own index."""
    cosines = F.cosine_similarity(r.raw[0].unsqueeze(1), r.raw[1].unsqueeze(0), dim=-1)
    return F.cross_entropy(cosines / temperature, torch.arange(r.n))


def misordered(scores, s):
    """One term at a time, unlike pearl's matrix."""
    pairs = [(i, j) for i in range(len(s)) for j in range(len(s)) if scores[i] > scores[j]]
    return log(1 + sum([exp(s[j] - s[i]) for i, j in pairs], ZERO))


def cosent(r, w, scale=20.0):
    return misordered(r.scores, [scale * (r.z[i] @ r.z[i + r.n]) for i in range(r.n)])


def angle(r, w, scale=20.0, temperature=1.0, threshold=0.5, **weights):
    """Angles by PyTorch's complex numbers: (z / |z|) / (w / |w|), whose parts are summed."""
    half, angles = WIDTH // 2, []
    for u, v in zip(*r.raw[:2]):
        z, y = torch.complex(u[:half], u[half:2 * half]), torch.complex(v[:half], v[half:2 * half])
        quotient = z * y.conj() / (torch.linalg.vector_norm(z) * torch.linalg.vector_norm(y))
        angles.append((quotient.real.sum() + quotient.imag.sum()).abs() / temperature)
    missed = []
    for i, others in enumerate(r.sides()):
        if r.scores[i] >= threshold:
            f = lambda j: exp(scale * (r.z[i] @ r.z[j]))
            missed.append(-log(f(i + r.n) / (f(i + r.n) + sum([f(j) for j in others], ZERO))))
    parts = {"cosine": cosent(r, w, scale), "batch": average(missed), "angle": misordered(r.scores, angles)}
    return sum(weights.get(name, 1.0) * part for name, part in parts.items())


layer = lambda name: {f"gaussian.{name}.weight": numbers(3, WIDTH), f"gaussian.{name}.bias": numbers(3)}
objectives = [
    ("nt-xent", nt_xent, [{}, {"temperature": 0.5}], {}),
    ("info-nce", info_nce, [{}, {"directions": "both"}, {"temperature": 0.02}], {}),
    ("n-pair", n_pair, [{}, {"scale": 4, "lambda": 0.1}], {}),
    ("nce", nce, [{}, {"temperature": 0.3}], {"nce.normaliser": numbers(1)}),
    ("triplet", triplet, [{}, {"margin": 1}, {"mining": "all"}], {}),
    ("contrastive", contrastive, [{}, {"margin": 1.5}], {}),
    ("debiased", debiased, [{}, {"temperature": 0.07, "prior": 0.3}], {}),
    ("hard-weighted", hard_weighted, [{}, {"temperature": 0.2, "beta": 2.5}], {}),
    ("align-uniform", align_uniform, [{}, {"alpha": 1, "t": 3, "lambda": 0.5}], {}),
    ("sup-con", sup_con, [{}, {"form": "in"}, {"temperature": 0.02}], {}),
    ("soft-nearest", soft_nearest, [{}, {"temperature": 1, "learning": "learned"}], {"soft_nearest.sharpness": numbers(1).abs()}),
    ("gaussian", gaussian, [{"width": 3}, {"width": 3, "epsilon": 0.1}], {**layer("mean"), **layer("variance")}),
    ("lifted", lifted, [{}, {"margin": 0.3}], {}),
    ("block", block, [{}, {"loss": "hinge"}], {}),
    ("regression", regression, [{}], {}),
    ("cosent", cosent, [{}, {"scale": 5}], {}),
    ("angle", angle, [{}, {"temperature": 0.05, "batch": 0}, {"scale": 5, "threshold": 0.2, "cosine": 0.5, "angle": 2}], {}),
]

graded = ("regression", "cosent", "angle")
rounded = lambda t: [float("%.8g" % x) for x in t.detach().reshape(-1).tolist()]
cases = []


def case(name, function, settings, weights, batch_name, scored):
    b = batches[batch_name]
    n = b["pairs"]
    leaves = {key: value.clone().requires_grad_() for key, value in weights.items()}
    parts = [part.clone().requires_grad_() for part in (b["rows"][:n], b["rows"][n:2 * n], b["rows"][2 * n:])]
    rows = Rows(*parts, b["classes"], b["scores"])
    loss = function(rows, leaves, **settings, **({"scored": True} if scored and name == "contrastive" else {}))
    named = {"anchors": parts[0], "positives": parts[1], "negatives": parts[2], **leaves}
    flat = [torch.zeros_like(x) for x in named.values()]
    found = torch.autograd.grad(loss, list(named.values()), allow_unused=True) if loss.requires_grad else flat
    cases.append({
        "objective": name, "settings": settings, "batch": batch_name, "scores": scored, "loss": rounded(loss)[0],
        "gradients": {key: rounded(g) for key, g in zip(named, found) if g is not None and g.numel() and not (scored and key == "negatives")},
    })


for name, function, variants, weights in objectives:
    for settings in variants:
        for batch_name in batches:
            if name not in graded:
                case(name, function, settings, weights, batch_name, False)
            if name in (*graded, "contrastive"):
                case(name, function, settings, weights, batch_name, True)
case("info-nce", simcse, {"temperature": 0.05}, {}, "pairs", False)

weights = {key: {"dims": list(t.shape), "data": rounded(t)} for *_, ws in objectives for key, t in ws.items()}
stored = {key: {**b, "rows": rounded(b["rows"])} for key, b in batches.items()}
print(json.dumps({"width": WIDTH, "batches": stored, "weights": weights, "cases": cases}, separators=(",", ":")))
