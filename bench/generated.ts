/** `npm run bench -- generated transformers:FOLDER [questions=8] [visits=3] [replyTokens=200] [window=3200]`: what a language model says of SOPs and charts → how much of it is supported, before and after grounding. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countFacts, saidIn, type Fact } from '../src/clirag/evaluation/facts.js';
import type { SoapNote } from '../src/clirag/note/noteRecord.js';
import { readQuestionSets } from '../src/clirag/retrieval/questionSets.js';
import { openQuestionVectors } from '../src/clirag/retrieval/questionVectors.js';
import { writeSoapNote } from '../src/clirag/soapNote.js';
import { findVisit } from '../src/clirag/visits.js';
import { packageRoot } from '../src/core/config.js';
import { ToolError } from '../src/core/errors.js';
import { openLanguageModel } from '../src/core/generator.js';
import type { LanguageModel } from '../src/core/generator/chat.js';
import { groundText } from '../src/core/grounding.js';
import { blankCitations } from '../src/core/grounding/citations.js';
import { loadTokenCounter } from '../src/core/tokenCounter.js';
import type { Embedder, Grounding, Source } from '../src/core/types.js';
import { answerQuestion } from '../src/labsage/answer.js';
import { localDate } from '../src/labsage/documents/documentControl.js';
import { evidenceRecall, bareWords } from '../src/labsage/evaluation/containment.js';
import { writeAnswer } from '../src/labsage/writtenAnswer.js';
import { benchCorpora, openBenchEmbedder, withIndex } from './retrieval.js';
import { readFacts, storeCharts } from './factCharts.js';

/** Sections read for a question: few, for a model that reads slowly. */
const K = 1;

export async function benchGenerated([name = '', ...rest]: readonly string[]): Promise<void> {
  const option = (key: string, value: number): number =>
    Number(rest.find((word) => word.startsWith(`${key}=`))?.slice(key.length + 1) ?? value);
  const window = option('window', 3200);
  const replyTokens = option('replyTokens', 200);
  const own = openLanguageModel(name, { env: process.env, cwd: process.cwd(), timeoutMs: 3_600_000 });
  // Capped, so that a model that repeats itself without end costs no hours.
  const model: LanguageModel = {
    ...own,
    complete: (prompt) =>
      own.complete({ ...prompt, maxTokens: Math.min(replyTokens, prompt.maxTokens ?? replyTokens) }),
  };
  const embedder = await openBenchEmbedder('minilm');
  console.log(`${name}, replies of ${replyTokens} tokens at most, window ${window}, minilm`);
  try {
    await askSample({ model, embedder, window, count: option('questions', 8) });
    await writeSample({ model, embedder, window, count: option('visits', 3) });
  } finally {
    await embedder.close();
    await own.close?.();
  }
}

interface Sample {
  readonly model: LanguageModel;
  readonly embedder: Embedder;
  readonly window: number;
  readonly count: number;
}

/** Sentences by verdict; `inSources`: those that some source says, whatever the sentence cites. */
interface Counts {
  sentences: number;
  supported: number;
  uncited: number;
  'not-found': number;
  contradicted: number;
  inSources: number;
}

function noCounts(): Counts {
  return { sentences: 0, supported: 0, uncited: 0, 'not-found': 0, contradicted: 0, inSources: 0 };
}

function countSentences(
  counts: Counts,
  said: readonly { text: string; verdict: Grounding['sentences'][number]['verdict'] }[],
  sources: readonly Pick<Source, 'key' | 'text'>[],
): void {
  for (const { text, verdict } of said) {
    const bare = blankCitations(text).trim();
    if (!/[\p{L}\p{N}]/u.test(bare)) continue;
    counts.sentences++;
    counts[verdict]++;
    const cited = `${bare.replace(/[.!?]+$/u, '')} [${sources.map(({ key }) => key).join(', ')}].`;
    if (groundText(cited, sources).sentences[0]?.verdict === 'supported') counts.inSources++;
  }
}

