#!/usr/bin/python3
"""Small RoBERTa and BERT models with PyTorch's vectors for them: what `pearl import` must reproduce.

Usage:  python3 test/oracles/encoders.py        (torch 1.13, onnx 1.12; CPU, no network; writes test/encoder/fixtures)

Written from the papers and the published layouts alone, with none of pearl's code: the forward passes in float64
on the weights as stored, the byte-level BPE and the safetensors format by hand. Weights come from a seed. They are
large (deviation 0.3), so that a wrong operator shows.
"""
import json, math, os, re, struct
import torch, torch.nn.functional as F

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "encoder", "fixtures")
torch.manual_seed(20240601)


def save_safetensors(path, tensors):
    header, blobs, end = {"__metadata__": {"format": "pt"}}, [], 0
    for name, t in tensors.items():
        blob = t.contiguous().numpy().tobytes()
        header[name] = {"dtype": {torch.float32: "F32", torch.float16: "F16", torch.int64: "I64"}[t.dtype],
                        "shape": list(t.shape), "data_offsets": [end, end + len(blob)]}
        blobs.append(blob); end += len(blob)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))


def random_weights(c, dtype):
    d, ffn, w = c["hidden_size"], c["intermediate_size"], {}
    def add(name, *shape, mean=0.0): w[name] = (mean + 0.3 * torch.randn(*shape)).to(dtype)
    def norm(name): add(name + ".LayerNorm.weight", d, mean=1.0); add(name + ".LayerNorm.bias", d)
    def dense(name, n_in, n_out): add(name + ".weight", n_out, n_in); add(name + ".bias", n_out)
    add("embeddings.word_embeddings.weight", c["vocab_size"], d)
    add("embeddings.position_embeddings.weight", c["max_position_embeddings"], d)
    add("embeddings.token_type_embeddings.weight", c["type_vocab_size"], d)
    norm("embeddings")
    for i in range(c["num_hidden_layers"]):
        p = f"encoder.layer.{i}."
        for part in ("query", "key", "value"): dense(p + "attention.self." + part, d, d)
        dense(p + "attention.output.dense", d, d); norm(p + "attention.output")
        dense(p + "intermediate.dense", d, ffn); dense(p + "output.dense", ffn, d); norm(p + "output")
    return w


