/** Answers to questions with evidence: is it in what is printed, in how many words, and how often is an answer refused. */

import { countWords } from '../src/core/text.js';
import { answerQuestion, type ExplainedAnswer } from '../src/labsage/answer.js';
import { localDate } from '../src/labsage/documents/documentControl.js';
import { bareWords, evidenceRecall, type ContextText } from '../src/labsage/evaluation/containment.js';
import { readQuestions, type Question } from '../src/labsage/evaluation/questions.js';
import { benchCorpora, openBenchEmbedder, withIndex } from './retrieval.js';

/** Words of an answer, marks left out. */
function printedWords({ answer }: ExplainedAnswer): string {
  return answer.citations.flatMap(({ quotes }) => quotes.map(({ text }) => text)).join('\n');
}

/** Quotes of at most so many words are table cells. */
const CELL_WORDS = 6;

/** Share of the evidence found; cells of one section count only where they stand in one row together. */
function fairRecall(question: Question, contexts: readonly ContextText[]): number {
  const { evidence } = question;
  const isCell = (quote: string): boolean => countWords(quote) <= CELL_WORDS;
  const found = evidence.filter((one) => {
    const cells = evidence.filter(
      ({ document, section, quote }) => isCell(quote) && document === one.document && section === one.section,
    );
    if (!isCell(one.quote) || cells.length < 2)
      return evidenceRecall({ ...question, evidence: [one] }, contexts) === 1;
    const rows = contexts
      .filter(({ document }) => document === one.document)
      .flatMap(({ text }) => text.split('\n'));
    return rows.some((row) => cells.every(({ quote }) => bareWords(row).includes(bareWords(quote))));
  });
  return found.length / evidence.length;
}

/** F1 of the token multisets of what is printed and the evidence. */
function tokenF1(printed: string, evidence: string): number {
  const counts = new Map<string, number>();
  const want = bareWords(evidence).trim().split(' ');
  const have = bareWords(printed).trim().split(' ');
  for (const word of want) counts.set(word, (counts.get(word) ?? 0) + 1);
  let shared = 0;
  for (const word of have) {
    const left = counts.get(word) ?? 0;
    if (left > 0) {
      shared++;
      counts.set(word, left - 1);
    }
  }
  return shared === 0 ? 0 : (2 * shared) / (want.length + have.length);
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

export async function benchAnswers(args: readonly string[]): Promise<void> {
  const [embedderName = 'mpnet', only, verbose] = args;
  const embedder = await openBenchEmbedder(embedderName);
  const today = localDate(new Date());
  for (const corpus of (await benchCorpora()).filter(({ name }) => only === undefined || name === only)) {
    await withIndex(corpus, { embedder, preset: 'labsage' }, async (index) => {
      const ask = (question: string): Promise<ExplainedAnswer> =>
        answerQuestion(question, { index, embedder }, { today });
      const rows: {
        question: Question;
        found: number;
        inContext: number;
        words: number;
        f1: number;
        answered: boolean;
        kind: string;
      }[] = [];
      for (const question of corpus.questions) {
        const explained = await ask(question.question);
        const printed = printedWords(explained);
        const quoted = explained.answer.citations.map(({ document, quotes }) => ({
          document: document.path,
          text: quotes.map(({ text }) => text).join('\n'),
        }));
        const contexts = explained.answer.sources.map(({ text, location }) => ({
          document: location.file,
          text,
        }));
        rows.push({
          question,
          found: fairRecall(question, quoted),
          inContext: fairRecall(question, contexts),
          words: countWords(printed),
          f1: tokenF1(printed, question.evidence.map(({ quote }) => quote).join(' ')),
          answered: explained.answer.answered,
          kind: question.kind ?? 'all',
        });
        const last = rows.at(-1);
        if (verbose === 'misses' && last !== undefined && last.found < 1) {
          console.log(
            `\n${question.id} [${last.kind}] ${question.question}\n  want: ${question.evidence.map(({ quote, document }) => `${document}: ${quote}`).join('\n        ')}\n  ${last.answered ? '' : 'REFUSED '}in context ${last.inContext.toFixed(2)}, confidence ${explained.answer.confidence.toFixed(2)}\n  got:  ${explained.answer.text.replaceAll('\n', '\n        ')}`,
          );
        }
      }
      const mean = (pick: (row: (typeof rows)[number]) => number, of = rows): string =>
        (of.reduce((sum, row) => sum + pick(row), 0) / Math.max(1, of.length)).toFixed(3);
      console.log(
        `${corpus.name} (${embedder.fingerprint.id}): evidence printed ${mean(({ found }) => found)}, in the sections read ${mean(({ inContext }) => inContext)}, token F1 ${mean(({ f1 }) => f1)}, median words ${median(rows.map(({ words }) => words))}, refused ${mean(({ answered }) => (answered ? 0 : 1))}`,
      );
      for (const kind of new Set(rows.map((row) => row.kind))) {
        const of = rows.filter((row) => row.kind === kind);
        console.log(
          `  ${kind.padEnd(16)} ${of.length.toString().padStart(3)}  printed ${mean(({ found }) => found, of)}  read ${mean(({ inContext }) => inContext, of)}  refused ${mean(({ answered }) => (answered ? 0 : 1), of)}`,
        );
      }
      if (corpus.name.startsWith('own')) {
        const split = corpus.name.slice(4);
        const none = (await readQuestions('queries/sops/unanswerable.jsonl')).filter(
          (question) => question.split === split,
        );
        let wrong = 0;
        for (const { question, kind, id } of none) {
          const { answer } = await ask(question);
          if (answer.answered) wrong++;
          if (answer.answered && verbose === 'misses')
            console.log(`  false answer ${id} [${kind ?? ''}] ${question} (${answer.confidence.toFixed(2)})`);
        }
        console.log(`  unanswerable: ${none.length}, answered all the same ${wrong}`);
      }
    });
  }
  await embedder.close();
}
