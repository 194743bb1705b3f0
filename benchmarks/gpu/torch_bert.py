"""The model and the loss of PyTorch's sides: a BERT with mean pooling, and NT-Xent at temperature 0.07."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

fused = hasattr(F, "scaled_dot_product_attention")


class Layer(nn.Module):
    def __init__(self, shape):
        super().__init__()
        width, inner = shape["hidden"], shape["feedForward"]
        self.heads = shape["heads"]
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.wide, self.narrow = nn.Linear(width, inner), nn.Linear(inner, width)
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)

    def forward(self, x, mask):
        split = lambda y: y.view(*y.shape[:-1], self.heads, -1).transpose(1, 2)
        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        if fused:
            mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        else:
            scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(~mask, float("-inf"))
            mixed = F.softmax(scores, dim=-1) @ v
        x = self.norm1(self.out(mixed.transpose(1, 2).reshape(x.shape)) + x)
        return self.norm2(self.narrow(F.gelu(self.wide(x))) + x)


class Encoder(nn.Module):
    """A BERT with mean pooling, and a head for phrase types, if any."""

    def __init__(self, shape, types):
        super().__init__()
        width = shape["hidden"]
        self.words = nn.Embedding(shape["vocabulary"], width)
        self.positions = nn.Embedding(shape["positions"], width)
        self.kinds = nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer(shape) for _ in range(shape["layers"]))
        self.head = nn.Linear(width, types) if types else None

    def forward(self, ids, mask):
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.words(ids) + self.kinds(torch.zeros_like(ids)) + self.positions(places))
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        weight = mask.unsqueeze(-1).to(x.dtype)
        return (x * weight).sum(1) / weight.sum(1)


def padded(device, rows):
    """Token ids of rows, padded to the longest, and their mask."""
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[True] * len(row) + [False] * (longest - len(row)) for row in rows])
    return ids.to(device), mask.to(device)


def nt_xent(embeddings):
    z = F.normalize(embeddings, dim=1)
    scores = (z @ z.t() / 0.07).masked_fill(torch.eye(len(z), dtype=torch.bool, device=z.device), float("-inf"))
    return F.cross_entropy(scores, (torch.arange(len(z), device=z.device) + len(z) // 2) % len(z))
