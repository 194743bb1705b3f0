"""PyTorch models that pearl's graphs are compared with: character encoders with pearl's weight names.

Written from the papers with PyTorch's own layers, independently of pearl's graphs. Used by make-love-fixtures.py
and make-step-fixture.py.
"""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def sinusoids(positions, width):
    """The sinusoidal positions of Vaswani et al. (2017): [positions, width]."""
    place = torch.arange(positions, dtype=torch.get_default_dtype()).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2, dtype=torch.get_default_dtype()) * -(math.log(10000.0) / width))
    table = torch.zeros(positions, width)
    table[:, 0::2] = torch.sin(place * rate)
    table[:, 1::2] = torch.cos(place * rate)[:, : width // 2]
    return table


class CharacterEncoder(nn.Module):
    """Encodes units to words and words to phrases. ids and capitals: [words, positions], padded with 0;
    words: [phrases, n], padded with -1."""

    def __init__(self, rows, width, word_width, outputs):
        super().__init__()
        self.embedding = nn.Embedding(rows, width)
        self.capital = nn.Embedding(2, width)
        self.reduction = nn.Linear(word_width, outputs) if outputs else None

    def units(self, ids, capitals):
        return self.embedding(ids) + self.capital(capitals)

    def word_vectors(self, ids, capitals):
        """Vectors of length 1: [words, word width]."""
        raise NotImplementedError

    def forward(self, ids, capitals, words):
        vectors = self.word_vectors(ids, capitals)
        phrases = []
        for row in words:
            known = row[row >= 0]
            phrases.append(vectors[known].mean(0) if len(known) else torch.zeros(vectors.shape[1]))
        phrases = torch.stack(phrases)
        return self.reduction(phrases) if self.reduction else phrases


class Bag(CharacterEncoder):
    """The sum of the units; also used for hashed n-grams."""

    def __init__(self, rows, width, outputs=None):
        super().__init__(rows, width, width, outputs)

    def word_vectors(self, ids, capitals):
        sums = (self.units(ids, capitals) * (ids > 0).unsqueeze(-1)).sum(1)
        return F.normalize(sums, dim=-1)


class Love(CharacterEncoder):
    """LOVE (Chen et al., 2022): x + norm(f(x)), where f is attention by fixed positions and two linear layers
    with ReLU."""

    def __init__(self, rows, width, outputs=None):
        super().__init__(rows, width, width, outputs)
        self.first = nn.Linear(width, width)
        self.second = nn.Linear(width, width)
        self.norm = nn.LayerNorm(width, eps=1e-6)

    def word_vectors(self, ids, capitals):
        x = self.units(ids, capitals)
        width = x.shape[-1]
        place = sinusoids(x.shape[1], width)
        scores = (place @ place.T / width**0.25).expand(len(ids), -1, -1)
        scores = scores.masked_fill((ids == 0).unsqueeze(1), -math.inf)
        blurred = torch.softmax(scores, dim=-1) @ x
        hidden = F.relu(self.second(F.relu(self.first(blurred))))
        x = x + self.norm(hidden)
        return F.normalize(x.masked_fill((ids == 0).unsqueeze(-1), 0).sum(1), dim=-1)


class BiLstm(CharacterEncoder):
    """Last states of both directions over packed sequences."""

    def __init__(self, rows, width, hidden, outputs=None):
        super().__init__(rows, width, hidden, outputs)
        self.lstm = nn.LSTM(width, hidden // 2, batch_first=True, bidirectional=True)

    def word_vectors(self, ids, capitals):
        lengths = (ids > 0).sum(1).cpu()
        packed = nn.utils.rnn.pack_padded_sequence(
            self.units(ids, capitals), lengths, batch_first=True, enforce_sorted=False
        )
        _, (last, _) = self.lstm(packed)
        return F.normalize(torch.cat([last[0], last[1]], dim=-1), dim=-1)
