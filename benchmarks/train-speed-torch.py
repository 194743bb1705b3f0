"""PyTorch's side of train-speed.mjs: a BERT trained with NT-Xent and Adam. Reads a batch index per line and
answers with the seconds of a step as JSON.

    OMP_WAIT_POLICY=PASSIVE python3 train-speed-torch.py SETTINGS.json
"""
import json, math, sys, time

import torch
import torch.nn as nn
import torch.nn.functional as F

settings = json.load(open(sys.argv[1]))
shape = settings["shape"]
torch.set_num_threads(settings["threads"])
torch.manual_seed(1)
D, HEADS = shape["hidden"], shape["heads"]


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(D, D) for _ in range(4))
        self.wide, self.narrow = nn.Linear(D, shape["feedForward"]), nn.Linear(shape["feedForward"], D)
        self.norm1, self.norm2 = nn.LayerNorm(D, eps=1e-12), nn.LayerNorm(D, eps=1e-12)

    def forward(self, x, mask):
        split = lambda y: y.view(*y.shape[:-1], HEADS, D // HEADS).permute(0, 2, 1, 3)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        probabilities = F.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(D // HEADS) + mask, dim=-1)
        mixed = torch.matmul(probabilities, v).permute(0, 2, 1, 3).contiguous().view(x.shape)
        x = self.norm1(self.out(mixed) + x)
        return self.norm2(self.narrow(F.gelu(self.wide(x))) + x)


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(shape["vocabulary"], D)
        self.positions = nn.Embedding(shape["positions"], D)
        self.types = nn.Embedding(2, D)
        self.norm = nn.LayerNorm(D, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(shape["layers"]))

    def forward(self, ids, mask):
        x = self.words(ids) + self.types(torch.zeros_like(ids)) + self.positions(torch.arange(ids.shape[1]))
        x = self.norm(x)
        added = (1.0 - mask[:, None, None, :].float()) * torch.finfo(torch.float32).min
        for layer in self.layers:
            x = layer(x, added)
        weight = mask.unsqueeze(-1).float()
        return (x * weight).sum(1) / weight.sum(1).clamp(min=1e-9)


def nt_xent(embeddings):
    z = F.normalize(embeddings, dim=1)
    scores = (z @ z.t()) / 0.07
    scores = scores.masked_fill(torch.eye(len(z), dtype=torch.bool), float("-inf"))
    return F.cross_entropy(scores, (torch.arange(len(z)) + len(z) // 2) % len(z))


model = Bert()
optimiser = torch.optim.Adam(model.parameters(), lr=1e-5)
print(json.dumps({"version": torch.__version__, "weights": sum(p.numel() for p in model.parameters())}), flush=True)
for line in sys.stdin:
    rows = settings["batches"][int(line)]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    start, busy = time.perf_counter(), time.process_time()
    loss = nt_xent(model(ids, mask))
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    took = {"seconds": time.perf_counter() - start, "processor": time.process_time() - busy}
    print(json.dumps({**took, "loss": loss.item()}), flush=True)
