#!/usr/bin/env python3
"""Small MPNet, DistilBERT and ModernBERT models, with what transformers, sentence-transformers and PyTorch compute.

Usage:  python3 test/oracles/families.py        (torch 2.15, transformers 5.24, sentence-transformers 6.2; CPU, no network;
                                                 writes test/encoder/fixtures)

Weights come from a seed, with deviation 0.3 so that a wrong operator shows, and are stored in float16; vectors are
computed in float32 on the weights as stored. `norms` are those of the gradients of mean(pooled * direction), where
direction is cos(0), cos(1), ... over all pooled numbers. DistilBERT is a whole folder of sentence-transformers with a
Dense module; `poolings` has its token vectors pooled in each way.
"""
import json, os, shutil, sys
import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Dense, Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import (DistilBertConfig, DistilBertModel, ModernBertConfig, ModernBertModel, MPNetConfig, MPNetModel,
                          PreTrainedTokenizerFast)

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "encoder", "fixtures")
words = "the new york times of pearl bank island a b c".split()
# distances up to 149: MPNet's last bucket begins at 128
phrases = ["the new york times", "pearl", "bank of the pearl island", " ".join(words[i * i % 11] for i in range(148))]
torch.manual_seed(20261130)
torch.set_num_threads(1)


def tokenizer(special):
    vocab = {t: i for i, t in enumerate([*special, "<unk>", *words])}
    t = Tokenizer(models.WordLevel(vocab, unk_token="<unk>"))
    t.normalizer = normalizers.Lowercase()
    t.pre_tokenizer = pre_tokenizers.Whitespace()
    cls, pad, sep = special
    t.post_processor = processors.TemplateProcessing(
        single=f"{cls} $A {sep}", pair=f"{cls} $A {sep} $B {sep}", special_tokens=[(x, vocab[x]) for x in (cls, sep)])
    return PreTrainedTokenizerFast(tokenizer_object=t, unk_token="<unk>", cls_token=cls, sep_token=sep, pad_token=pad,
                                   bos_token=cls, eos_token=sep, model_max_length=160)


def randomise(model):
    with torch.no_grad():
        for name, p in model.named_parameters():
            mean = 1.0 if "norm" in name.lower() and name.endswith("weight") else 0.0
            p.copy_((mean + 0.3 * torch.randn(p.shape)).half().float())
    return model.eval()


def rounded(rows): return [[round(float(x), 7) for x in row] for row in rows]


def write(folder, model, tok, prefix):
    path = os.path.join(OUT, folder)
    shutil.rmtree(path, ignore_errors=True); os.makedirs(path)
    t = tok(phrases, padding=True, return_tensors="pt")
    ids, mask = t["input_ids"], t["attention_mask"]
    m = mask[:, :, None].float()
    pooled = (model(input_ids=ids, attention_mask=mask).last_hidden_state * m).sum(1) / m.sum(1)
    (pooled * torch.cos(torch.arange(pooled.numel())).view(pooled.shape)).mean().backward()
    norms = {n: float(f"{p.grad.norm().item():.7g}") for n, p in model.named_parameters()}
    model.config.save_pretrained(path)
    tok.save_pretrained(path)
    save_file({prefix + n: p.detach().half().contiguous() for n, p in model.named_parameters()},
              os.path.join(path, "model.safetensors"), {"format": "pt"})
    expected = {"phrases": phrases, "ids": [r[: int(k.sum())].tolist() for r, k in zip(ids, mask)], "pooled": rounded(pooled), "norms": norms}
    return path, expected


def done(path, expected):
    for extra in ("special_tokens_map.json",):
        if os.path.exists(os.path.join(path, extra)): os.remove(os.path.join(path, extra))
    json.dump(expected, open(os.path.join(path, "expected.json"), "w"))


tok = tokenizer(["<s>", "<pad>", "</s>"])
shape = dict(vocab_size=len(tok), pad_token_id=1, bos_token_id=0, eos_token_id=2, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
config = MPNetConfig(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24, max_position_embeddings=162,
                     layer_norm_eps=1e-5, **shape)
done(*write("mpnet", randomise(MPNetModel(config, add_pooling_layer=False)), tok, "mpnet."))

# layers 0 and 3 see all tokens, the others three to each side; neither theta is the default
tok = tokenizer(["[CLS]", "[PAD]", "[SEP]"])
ropes = {"full_attention": {"rope_type": "default", "rope_theta": 5000.0}, "sliding_attention": {"rope_type": "default", "rope_theta": 100.0}}
config = ModernBertConfig(rope_parameters=ropes, vocab_size=len(tok), hidden_size=16, num_hidden_layers=4, num_attention_heads=2, intermediate_size=20,
                          max_position_embeddings=160, local_attention=6, attn_implementation="eager", pad_token_id=1, bos_token_id=0, eos_token_id=2,
                          cls_token_id=0, sep_token_id=2)
done(*write("modernbert", randomise(ModernBertModel(config)), tok, "model."))

config = DistilBertConfig(vocab_size=len(tok), dim=16, n_layers=2, n_heads=4, hidden_dim=20, max_position_embeddings=160, pad_token_id=1,
                          dropout=0.0, attention_dropout=0.0)
model = randomise(DistilBertModel(config))
path, expected = write("distilbert", model, tok, "distilbert.")
plain = os.path.join(path, "plain"); model.save_pretrained(plain); tok.save_pretrained(plain)
transformer = Transformer(plain, max_seq_length=160)
expected["poolings"] = {}
for mode in Pooling.POOLING_MODES:
    one = SentenceTransformer(modules=[transformer, Pooling(16, pooling_mode=mode)], device="cpu")
    expected["poolings"][mode] = rounded(one.encode(phrases))
dense = randomise(Dense(16, 8, activation_function=torch.nn.Tanh()))
whole = SentenceTransformer(modules=[transformer, Pooling(16, pooling_mode="mean"), dense, Normalize()], device="cpu",
                            prompts={"query": "a b ", "document": ""}, default_prompt_name=None)
expected["dense"] = rounded(whole.encode(phrases))
expected["query"] = rounded(whole.encode(phrases, prompt_name="query"))
shutil.rmtree(plain)
saved = os.path.join(path, "saved"); whole.save(saved, create_model_card=False)
for name in ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json", "1_Pooling", "2_Dense"):
    if os.path.exists(os.path.join(saved, name)): shutil.move(os.path.join(saved, name), os.path.join(path, name))
shutil.rmtree(saved)
done(path, expected)
