"""PyTorch's side of train-speed.mjs: a BERT trained with NT-Xent and Adam. Reads a batch index per line and
answers with the seconds of a step as JSON.

    OMP_WAIT_POLICY=PASSIVE python3 train-speed-torch.py SETTINGS.json
"""
import json, pathlib, sys, time

import torch

sys.path.insert(0, str(pathlib.Path(__file__).parent / "gpu"))
from torch_bert import Encoder, nt_xent, padded

settings = json.load(open(sys.argv[1]))
torch.set_num_threads(settings["threads"])
torch.manual_seed(1)
model = Encoder(settings["shape"], types=0)
optimiser = torch.optim.Adam(model.parameters(), lr=1e-5)
print(json.dumps({"version": torch.__version__, "weights": sum(p.numel() for p in model.parameters())}), flush=True)
for line in sys.stdin:
    ids, mask = padded("cpu", settings["tokens"][int(line)])
    start, busy = time.perf_counter(), time.process_time()
    loss = nt_xent(model(ids, mask))
    optimiser.zero_grad(set_to_none=True)
    loss.backward()
    optimiser.step()
    took = {"seconds": time.perf_counter() - start, "processor": time.process_time() - busy}
    print(json.dumps({**took, "loss": loss.item()}), flush=True)
