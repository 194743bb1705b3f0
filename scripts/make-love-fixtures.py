#!/usr/bin/python3
"""Reference values from PyTorch for character encoders: weights, inputs, results and gradients of tiny
encoders.

Usage:  python3 scripts/make-love-fixtures.py > test/oracles/characters.json      (torch 1.13.1, CPU, float64)
"""
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import torch

from oracle_models import Bag, BiLstm, Love

torch.set_num_threads(1)
torch.set_default_dtype(torch.float64)
torch.manual_seed(11)

ROWS = 9
# words of different lengths; the last has one unit
IDS = torch.tensor([[1, 4, 5, 2, 6, 3, 7], [1, 8, 2, 3, 0, 0, 0], [1, 4, 4, 5, 3, 0, 0], [6, 0, 0, 0, 0, 0, 0]])
CAPITALS = torch.tensor([[0, 1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0, 0], [0] * 7])
# among them a phrase with one word, one with a repeated word and one without words
WORDS = torch.tensor([[0, 1, 2], [3, -1, -1], [2, 2, 1], [-1, -1, -1], [1, 0, -1]])


def rounded(tensor):
    """Rounds to float32, so that both sides start from the same numbers."""
    return tensor.detach().to(torch.float32).to(torch.float64)


def stored(tensor):
    kind = "float32" if tensor.is_floating_point() else "int32"
    digits = "%.9g" if kind == "float32" else "%d"
    data = [json.loads(digits % x) for x in tensor.detach().reshape(-1).tolist()]
    return {"type": kind, "dims": list(tensor.shape), "data": data}


def case(model, sizes):
    """One test case; the gradients are those of sum(result * cos(0, 1, 2, ...))."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.copy_(rounded(weight + 0.1 * torch.randn(weight.shape) if "norm" in name else weight))
    result = model(IDS, CAPITALS, WORDS)
    factors = torch.cos(torch.arange(result.numel(), dtype=torch.float64)).reshape(result.shape)
    names = {f"characters.{name}": weight for name, weight in model.named_parameters()}
    gradients = torch.autograd.grad((result * factors).sum(), list(names.values()))
    return {
        "sizes": sizes,
        "weights": {name: stored(weight) for name, weight in names.items()},
        "inputs": {"character_ids": stored(IDS), "character_capitals": stored(CAPITALS), "phrase_words": stored(WORDS)},
        "result": stored(result),
        "gradients": {name: stored(gradient) for name, gradient in zip(names, gradients)},
    }


common = {"rows": ROWS, "positions": 7}
cases = {
    "love": case(Love(ROWS, 8, outputs=5), {"kind": "love", "width": 8, "outputs": 5, **common}),
    "love.words": case(Love(ROWS, 6), {"kind": "love", "width": 6, **common}),
    "love.longer": case(Love(ROWS, 8, outputs=3), {"kind": "love", "width": 8, "outputs": 3, "rows": ROWS, "positions": 20}),
    "bilstm": case(BiLstm(ROWS, 4, 6, outputs=5), {"kind": "bilstm", "width": 4, "hidden": 6, "outputs": 5, **common}),
    "bag": case(Bag(ROWS, 6, outputs=5), {"kind": "bag", "width": 6, "outputs": 5, **common}),
    "ngrams": case(Bag(ROWS, 4), {"kind": "ngrams", "width": 4, **common}),
}
print(json.dumps(cases, separators=(",", ":")))
