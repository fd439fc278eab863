"""Texts in (first line of stdin: JSON {model, texts, threads}); per further line `run` the milliseconds that
sentence-transformers takes to embed them, and for `vectors` their fp32 unit vectors, out, one JSON line each."""

import json
import sys
import time

first = json.loads(sys.stdin.readline())

import torch  # noqa: E402
from sentence_transformers import SentenceTransformer, __version__  # noqa: E402

torch.set_num_threads(first["threads"])
model = SentenceTransformer(first["model"], device="cpu")


def embed():
    return model.encode(first["texts"], batch_size=32, normalize_embeddings=True, show_progress_bar=False)


def say(value):
    print(json.dumps(value), flush=True)


embed()
say({"versions": {"sentence-transformers": __version__, "torch": torch.__version__}})
for line in sys.stdin:
    if line.strip() == "vectors":
        say(embed().tolist())
        continue
    start = time.perf_counter()
    embed()
    say((time.perf_counter() - start) * 1000)
