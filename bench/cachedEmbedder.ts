/** An embedder → the same, with every vector kept in a file, so that a comparison is not paid for twice. */

import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openVectorCheckpoint } from '../src/core/store/vectorCheckpoint.js';
import { createPrivateFolder } from '../src/core/store/atomicFiles.js';
import type { Embedder } from '../src/core/types.js';

export async function cachedEmbedder(embedder: Embedder): Promise<Embedder> {
  const folder = join(tmpdir(), 'labsage-bench');
  await createPrivateFolder(folder);
  const { fingerprint } = embedder;
  const key = hash(JSON.stringify(fingerprint)).slice(0, 16);
  const checkpoint = await openVectorCheckpoint(folder, { key, dims: fingerprint.dims });
  const known = new Map(checkpoint.vectors);
  return {
    fingerprint,
    async embed(texts, role) {
      const keys = texts.map((text) => hash(`${role}\n${text}`).slice(0, 32));
      const missing = [
        ...new Map(
          texts.map((text, at) => [keys[at] ?? '', text]).filter(([id]) => !known.has(id ?? '')) as [
            string,
            string,
          ][],
        ),
      ];
      for (let from = 0; from < missing.length; from += 64) {
        const batch = missing.slice(from, from + 64);
        const vectors = await embedder.embed(
          batch.map(([, text]) => text),
          role,
        );
        const entries = batch.flatMap(([id], at) => {
          const vector = vectors[at];
          return vector === undefined ? [] : [{ hash: id, vector }];
        });
        for (const entry of entries) known.set(entry.hash, entry.vector);
        await checkpoint.append(entries);
      }
      return keys.map((id) => known.get(id) ?? new Float32Array(fingerprint.dims));
    },
    async close() {
      await checkpoint.close();
      await embedder.close();
    },
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
