/** `clirag export`: patients of the store → chunks as JSON lines and their vectors as .npy, for Python and others. */

import { resolve } from 'node:path';
import { DEFAULT_EMBEDDER } from '../../core/config.js';
import { ExitCode } from '../../core/errors.js';
import { nameEmbedder } from '../../core/models/provenEmbedder.js';
import type { CommandContext } from '../../core/program.js';
import { loadTokenCounter } from '../../core/tokenCounter.js';
import { readPatientList } from '../cohort/cohortList.js';
import { CHUNKS_FILE, VECTORS_FILE, exportChunks } from '../export/exportChunks.js';
import { openServer, openStore, type StoreFlags } from './openStore.js';

export interface ExportFlags extends StoreFlags {
  readonly out: string;
  readonly patients?: string;
  readonly embedder?: string;
  readonly threads?: number;
  readonly json?: boolean;
}

export async function exportCommand(
  _args: readonly string[],
  flags: ExportFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const store = await openStore(flags, io);
  const patients =
    flags.patients !== undefined
      ? await readPatientList(flags.patients, io.cwd)
      : flags.patient !== undefined
        ? [flags.patient]
        : (await store.patients()).map(({ id }) => id);
  const named = await nameEmbedder(flags.embedder ?? DEFAULT_EMBEDDER, {
    env: io.env,
    threads: flags.threads,
  });
  const progress = output.progress('Exporting patient', patients.length);
  try {
    const result = await exportChunks(store, {
      patients,
      folder: resolve(io.cwd, flags.out),
      fingerprint: named.fingerprint,
      openEmbedder: () => named.open(),
      server: await openServer(flags, { io, fingerprint: named.fingerprint }),
      countTokens: await loadTokenCounter(),
      signal: io.signal,
      onProgress: (done, total) => progress.update(done, total),
    });
    if (flags.json === true) output.printJson({ out: flags.out, embedder: named.fingerprint, ...result });
    else
      output.print(
        `${result.chunks} chunks of ${result.patients} patients in ${flags.out}/${CHUNKS_FILE}, their vectors of ${result.dims} numbers in ${flags.out}/${VECTORS_FILE}; row and line of the same number belong together.`,
      );
    return ExitCode.done;
  } finally {
    progress.stop();
    await named.close();
  }
}
