/** The model's runtime is told to keep its telemetry off: it leaves no device id, and nothing else, in the user's home. */

import { expect, test } from '@jest/globals';
import { readdirSync } from 'node:fs';
import { inTemporaryFolder } from '../temporaryFolder.js';
import { labsage } from './runBin.js';

test('embedding a text writes nothing into the home folder', async () => {
  await inTemporaryFolder(async (home) => {
    const env = { HOME: home, USERPROFILE: home, XDG_CACHE_HOME: `${home}/.cache` };
    const { code } = await labsage(['embed', 'ammonia on ice', '--embedder', 'minilm'], { cwd: home, env });
    expect(code).toBe(0);
    expect(readdirSync(home, { recursive: true })).toEqual([]);
  });
}, 60_000);