async function askSample({ model, embedder, window, count }: Sample): Promise<void> {
  const [corpus] = await benchCorpora();
  if (corpus === undefined) return;
  const every = Math.max(1, Math.floor(corpus.questions.length / count));
  const questions = corpus.questions.filter((_, at) => at % every === 0).slice(0, count);
  const counts = noCounts();
  const tally = { asked: 0, refusedByIndex: 0, refusedByModel: 0, left: 0, before: 0, after: 0, quoted: 0 };
  await withIndex(corpus, { embedder, preset: 'labsage' }, async (index) => {
    for (const question of questions) {
      const today = localDate(new Date());
      const explained = await answerQuestion(question.question, { index, embedder }, { today, k: K });
      tally.asked++;
      if (!explained.answer.answered) {
        tally.refusedByIndex++;
        continue;
      }
      const writing = { model, contextTokens: window, allowRemote: false, today };
      const startMs = performance.now();
      const marked = await writeAnswer(explained, { ...writing, strict: false });
      const again: LanguageModel = { name: model.name, complete: () => Promise.resolve(replyOf(marked)) };
      const strict = await writeAnswer(explained, { ...writing, model: again, strict: true });
      const { text, grounding, sources } = marked.answer;
      if (!marked.answer.answered) tally.refusedByModel++;
      countSentences(
        counts,
        grounding.sentences.map(({ span, verdict }) => ({ text: text.slice(span.start, span.end), verdict })),
        sources,
      );
      const recall = (words: string): number =>
        question.evidence.filter(({ quote }) => bareWords(words).includes(bareWords(quote))).length /
        question.evidence.length;
      tally.left += strict.answer.answered ? 1 : 0;
      tally.before += recall(marked.written?.reply ?? '');
      tally.after += strict.answer.answered ? recall(strict.answer.text) : 0;
      tally.quoted += evidenceRecall(
        question,
        explained.answer.citations.map(({ document, quotes }) => ({
          document: document.path,
          text: quotes.map((quote) => quote.text).join('\n'),
        })),
      );
      console.log(
        `  ${question.id} ${Math.round((performance.now() - startMs) / 1000)} s, tokens ${JSON.stringify(marked.answer.omitted)}: ${JSON.stringify(marked.written?.reply.slice(0, 160))}`,
      );
    }
  });
  const written = tally.asked - tally.refusedByIndex;
  const share = (sum: number): string => (sum / Math.max(1, written)).toFixed(3);
  console.log(
    `SOPs: ${tally.asked} development questions, ${tally.refusedByIndex} refused by the index, ${tally.refusedByModel} by the model`,
  );
  printCounts(counts);
  console.log(
    `  evidence said: before ${share(tally.before)}, after --strict ${share(tally.after)} (${tally.left} of ${written} answers have a sentence left); quoted by the extractive answer ${share(tally.quoted)}`,
  );
}

function replyOf({ written }: Awaited<ReturnType<typeof writeAnswer>>): { text: string; complete: boolean } {
  return { text: written?.reply ?? '', complete: true };
}

async function writeSample({ model, embedder, window, count }: Sample): Promise<void> {
  const charts = join(packageRoot, 'corpora', 'charts');
  const facts = await readFacts(charts, 'dev');
  const visits = [...new Set(facts.map(({ patient, visit }) => `${patient} ${visit}`))];
  const every = Math.max(1, Math.floor(visits.length / count));
  const folder = await mkdtemp(join(tmpdir(), 'clirag-generated-'));
  const counts = noCounts();
  const tally = { visits: 0, none: 0 };
  const sums = { before: [0, 0, 0], after: [0, 0, 0] };
  const add = (sum: number[], note: SoapNote, of: readonly Fact[]): void => {
    const { found, required, stated } = countFacts(of, saidIn(note));
    [found, required, stated].forEach((value, at) => (sum[at] = (sum[at] ?? 0) + value));
  };
  try {
    const store = await storeCharts(charts, folder);
    const remembering = openQuestionVectors(folder, {
      fingerprint: embedder.fingerprint,
      open: () => Promise.resolve(embedder),
    });
    const options = {
      questions: await readQuestionSets(),
      fingerprint: embedder.fingerprint,
      openEmbedder: () => Promise.resolve(remembering),
      countTokens: await loadTokenCounter(),
      prior: 'none' as const,
      contextTokens: window,
    };
    for (const visit of visits.filter((_, at) => at % every === 0).slice(0, count)) {
      const [patient = '', date = ''] = visit.split(' ');
      const chart = await store.openPatient(patient);
      const of = facts.filter((fact) => String(fact.patient) === patient && fact.visit === date);
      tally.visits++;
      const startMs = performance.now();
      try {
        const found = findVisit(chart.notes, date);
        const marked = await writeSoapNote(chart, found, { ...options, generator: model });
        const again: LanguageModel = {
          name: model.name,
          complete: () => Promise.resolve({ text: marked.reply ?? '', complete: true }),
        };
        const strict = await writeSoapNote(chart, found, { ...options, generator: again, strict: true });
        const said = marked.grounding.sentences.map(({ span, verdict }) => ({
          text: (marked.reply ?? '').slice(span.start, span.end),
          verdict,
        }));
        countSentences(counts, said, marked.sources);
        add(sums.before, marked, of);
        add(sums.after, strict, of);
        console.log(
          `  ${visit} ${Math.round((performance.now() - startMs) / 1000)} s, tokens ${JSON.stringify(marked.omitted)}: ${JSON.stringify((marked.reply ?? '').slice(0, 160))}`,
        );
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
        tally.none++;
        console.log(`  ${visit}: ${error.message}`);
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  console.log(`Charts: ${tally.visits} visits, ${tally.none} without a note`);
  printCounts(counts);
  for (const [when, [found = 0, required = 0, stated = 0]] of Object.entries(sums))
    console.log(`  ${when}: ${found} of ${required} required facts, ${stated} forbidden ones`);
}

function printCounts({ sentences, supported, inSources, ...rest }: Counts): void {
  const share = (part: number): string => `${part} (${((100 * part) / Math.max(1, sentences)).toFixed(1)} %)`;
  console.log(
    `  sentences ${sentences}: supported by what they cite ${share(supported)}, said by some source, cited or not ${share(inSources)}; ${JSON.stringify(rest)}`,
  );
}
