import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sliceSpan } from '../../../src/core/text.js';
import type { Document } from '../../../src/core/types.js';
import { readDocument } from '../../../src/labsage/document.js';
import { bareWords, fitWords } from '../../../src/labsage/evaluation/containment.js';
import { listEntities } from '../../../src/labsage/evaluation/entities.js';
import {
  findQuote,
  findStatements,
  groundTruthOf,
  splitStatements,
} from '../../../src/labsage/evaluation/groundTruth.js';
import type { EvidenceQuote, Question } from '../../../src/labsage/evaluation/questions.js';

const SOP = `# X-1 Test

## 4 Volume

| Mode | Minimum (mL) | Remark |
|---|---|---|
| Sampler, closed | 1.0 | Standard tube |
| Manual, open | 0.3 | Short draw |

The tube is mixed ten times. Reject it if it is clotted.

## 5 Limits

| Level | Factor |
|---|---|
| Low | 1.0 |
| High | 2.5 |

The tube is mixed ten times.
`;

async function sop(): Promise<ReadonlyMap<string, Document>> {
  return new Map([['x.md', await readDocument(Buffer.from(SOP), { path: 'x.md' })]]);
}

function question(
  ...evidence: readonly (Omit<EvidenceQuote, 'document'> & { document?: string })[]
): Question {
  const quotes = evidence.map((one) => ({ document: 'x.md', ...one }));
  return { id: 'q', question: '?', answer: quotes.map(({ quote }) => quote).join(' '), evidence: quotes };
}

test('a quote is taken apart into sentences; a context has the share that it contains', async () => {
  const { statements } = groundTruthOf(
    question({ quote: 'The tube is mixed ten times. Reject it if it is clotted.' }),
    await sop(),
  );
  expect(statements.map(({ alternatives }) => alternatives)).toEqual([
    [' the tube is mixed ten times '],
    [' reject it if it is clotted '],
  ]);
  const found = (document: string, text: string): boolean[] =>
    findStatements(statements, [{ document, text }]);
  expect(found('x.md', '• REJECT it,\nif it is clotted')).toEqual([false, true]);
  expect(found('y.md', 'Reject it if it is clotted.')).toEqual([false, false]);
  expect(
    findStatements(statements, [{ document: '', text: 'Reject it if it is clotted.' }], {
      anyDocument: true,
    }),
  ).toEqual([false, true]);
});

test('words of two contexts that stand side by side make no sentence', async () => {
  const { statements } = groundTruthOf(question({ quote: 'The tube is mixed ten times.' }), await sop());
  const halves = ['The tube is', 'mixed ten times'].map((text) => ({ document: 'x.md', text }));
  expect(findStatements(statements, halves)).toEqual([false]);
});

test('a table cell counts only with its row, and of two rows the one with the other cell', async () => {
  const cells = question(
    { section: '4 Volume', quote: 'Sampler, closed' },
    { section: '4 Volume', quote: '1.0' },
  );
  const { statements } = groundTruthOf(cells, await sop());
  expect(statements).toEqual([{ document: 'x.md', alternatives: [' sampler closed 1 0 standard tube '] }]);
  const found = (text: string): boolean[] => findStatements(statements, [{ document: 'x.md', text }]);
  expect(found('Low | 1.0')).toEqual([false]);
  expect(found('Sampler, closed | 1.0 | Standard tube')).toEqual([true]);
});

test('a quote stands where its words do, whatever is between them, under its own section if it can', async () => {
  const document = (await sop()).get('x.md');
  if (document === undefined) throw new Error('no document');
  const find = (quote: string, section?: string): string | undefined => {
    const span = findQuote(document, {
      document: 'x.md',
      quote,
      ...(section === undefined ? {} : { section }),
    });
    return span && sliceSpan(document.text, span);
  };
  expect(find('| Manual, open | 0.3 |')).toBe('Manual, open | 0.3');
  expect(find('The tube is\n  mixed ten times.')).toBe('The tube is mixed ten times.');
  expect(find('the tube is mixed ten times.')).toBeUndefined();
  expect(find('The tube is mixed 10 times.')).toBeUndefined();
  expect(find(' | ')).toBeUndefined();
  const places = ['4 Volume', '5 Limits'].map(
    (section) =>
      findQuote(document, { document: 'x.md', quote: 'The tube is mixed ten times.', section })?.start,
  );
  expect(places[1]).toBeGreaterThan(places[0] ?? 0);
});

test('no word of a quote is lost when it is taken apart', () => {
  const sentence = fc.array(fc.constantFrom('spin', 'the', 'tube', '2.5', 'mL', 'at', '4 °C', 'No.'), {
    minLength: 1,
    maxLength: 9,
  });
  fc.assert(
    fc.property(fc.array(sentence, { minLength: 1, maxLength: 5 }), (sentences) => {
      const text = sentences.map((words) => `${words.join(' ')}.`).join(' ');
      expect(bareWords(splitStatements(text).join(' '))).toBe(bareWords(text));
    }),
  );
});

test('a budget of words is filled in order; the first context is cut to it', () => {
  const ranked = ['a b c', 'd e', 'f'].map((text) => ({ document: 'x', text }));
  const fitted = (budget: number): string[] => fitWords(ranked, budget).map(({ text }) => text);
  expect(fitted(2)).toEqual(['a b']);
  expect(fitted(4)).toEqual(['a b c']);
  expect(fitted(5)).toEqual(['a b c', 'd e']);
  expect(fitted(99)).toEqual(['a b c', 'd e', 'f']);
});

test.each([
  ['Spin at 2,000 x g for 10 minutes at 4 °C.', ['2000 x', '10 minutes', '4 °c']],
  ['The AMR of the CS-5100 is 0.5 to 12.0 mmol/L.', ['amr', 'cs-5100', '0.5', '12.0 mmol/l']],
  ['250 µL or 250 uL', ['250 ul']],
  ['Use Bio-Rad Liquichek. Then stop.', ['bio-rad', 'liquichek']],
  ['nothing in it', []],
])('entities of "%s"', (text, entities) => {
  expect(listEntities(text)).toEqual(entities);
});
