/** Environment → the folders and defaults that both commands use, resolved once. */

import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Paths {
  /** The package's own folder: `models/`, `corpora/`. */
  readonly packageRoot: string;
  /** Models that the user pulled or imported. */
  readonly models: string;
  /** Where the user's settings are. */
  readonly config: string;
  /** Marks such as "this machine computes that model right". */
  readonly state: string;
}

/** `LABSAGE_HOME` moves all that is the user's; otherwise the operating system's standard folders are used. */
export async function resolvePaths(env: Readonly<Record<string, string | undefined>>): Promise<Paths> {
  const home = env['LABSAGE_HOME'];
  if (home !== undefined && home !== '') {
    return { packageRoot, models: join(home, 'models'), config: home, state: join(home, 'state') };
  }
  const { default: envPaths } = await import('env-paths');
  const paths = envPaths('labsage', { suffix: '' });
  return {
    packageRoot,
    models: join(paths.data, 'models'),
    config: paths.config,
    state: join(paths.data, 'state'),
  };
}

const here = dirname(fileURLToPath(import.meta.url));

/** `dist/src/core` lies three folders below the package's root. */
export const packageRoot = join(here, '..', '..', '..');

export const DEFAULT_EMBEDDER = 'mpnet';
export const DEFAULT_SOP_INDEX = '.labsage';
