"""PyTorch's side of the GPU benchmark: the same shapes, token ids and batches as measure.mjs, on CUDA where there is one.

    python3 torch-side.py WORK SECONDS

Reads WORK/torch-task.json and appends lines to WORK/results.jsonl. Encoding sorts by length, pads each batch to its
longest and starts from token ids; training pads to the longest, as PEARL's code does. Precisions: fp32 (TF32 off, as
WebGPU computes), tf32 (what CUDA's provider of ONNX Runtime uses), fp16 (autocast in training).
"""
import contextlib, json, sys, time

import torch
import torch.nn.functional as F

from torch_bert import Encoder, nt_xent, padded

work, limit = sys.argv[1], float(sys.argv[2])
task = json.load(open(f"{work}/torch-task.json"))
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
started = time.perf_counter()
has_time = lambda: time.perf_counter() - started < 0.8 * limit


def record(kind, **row):
    line = json.dumps({"kind": kind, "device": f"torch {device.type}", **row})
    print(line, file=sys.stderr)
    with open(f"{work}/results.jsonl", "a") as file:
        file.write(line + "\n")


def set_tf32(precision):
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def wait():
    if device.type == "cuda":
        torch.cuda.synchronize()


def timed(run, least, most, seconds):
    run()
    wait()
    times, begin = [], time.perf_counter()
    while len(times) < least or (len(times) < most and time.perf_counter() - begin < seconds):
        start = time.perf_counter()
        run()
        wait()
        times.append(time.perf_counter() - start)
    times.sort()
    return {"seconds": times[len(times) // 2], "leastSeconds": times[0], "runs": len(times)}


def encode(model, rows, batch):
    order = sorted(range(len(rows)), key=lambda row: -len(rows[row]))
    parts = []
    with torch.no_grad():
        for first in range(0, len(rows), batch):
            ids, mask = padded(device, [rows[row] for row in order[first : first + batch]])
            parts.append(F.normalize(model(ids, mask).float(), dim=1).cpu())
    vectors = torch.empty(len(rows), parts[0].shape[1])
    vectors[torch.tensor(order)] = torch.cat(parts)
    return vectors


def loss_of(model, embeddings, types):
    loss = nt_xent(embeddings.float())
    if types is None:
        return loss
    rows, labels = types
    return loss + 2 * F.cross_entropy(model.head(embeddings[rows]).float(), labels)


def types_of(batch):
    types = batch["types"]
    known = [row for row, label in enumerate(types) if label >= 0]
    if not known:
        return None
    rows = known + [row + len(types) for row in known]
    labels = [types[row] for row in known] * 2
    return torch.tensor(rows, device=device), torch.tensor(labels, device=device)


def step(model, optimiser, batch, chunk):
    """Forward, backward and Adam; `chunk` rows at a time with a gradient cache (Gao et al., 2021), None: in one pass."""
    types, rows = types_of(batch), batch["rows"]
    optimiser.zero_grad(set_to_none=True)
    if chunk is None:
        loss = loss_of(model, model(*padded(device, rows)), types)
        loss.backward()
    else:
        parts = [padded(device, rows[first : first + chunk]) for first in range(0, len(rows), chunk)]
        with torch.no_grad():
            embeddings = torch.cat([model(*part) for part in parts])
        embeddings.requires_grad_()
        loss = loss_of(model, embeddings, types)
        loss.backward()
        for part, gradient in zip(parts, embeddings.grad.split(chunk)):
            model(*part).backward(gradient)
    optimiser.step()
    return loss.item()


def measure_encoding(shape, precision):
    set_tf32(precision)
    model = Encoder(task["shapes"][shape], task["train"]["types"]).to(device).eval()
    if precision == "fp16":
        model = model.half()
    sizes = task["encode"]
    for lengths, rows in task["lengths"].items():
        calls = [(batch, sizes["phrases"]) for batch in sizes["batches"]]
        for batch, phrases in [(sizes["batches"][0], sizes["batches"][0]), *calls]:
            facts = {"shape": shape, "precision": precision, "lengths": lengths, "batch": batch, "phrases": phrases}
            if has_time():
                record("encode", **facts, **timed(lambda: encode(model, rows[:phrases], batch), 2, 20, 0.5))


def measure_training(shape, kind, precision, chunk=None):
    set_tf32(precision)
    model = Encoder(task["shapes"][shape], task["train"]["types"]).to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-5)
    batches, count = task["trainings"][kind], [0]

    def run():
        batch = batches[count[0] % len(batches)]
        count[0] += 1
        with torch.autocast("cuda", torch.float16) if precision == "fp16" else contextlib.nullcontext():
            step(model, optimiser, batch, chunk)

    for _ in batches[1:]:
        run()
    way = "one pass" if chunk is None else "gradient cache"
    facts = {"shape": shape, "batch": kind, "precision": precision, "way": way, "rows": len(batches[0]["rows"])}
    record("train", **facts, **timed(run, len(batches), 3 * len(batches), 1.5))


on_gpu = device.type == "cuda"
record("torch", version=torch.__version__, name=torch.cuda.get_device_name() if on_gpu else "CPU")
# the first comparisons are those that the goals name
plan = [
    *[lambda s=s: measure_training("e5-small", s, "fp32") for s in ["fixed", "real", "pearl"]],
    lambda: measure_encoding("e5-small", "fp32"),
    lambda: measure_training("e5-small", "cache", "fp32", task["train"]["cells"] // 8),
    lambda: measure_training("e5-small", "cache", "fp32"),
    lambda: measure_encoding("bert-base", "fp32"),
    *[lambda s=s: measure_training("bert-base", s, "fp32") for s in ["fixed", "pearl"]],
]
if on_gpu:
    plan += [
        *[lambda s=s: measure_encoding(s, "fp16") for s in ["e5-small", "bert-base"]],
        *[lambda p=p: measure_training("e5-small", "fixed", p) for p in ["tf32", "fp16"]],
        lambda: measure_encoding("e5-small", "tf32"),
    ]

for item in plan:
    if not has_time():
        record("torch", skipped="out of time")
        break
    try:
        item()
    except Exception as error:
        record("torch", failed=str(error).split("\n")[0])
if on_gpu:
    record("memory", phase="torch", gpuMegabytesPeak=round(torch.cuda.max_memory_reserved() / 2**20))
