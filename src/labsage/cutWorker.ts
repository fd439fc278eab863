/** Worker thread: SOP files in, each read and cut into units, or why it was left out. */

import { parentPort, workerData } from 'node:worker_threads';
import { readDocument } from './document.js';
import { readSopFile, skipReason, type Skipped, type SopFile } from './documents/sopFiles.js';
import type { Chunking } from './index/indexFormat.js';
import { cutDocument, withDocumentId, type CutDocument } from './units.js';

export interface CutWorkerData {
  readonly chunking: Chunking;
}

export type CutReply = CutDocument | Skipped;

const { chunking } = workerData as CutWorkerData;

parentPort?.on('message', (file: SopFile) => {
  void cut(file).then((reply) => parentPort?.postMessage(reply));
});

async function cut({ file, path, id }: SopFile): Promise<CutReply> {
  try {
    const read = await readDocument(await readSopFile(file), { path });
    return await cutDocument(withDocumentId(read, id), chunking);
  } catch (error) {
    return { path, reason: skipReason(path, error) };
  }
}
