/** This machine and what is installed on it → what a record of a measurement says of both. */

import { createRequire } from 'node:module';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { packageVersion } from './version.js';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
}

export function describeMachine(): Machine {
  const [processor] = cpus();
  return {
    processor: processor?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${type()} ${release()} ${arch()}`,
  };
}

/** Of this package under the name of `program`, of Node, and of what computes the vectors. */
export async function describeVersions(program: string): Promise<Record<string, string>> {
  return {
    [program]: packageVersion(),
    node: process.versions.node,
    '@huggingface/transformers': await installedVersion('@huggingface/transformers'),
    'onnxruntime-node': await installedVersion('onnxruntime-node'),
  };
}

/** Looks for the package's own `package.json` above its entry, which `exports` may hide. */
async function installedVersion(name: string): Promise<string> {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    for (let depth = 0; depth < 6; depth++, folder = dirname(folder)) {
      const found = await readFile(join(folder, 'package.json'), 'utf8').catch(() => undefined);
      const card =
        found === undefined ? undefined : (JSON.parse(found) as { name?: string; version?: string });
      if (card?.name === name && card.version !== undefined) return card.version;
    }
  } catch {
    // Reported as unknown: a manifest is no reason to fail.
  }
  return 'unknown';
}
