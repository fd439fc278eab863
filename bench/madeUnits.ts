/** SOPs and a number → so many units of them, repeated under new ids, and an embedder that makes their vectors from hashes. */

import { readFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { packageRoot } from '../src/core/config.js';
import { sha256Hex } from '../src/core/text.js';
import type { Embedder } from '../src/core/types.js';
import { packageVersion } from '../src/core/version.js';
import { readDocument } from '../src/labsage/document.js';
import { listSopFiles } from '../src/labsage/documents/sopFiles.js';
import { chunkingOf, cutDocument, type CutDocument } from '../src/labsage/units.js';

export async function cutBundledSops(): Promise<CutDocument[]> {
  const { files } = await listSopFiles([join(packageRoot, 'corpora', 'sops')], packageRoot);
  const chunking = chunkingOf('labsage', packageVersion());
  return Promise.all(
    files.map(async ({ file, path }) =>
      cutDocument(await readDocument(await readFile(file), { path }), chunking),
    ),
  );
}

/** At least `count` units, whole documents; `edited` gives the last of them other words. */
export function repeatUnits(
  sops: readonly CutDocument[],
  count: number,
  options: { edited?: boolean } = {},
): CutDocument[] {
  const made: CutDocument[] = [];
  let units = 0;
  for (let copy = 0; units < count; copy++) {
    for (const sop of sops) {
      if (units >= count) break;
      made.push(renamed(sop, String(copy)));
      units += sop.units.length;
    }
  }
  const last = made.pop();
  if (last !== undefined)
    made.push(options.edited === true ? renamed(last, 'edited', last.document.id) : last);
  return made;
}

function renamed({ document, contexts, units }: CutDocument, mark: string, keep?: string): CutDocument {
  const id = keep ?? `${document.id}-${mark}`;
  const rename = (of: string): string => of.replace(document.id, id);
  return {
    document: {
      ...document,
      id,
      path: keep === undefined ? `${mark}/${document.path}` : document.path,
      sha256: sha256Hex(`${mark} ${document.sha256}`),
    },
    contexts: contexts.map((unit) => ({ ...unit, id: rename(unit.id), docId: id })),
    units: units.map((unit) => ({
      ...unit,
      id: rename(unit.id),
      contextId: rename(unit.contextId),
      embedText: `${unit.embedText}\n${mark}`,
    })),
  };
}

/** Unit vectors: texts that differ in their last line alone are near each other, as near-equal SOPs are. */
export function madeVector(text: string, dims: number): Float32Array {
  const lastLine = text.lastIndexOf('\n');
  const vector = new Float32Array(dims);
  for (const [part, weight] of [
    [text.slice(0, Math.max(0, lastLine)), 1],
    [text, 0.7],
  ] as const) {
    let state = createHash('sha256').update(part).digest().readUInt32LE(0);
    for (let dim = 0; dim < dims; dim++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      vector[dim] = (vector[dim] ?? 0) + weight * (state / 2 ** 32 - 0.5);
    }
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

export function madeEmbedder(dims: number): Embedder {
  return {
    fingerprint: {
      id: 'made',
      dims,
      pooling: 'mean',
      prefixes: { query: '', passage: '' },
      weightsSha256: sha256Hex('made'),
      maxTokens: 256,
    },
    embed: (texts) => Promise.resolve(texts.map((text) => madeVector(text, dims))),
    close: () => Promise.resolve(),
  };
}
