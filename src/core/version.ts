/** The package's version, read once. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from './config.js';

let version: string | undefined;

export function packageVersion(): string {
  version ??= (JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as { version: string })
    .version;
  return version;
}
