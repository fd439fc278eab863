/** SOPs as texts in, an index of them made with the word embedder out: what the tests of the index share. */

import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { buildSopIndex, type BuildOptions, type BuildReport } from '../../src/labsage/buildIndex.js';
import type { Preset } from '../../src/labsage/index/indexFormat.js';
import { listSopFiles } from '../../src/labsage/documents/sopFiles.js';
import { chunkingOf } from '../../src/labsage/units.js';
import { writeFiles } from '../temporaryFolder.js';
import { wordEmbedder, type WordEmbedder } from '../wordEmbedder.js';

export interface TestBuild {
  readonly report: BuildReport;
  readonly embedder: WordEmbedder;
}

export function buildOptions(
  folder: string,
  options: { embedder?: WordEmbedder; preset?: Preset; producer?: string } = {},
): BuildOptions & { embedder: WordEmbedder } {
  const embedder = options.embedder ?? wordEmbedder();
  return {
    folder,
    chunking: chunkingOf(options.preset ?? 'labsage', options.producer ?? 'test'),
    fingerprint: embedder.fingerprint,
    openEmbedder: () => Promise.resolve(embedder),
    embedder,
  };
}

/** Indexes what lies in `sops`. */
export async function build(
  sops: string,
  folder: string,
  options: Parameters<typeof buildOptions>[1] = {},
): Promise<TestBuild> {
  const { embedder, ...rest } = buildOptions(folder, options);
  const { files } = await listSopFiles([sops], '/');
  return { report: await buildSopIndex(files, rest), embedder };
}

/** Every file of the index folder but the lock's, by name. */
export async function bytesOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder)).sort();
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => [name, (await readFile(join(folder, name))).toString('latin1')] as const),
    ),
  );
}

export function sop(number: string, sections: Readonly<Record<string, string>>): string {
  const body = Object.entries(sections).map(([heading, words]) => `## ${heading}\n\n${words}\n`);
  return `# ${number} Plasma Test\n\nDocument number: ${number}\n\n${body.join('\n')}`;
}

export const CORPUS = {
  'chemistry/ch-001.md': sop('CH-001', {
    Purpose: 'To measure potassium in plasma.',
    Specimen: 'Spin 8 min at 1500 g. Reject hemolyzed specimens.',
    Safety: 'Wear gloves.',
  }),
  'chemistry/ch-002.md': sop('CH-002', { Purpose: 'To measure sodium in plasma.', Safety: 'Wear gloves.' }),
  'he-003.txt':
    'HE-003 APTT\n\n1. PURPOSE\n\nTo time the clot with Rotor C.\n\n2. SAFETY\n\nWear gloves and goggles.\n',
};

export function writeCorpus(folder: string): Promise<string> {
  return writeFiles(join(folder, 'sops'), CORPUS);
}
