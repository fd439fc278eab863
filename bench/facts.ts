/** `npm run bench -- facts minilm dev`: notes of synthetic charts → how many of their frozen facts they hold; for development charts also the misses. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AS_SUCH, countFacts, saidIn, states, type Fact, type Said } from '../src/clirag/evaluation/facts.js';
import { readQuestionSets } from '../src/clirag/retrieval/questionSets.js';
import { openQuestionVectors } from '../src/clirag/retrieval/questionVectors.js';
import { writeSoapNote } from '../src/clirag/soapNote.js';
import { findVisit } from '../src/clirag/visits.js';
import { packageRoot } from '../src/core/config.js';
import { nameEmbedder } from '../src/core/models/provenEmbedder.js';
import { loadTokenCounter } from '../src/core/tokenCounter.js';
import { readFacts, storeCharts } from './factCharts.js';

/**
 * `args`: embedder, split, `--misses` to print those of test charts too, `--show` to print every note, `--charts=FOLDER`
 * for a folder with other NOTEEVENTS.csv and facts.jsonl, then `name=value` of options (`denseWeight=0.5`).
 */
export async function benchFacts([
  embedder = 'minilm',
  split = 'dev',
  ...rest
]: readonly string[]): Promise<void> {
  const folderOption = rest.find((word) => word.startsWith('--charts='))?.slice('--charts='.length);
  const charts = folderOption === undefined ? join(packageRoot, 'corpora', 'charts') : resolve(folderOption);
  const tellMiss = split === 'test' && !rest.includes('--misses') ? silent : console.log;
  const facts = await readFacts(charts, split);
  const folder = process.env['CLIRAG_BENCH_STORE'] ?? (await mkdtemp(join(tmpdir(), 'clirag-facts-')));
  const named = await nameEmbedder(embedder, { env: process.env });
  try {
    const store = await storeCharts(charts, folder);
    const remembering = openQuestionVectors(folder, named);
    const options = {
      questions: await readQuestionSets(),
      fingerprint: named.fingerprint,
      openEmbedder: () => Promise.resolve(remembering),
      countTokens: await loadTokenCounter(),
      prior: 'generate' as const,
      ...Object.fromEntries(
        rest
          .filter((word) => word.includes('=') && !word.startsWith('--'))
          .map((word) => [word.split('=')[0], JSON.parse(word.split('=')[1] ?? '0') as unknown]),
      ),
    };
    const tally: Tally = {};
    const words: number[] = [];
    const verdicts: Record<string, number> = {};
    for (const patient of [...new Set(facts.map((fact) => fact.patient))]) {
      const chart = await store.openPatient(String(patient));
      const own = facts.filter((fact) => fact.patient === patient);
      for (const date of [...new Set(own.map(({ visit }) => visit))]) {
        const note = await writeSoapNote(chart, findVisit(chart.notes, date), options);
        words.push(note.words);
        for (const { verdict } of note.grounding.sentences) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
        for (const { verdict, reasons } of note.grounding.sentences)
          if (verdict !== 'supported') tellMiss(`${note.visitId} ${verdict}: ${reasons.join('; ')}`);
        if (rest.includes('--show')) console.log(`\n${patient} ${date} ${note.words} words\n${note.text}\n`);
        const said = saidIn(note);
        const asked = own.filter(({ visit }) => visit === date);
        const counts = countFacts(asked, said);
        const row = (tally[patient] ??= zero());
        for (const key of COUNTED) row[key] += counts[key];
        tellMisses(asked, { said, tellMiss });
      }
    }
    printTally(tally);
    console.log(
      `words ${Math.min(...words)} to ${Math.max(...words)}; grounding ${JSON.stringify(verdicts)}`,
    );
  } finally {
    await named.close();
    if (process.env['CLIRAG_BENCH_STORE'] === undefined) await rm(folder, { recursive: true, force: true });
  }
}

function silent(): void {
  // The failures of test charts stay unread.
}

function tellMisses(
  facts: readonly Fact[],
  { said, tellMiss }: { said: readonly Said[]; tellMiss: (line: string) => void },
): void {
  for (const fact of facts) {
    const hits = said.filter(({ text }) => states(text, fact));
    const bare = fact.kind === 'dated' ? hits.filter(({ text }) => !AS_SUCH.test(text)) : hits;
    if (fact.kind !== 'required') {
      const [first] = bare;
      const fault = fact.kind === 'forbidden' ? 'FORBIDDEN' : 'UNDATED';
      if (first !== undefined) tellMiss(`${fact.id} ${fault} ${fact.fact} << ${first.text}`);
    } else if (!hits.some(({ part }) => part === fact.section)) {
      const where = hits.length === 0 ? 'missing' : `in ${hits.map(({ part }) => part).join()}`;
      tellMiss(
        `${fact.id} ${fact.section} ${where}: ${fact.fact}${hits.map(({ text }) => ` << ${text}`).join('')}`,
      );
    }
  }
}

const COUNTED = ['required', 'found', 'right', 'stated', 'undated'] as const;
type Tally = Record<string, Record<(typeof COUNTED)[number], number>>;

function zero(): Tally[string] {
  return { required: 0, found: 0, right: 0, stated: 0, undated: 0 };
}

function printTally(tally: Tally): void {
  const all = zero();
  for (const [patient, row] of Object.entries(tally)) {
    const { stated, ...rest } = row;
    console.log(`${patient}: ${JSON.stringify({ ...rest, forbidden: stated })}`);
    for (const key of COUNTED) all[key] += row[key];
  }
  console.log(
    `required ${(all.found / all.required).toFixed(3)}, right section ${(all.right / all.found).toFixed(3)} of those, forbidden ${all.stated}, undated ${all.undated}`,
  );
}
