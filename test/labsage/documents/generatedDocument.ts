/** fast-check arbitraries of documents as readers make them: headings, paragraphs, steps, tables, warnings, and odd words. */

import fc from 'fast-check';
import { sha256Hex } from '../../../src/core/text.js';
import type { Block, BlockKind, Document } from '../../../src/core/types.js';

/** A block before it has a place. `rows` of a table: the first is its header. */
export interface Draft {
  readonly kind: BlockKind;
  readonly level?: number;
  readonly text: string;
  readonly rows?: readonly string[];
}

const word = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(
      'plasma',
      'spin',
      'at',
      '2–8',
      '°C',
      'mmol/L',
      'EDTA',
      'QC-0071',
      'reject',
      'the',
      'sample',
      '3.5',
    ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '🧪🧪',
      'naïve',
      '日本語の文書',
      'a-b-c/d.e'.repeat(60),
      'x'.repeat(300),
      '1.'.repeat(200),
      '…',
      'Σ',
    ),
  },
);

const sentence = fc.array(word, { minLength: 1, maxLength: 25 }).map((words) => `${words.join(' ')}.`);
const prose = fc.array(sentence, { minLength: 1, maxLength: 6 }).map((sentences) => sentences.join(' '));
const headingText = fc
  .tuple(
    fc.constantFrom('PURPOSE', 'Specimen', 'Quality Control', 'Procedure', 'Notes'),
    fc.integer({ min: 1, max: 40 }),
  )
  .map(([name, number]) => `${number}. ${name}`);
const row = fc.array(word, { minLength: 2, maxLength: 4 }).map((cells) => cells.join(' | '));

const draft: fc.Arbitrary<Draft> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant<BlockKind>('heading'),
      level: fc.integer({ min: 1, max: 3 }),
      text: headingText,
    }),
  },
  { weight: 4, arbitrary: prose.map((text) => ({ kind: 'paragraph' as const, text })) },
  { weight: 6, arbitrary: prose.map((text) => ({ kind: 'step' as const, level: 1, text })) },
  { weight: 1, arbitrary: sentence.map((text) => ({ kind: 'warning' as const, text: `WARNING: ${text}` })) },
  {
    weight: 2,
    arbitrary: fc
      .array(row, { minLength: 2, maxLength: 40 })
      .map((rows) => ({ kind: 'table' as const, text: rows.join('\n'), rows })),
  },
);

export const drafts = fc.array(draft, { minLength: 1, maxLength: 30 });
export const titles = fc.oneof(fc.constant('Ammonia, Plasma'), fc.constant('a-'.repeat(400)), prose);

/** Blocks one under the other, as `assembleText` sets them. */
export function assemble(list: readonly Draft[], options: { id?: string; title?: string } = {}): Document {
  const id = options.id ?? 'sop';
  const blocks: Block[] = [];
  let text = '';
  for (const { kind, level, text: own, rows } of list) {
    const start = text === '' ? 0 : text.length + 1;
    text = `${text}${text === '' ? '' : '\n'}${own}`;
    blocks.push({
      docId: id,
      kind,
      ...(level === undefined ? {} : { level }),
      span: { start, end: text.length },
      text: own,
      ...(rows === undefined ? {} : { header: { start, end: start + (rows[0] ?? '').length } }),
    });
  }
  return {
    id,
    path: `${id}.md`,
    title: options.title ?? 'Ammonia, Plasma',
    text,
    sha256: sha256Hex(text),
    control: { status: 'current' },
    blocks,
    origins: [{ at: 0, line: 1 }],
    boilerplate: [],
  };
}
