/** A folder of SOPs in; the texts that `index` embeds of them, out. */

import { readFile } from 'node:fs/promises';
import { loadTokenCounter, SPECIAL_TOKENS } from '../src/core/tokenCounter.js';
import { packageVersion } from '../src/core/version.js';
import { readDocument } from '../src/labsage/document.js';
import { listSopFiles } from '../src/labsage/documents/sopFiles.js';
import { chunkingOf, cutDocument, type CutDocument } from '../src/labsage/units.js';

/** The first `count` search units. */
export async function unitTexts(sops: string, count: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const cut of cutDocuments(sops)) {
    texts.push(...cut.units.map(({ embedText }) => embedText));
    if (texts.length >= count) break;
  }
  return texts.slice(0, count);
}

/** All that `index` embeds, each once: units and last headings. */
export async function corpusTexts(sops: string): Promise<{ texts: string[]; tokens: number }> {
  const distinct = new Set<string>();
  for await (const { units } of cutDocuments(sops)) {
    for (const { embedText, headingPath } of units) {
      distinct.add(embedText);
      distinct.add(headingPath.at(-1) ?? embedText);
    }
  }
  const texts = [...distinct];
  const countTokens = await loadTokenCounter();
  const tokens = texts.reduce((sum, text) => sum + countTokens(text) + SPECIAL_TOKENS, 0);
  return { texts, tokens };
}

async function* cutDocuments(sops: string): AsyncGenerator<CutDocument> {
  const { files } = await listSopFiles([sops], process.cwd());
  for (const { file, path } of files) {
    yield await cutDocument(
      await readDocument(await readFile(file), { path }),
      chunkingOf('labsage', packageVersion()),
    );
  }
}
