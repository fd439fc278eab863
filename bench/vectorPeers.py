"""A file of float32 rows -> times of numpy's dot product and of Chroma's persistent client, as one line of JSON.

usage: vectorPeers.py ROWS.f32 DIMS FOLDER [--chroma]   (numpy on one thread: OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1)
"""
import json
import os
import platform
import resource
import sys
import time

import numpy as np

path, dims, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
rows = np.fromfile(path, dtype=np.float32).reshape(-1, dims)
queries = rows[777::997][:20] * 0.9 + rows[5::997][:20] * 0.1
queries = np.ascontiguousarray(queries / np.linalg.norm(queries, axis=1, keepdims=True))
TOP = 2000


def times(work):
    wall, cpu = [], []
    for query in queries:
        start, used = time.perf_counter(), time.process_time()
        work(query)
        wall.append((time.perf_counter() - start) * 1000)
        cpu.append((time.process_time() - used) * 1000)
    return {"wallMs": float(np.median(wall)), "cpuMs": float(np.median(cpu))}


def best(query, top):
    scores = rows @ query
    first = np.argpartition(-scores, top)[:top]
    return first[np.argsort(-scores[first])]


found = {
    "python": platform.python_version(),
    "numpy": np.__version__,
    "dot": times(lambda query: rows @ query),
    "dotAndTop2000": times(lambda query: best(query, TOP)),
}
if "--chroma" in sys.argv:
    import chromadb

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    client = chromadb.PersistentClient(
        path=folder, settings=chromadb.config.Settings(anonymized_telemetry=False)
    )
    collection = client.create_collection("rows", configuration={"hnsw": {"space": "cosine"}})
    start = time.perf_counter()
    for at in range(0, len(rows), 2000):
        part = rows[at : at + 2000]
        collection.add(ids=[str(at + i) for i in range(len(part))], embeddings=part)
    added = time.perf_counter() - start
    hits = {top: [] for top in (10, TOP)}

    def ask(top):
        def work(query):
            reply = collection.query(query_embeddings=[query], n_results=top, include=["distances"])
            hits[top].append([int(one) for one in reply["ids"][0]])

        return work

    ask(10)(queries[0])
    hits[10].clear()
    asked = {top: times(ask(top)) for top in hits}
    recall = {
        top: float(
            np.mean([len(set(got) & set(best(q, top).tolist())) / top for got, q in zip(hits[top], queries)])
        )
        for top in hits
    }
    size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
    found["chroma"] = {
        "version": chromadb.__version__,
        "addSeconds": added,
        "query10": asked[10],
        "query2000": asked[TOP],
        "recall10": recall[10],
        "recall2000": recall[TOP],
        "bytes": size,
        "peakRssOverVectorsMb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024,
    }
print(json.dumps(found))