def forward(c, w, ids, mask, halves=False):
    """halves: queries and keys are each divided by the fourth root of the head's width, as PyTorch 2 exports it."""
    d, heads = c["hidden_size"], c["num_attention_heads"]
    def norm(x, name): return F.layer_norm(x, (d,), w[name + ".LayerNorm.weight"], w[name + ".LayerNorm.bias"], c["layer_norm_eps"])
    def dense(x, name): return x @ w[name + ".weight"].T + w[name + ".bias"]
    if c["model_type"] == "bert":
        positions = torch.arange(ids.size(1)).expand_as(ids)
    else:  # Liu et al. (2019), fairseq: counted from the padding's number + 1, padding stays there
        real = (ids != c["pad_token_id"]).long()
        positions = torch.cumsum(real, 1) * real + c["pad_token_id"]
    x = w["embeddings.word_embeddings.weight"][ids] + w["embeddings.position_embeddings.weight"][positions] \
        + w["embeddings.token_type_embeddings.weight"][0]
    x = norm(x, "embeddings")
    act = {"gelu": lambda y: 0.5 * y * (1 + torch.erf(y / math.sqrt(2))),
           "gelu_new": lambda y: 0.5 * y * (1 + torch.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y ** 3))),
           "relu": torch.relu}[c["hidden_act"]]
    hidden = (1 - mask[:, None, None, :].to(x.dtype)) * -1e30
    for i in range(c["num_hidden_layers"]):
        p = f"encoder.layer.{i}."
        def split(part): return dense(x, p + "attention.self." + part).view(*ids.shape, heads, d // heads).transpose(1, 2)
        q, k, v = split("query"), split("key"), split("value")
        root = math.sqrt(d // heads)
        scores = (q * root ** -0.5) @ (k * root ** -0.5).transpose(2, 3) if halves else q @ k.transpose(2, 3) / root
        shares = torch.softmax(scores + hidden, -1)
        mixed = (shares @ v).transpose(1, 2).reshape(*ids.shape, d)
        x = norm(dense(mixed, p + "attention.output.dense") + x, p + "attention.output")
        x = norm(dense(act(dense(x, p + "intermediate.dense")), p + "output.dense") + x, p + "output")
    return x


def byte_letters():  # Radford et al. (2019): every byte as a printable letter
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    letters, extra = {}, 0
    for b in range(256):
        if b in kept: letters[b] = chr(b)
        else: letters[b] = chr(256 + extra); extra += 1
    return letters


def bpe(word, ranks):
    parts = list(word)
    while len(parts) > 1:
        pairs = [(ranks.get((a, b), 1e9), i) for i, (a, b) in enumerate(zip(parts, parts[1:]))]
        best, _ = min(pairs)
        if best == 1e9: break
        pair = next(p for p, r in ranks.items() if r == best)
        merged, i = [], 0
        while i < len(parts):
            if i + 1 < len(parts) and (parts[i], parts[i + 1]) == pair: merged.append(parts[i] + parts[i + 1]); i += 2
            else: merged.append(parts[i]); i += 1
        parts = merged
    return parts


def write(folder, config, shards, extra, phrases, tokens):
    path = os.path.join(OUT, folder); os.makedirs(path, exist_ok=True)
    weights = {k: v for shard in shards.values() for k, v in shard.items()}
    n = max(map(len, tokens))
    pad = config["pad_token_id"]
    ids = torch.tensor([t + [pad] * (n - len(t)) for t in tokens])
    mask = torch.tensor([[1] * len(t) + [0] * (n - len(t)) for t in tokens])
    prefix = config.pop("_prefix")
    rename = config.pop("_rename")
    states = forward(config, {k: v.double() for k, v in weights.items()}, ids, mask)
    m = mask[:, :, None].double()
    pooled = (states * m).sum(1) / m.sum(1)
    expected = {"phrases": phrases, "ids": tokens, "pooled": [[round(v, 8) for v in row] for row in pooled.tolist()],
                "first_row_states": [[round(v, 8) for v in row] for row in states[0, :len(tokens[0])].tolist()]}
    stored = {file: {prefix + rename(k): v for k, v in shard.items()} for file, shard in shards.items()}
    stored[next(iter(stored))].update(extra)
    for file, shard in stored.items(): save_safetensors(os.path.join(path, file), shard)
    if len(stored) > 1:
        index = {"metadata": {"total_size": sum(v.numel() * v.element_size() for s in stored.values() for v in s.values())},
                 "weight_map": {k: file for file, shard in stored.items() for k in shard}}
        json.dump(index, open(os.path.join(path, "model.safetensors.index.json"), "w"), indent=1)
    json.dump(config, open(os.path.join(path, "config.json"), "w"), indent=1)
    json.dump(expected, open(os.path.join(path, "expected.json"), "w"))
    return path


class Exported(torch.nn.Module):
    def __init__(s, config, weights):
        super().__init__()
        s.config, s.names = config, list(weights)
        s.values = torch.nn.ParameterList([torch.nn.Parameter(v) for v in weights.values()])
    def forward(s, ids, mask): return forward(s.config, dict(zip(s.names, s.values)), ids, mask, halves=True)


# --- RoBERTa: byte-level BPE from vocab.json and merges.txt, one file, prefix "roberta." --------------------
letters = byte_letters()
corpus = "the new york times of the pearl island and the bank of pearl".split()
words = [("".join(letters[b] for b in w.encode()), letters[32] + "".join(letters[b] for b in w.encode())) for w in corpus]
merges = []
pieces = [list(w) for pair in words for w in pair]
for _ in range(30):
    counts = {}
    for p in pieces:
        for pair in zip(p, p[1:]): counts[pair] = counts.get(pair, 0) + 1
    best = max(sorted(counts), key=lambda pair: counts[pair]) if counts else None
    if best is None or counts[best] < 2: break
    merges.append(best)
    pieces = [bpe(list("".join(p)), {m: i for i, m in enumerate(merges)}) for p in pieces]
vocab = ["<s>", "<pad>", "</s>", "<unk>"] + [letters[b] for b in range(256)] + [a + b for a, b in merges] + ["<mask>"]
numbers = {t: i for i, t in enumerate(vocab)}
ranks = {m: i for i, m in enumerate(merges)}
split = re.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?[^\W\d_]+| ?\d+| ?[^\s\w]+|\s+(?!\S)|\s+")
def roberta_ids(text):
    ids = [numbers["<s>"]]
    for word in split.findall(text):
        ids += [numbers[p] for p in bpe("".join(letters[b] for b in word.encode()), ranks)]
    return ids + [numbers["</s>"]]
phrases = ["the New York Times", "Zürich", "pearl's bank, 42 of the island", "日本 and the pearl", "x"]
config = dict(model_type="roberta", architectures=["RobertaForMaskedLM"], vocab_size=len(vocab), hidden_size=16, num_hidden_layers=2,
              num_attention_heads=2, intermediate_size=28, max_position_embeddings=40, type_vocab_size=1, layer_norm_eps=1e-5,
              hidden_act="gelu", pad_token_id=1, bos_token_id=0, eos_token_id=2, position_embedding_type="absolute",
              _prefix="roberta.", _rename=lambda k: k)
weights = random_weights(config, torch.float32)
extra = {"roberta.embeddings.position_ids": torch.arange(40)[None], "lm_head.bias": torch.zeros(4)}
path = write("roberta", config, {"model.safetensors": weights}, extra, phrases, [roberta_ids(p) for p in phrases])
# The same model as PyTorch's exporter writes it, for `pearl export`: anonymous, turned weights, dynamic shapes.
ids = torch.tensor([roberta_ids("the pearl")])
torch.onnx.export(Exported(config, weights), (ids, torch.ones_like(ids)), os.path.join(path, "exported.onnx"), opset_version=14,
                  do_constant_folding=True, input_names=["input_ids", "attention_mask"], output_names=["last_hidden_state"],
                  dynamic_axes={k: {0: "batch_size", 1: "sequence_length"} for k in ("input_ids", "attention_mask", "last_hidden_state")})
json.dump(numbers, open(os.path.join(path, "vocab.json"), "w"), ensure_ascii=False)
open(os.path.join(path, "merges.txt"), "w").write("#version: 0.2\n" + "".join(f"{a} {b}\n" for a, b in merges))

# --- BERT: float16, in two files, names as converted from TensorFlow, GELU by tanh, vocab.txt ---------------
words = "[PAD] [UNK] [CLS] [SEP] [MASK] the new york times of pearl bank zurich ##s ##es un ##like ##ly . , ' a b c ##x".split()
phrases = ["The New York Times", "Zürich", "unlikely banks, of pearls.", "what", "pearl's bank"]
by_hand = [["the", "new", "york", "times"], ["zurich"], ["un", "##like", "##ly", "bank", "##s", ",", "of", "pearl", "##s", "."], ["[UNK]"],
           ["pearl", "'", "[UNK]", "bank"]]
ids = [[words.index(t) for t in ["[CLS]", *tokens, "[SEP]"]] for tokens in by_hand]
config = dict(model_type="bert", architectures=["BertForPreTraining"], vocab_size=len(words), hidden_size=48, num_hidden_layers=3,
              num_attention_heads=6, intermediate_size=72, max_position_embeddings=24, type_vocab_size=2, layer_norm_eps=1e-12,
              hidden_act="gelu_new", pad_token_id=0, torch_dtype="float16", _prefix="bert.",
              _rename=lambda k: k.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta"))
weights = random_weights(config, torch.float16)
names = list(weights)
half = names.index("encoder.layer.1.attention.self.query.weight")
shards = {"model-00001-of-00002.safetensors": {k: weights[k] for k in names[:half]},
          "model-00002-of-00002.safetensors": {k: weights[k] for k in names[half:]}}
path = write("bert", config, shards, {"bert.pooler.dense.bias": torch.zeros(48)}, phrases, ids)
open(os.path.join(path, "vocab.txt"), "w").write("".join(w + "\n" for w in words))
