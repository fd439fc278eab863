/** `npm run bench -- lists`: the bundled questions for documents → recall, precision, and what is taken for one wrongly. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../src/core/config.js';
import { recognizeCorpusQuestion } from '../src/labsage/lists/corpusQuestion.js';
import { evaluateLists, type ListQuestion } from '../src/labsage/evaluation/lists.js';
import { openSopIndex } from '../src/labsage/sopIndex.js';

/** The day for which the lists were written. */
const TODAY = '2026-11-30';

/** `args`: the folder of an index of `corpora/sops` (no vectors are read; any embedder will do). */
export async function benchLists([folder = '.labsage']: readonly string[]): Promise<void> {
  const index = await openSopIndex(folder);
  try {
    const { questions, recognized, recall, precision, results } = await evaluateLists(
      await readLines<ListQuestion>('lists.jsonl'),
      index,
      { today: TODAY },
    );
    for (const { id, query = '(control data)', missed, extra } of results) {
      if (missed.length + extra.length > 0)
        console.log(
          `${id}  ${query}  missed: ${missed.join(', ') || 'none'}  extra: ${extra.join(', ') || 'none'}`,
        );
    }
    console.log(
      `${recognized} of ${questions} recognised, recall ${recall.toFixed(3)}, precision ${precision.toFixed(3)}`,
    );
  } finally {
    await index.close();
  }
  for (const file of ['questions.jsonl', 'unanswerable.jsonl']) {
    const asked = await readLines<{ question: string }>(file);
    const taken = asked.filter(
      ({ question }) => recognizeCorpusQuestion(question, { today: TODAY }) !== undefined,
    );
    console.log(`${file}: ${taken.length} of ${asked.length} taken for one`);
    taken.forEach(({ question }) => console.log(`  ${question}`));
  }
}

async function readLines<Line>(file: string): Promise<Line[]> {
  const text = await readFile(join(packageRoot, 'queries', 'sops', file), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}
