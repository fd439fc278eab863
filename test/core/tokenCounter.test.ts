import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageRoot } from '../../src/core/config.js';
import { loadTokenCounter, type TokenizerLibrary } from '../../src/core/tokenCounter.js';

async function libraryCount(): Promise<(text: string) => number> {
  const { Tokenizer } = (await import('@huggingface/tokenizers')) as unknown as TokenizerLibrary;
  const read = async (name: string): Promise<object> =>
    JSON.parse(await readFile(join(packageRoot, 'models', 'all-MiniLM-L6-v2', name), 'utf8')) as object;
  const tokenizer = new Tokenizer(await read('tokenizer.json'), await read('tokenizer_config.json'));
  return (text) => tokenizer.tokenize(text, { add_special_tokens: false }).length;
}

test('the sum over words is what the library counts in the whole text', async () => {
  const countTokens = await loadTokenCounter();
  const count = await libraryCount();
  const pieces = fc.constantFrom(
    'ammonia',
    'µmol/L',
    '2–8 °C',
    'CS-5100',
    '→',
    '(EDTA)',
    '日本',
    'naïve',
    '🧪',
    '\u00a0',
    '\u200b',
    '\u3000',
    'x'.repeat(120),
    '\n',
    '\t',
    '“',
    'Ⅳ',
    'ﬁ',
    '\u0301',
    '37',
    '%',
    '[UNK]',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(pieces, { maxLength: 15 }).map((parts) => parts.join(' ')),
        fc.array(pieces, { maxLength: 15 }).map((parts) => parts.join('')),
        fc.string({ unit: 'grapheme', maxLength: 40 }),
      ),
      (text) => {
        expect(countTokens(text)).toBe(count(text));
      },
    ),
    { numRuns: 400 },
  );
});

test('counting again gives the same, and nothing has no tokens', async () => {
  const countTokens = await loadTokenCounter();
  expect(countTokens(' \n\t ')).toBe(0);
  expect(countTokens('plasma plasma')).toBe(2 * countTokens('plasma'));
});
