import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TokenMode } from '../../../src/labsage/lists/lineTokens.js';
import { findMentions, searchedBlocks, type LineMention } from '../../../src/labsage/lists/mentions.js';
import { parseTermQuery } from '../../../src/labsage/lists/termQuery.js';
import { documentOf } from '../sampleDocument.js';

async function find(
  terms: string,
  text: string,
  mode: TokenMode = 'stemmed',
): Promise<LineMention[] | undefined> {
  const document = await documentOf(text, 'sample.md');
  return findMentions(parseTermQuery(terms, mode), searchedBlocks(document, mode), mode);
}

/** The matching words of each line, in brackets. */
function marked(mentions: readonly LineMention[] | undefined): string[] | undefined {
  return mentions?.map(({ line, matches }) => {
    let shown = '';
    let at = line.span.start;
    for (const { start, end } of matches) {
      shown += `${line.text.slice(at - line.span.start, start - line.span.start)}[${line.text.slice(start - line.span.start, end - line.span.start)}]`;
      at = end;
    }
    return shown + line.text.slice(at - line.span.start);
  });
}

test.each([
  ['tests', 'It was tested twice.', ['It was [tested] twice.']],
  ['CaCl2', 'Add CaCl₂ 0.025 mol/L.', ['Add [CaCl₂] 0.025 mol/L.']],
  ['CS5100', 'Run it on the CS-5100.', ['Run it on the [CS-5100].']],
  ['CS-5100', 'Run it on the CS 5100.', ['Run it on the [CS 5100].']],
  ['cs-5100', 'Run it on the CS-51000.', undefined],
  ['HE-010', 'See HE-0101.', undefined],
  ['XN CHECK', 'Thaw XN-L CHECK first.', ['Thaw [XN]-L [CHECK] first.']],
  ['"XN CHECK"', 'Thaw XN-L CHECK first.', undefined],
  ['calcium chloride', 'A chloride of calcium.', ['A [chloride] of [calcium].']],
  ['calcium chloride', 'Measure calcium, then chloride.', undefined],
  ['calcium chloride', 'Calcium is bound by citrate and is measured apart from chloride.', undefined],
  ['"calcium chloride"', 'A chloride of calcium.', undefined],
  ['"ice slurry"', 'Put it into ice-slurry now.', ['Put it into [ice-slurry] now.']],
  ['1000', 'Spin at 1,000 x g.', ['Spin at [1,000] x g.']],
  ['haemolysis', 'Reject hemolyzed or haemolytic serum.', ['Reject [hemolyzed] or [haemolytic] serum.']],
  ['lipemia', 'A lipemic specimen.', ['A [lipemic] specimen.']],
  ['analyte', 'The analyzer is on.', undefined],
  ['18:15', 'The courier leaves at 18:15.', ['The courier leaves at [18:15].']],
  ['Muller', 'Ask Dr. Müller.', ['Ask Dr. [Müller].']],
  ['4°C', 'Keep at 4 °C.', ['Keep at [4 °C].']],
  ['"Dr. Okafor"', 'Signed by Dr. Okafor.', ['Signed by [Dr. Okafor].']],
])('%j in %j', async (terms, text, expected) => {
  expect(marked(await find(terms, `# Sample\n\n## Part\n\n${text}\n`))).toEqual(expected);
});

test.each([
  ['tests', 'It was tested.', undefined],
  ['tests', 'Two TESTS.', ['Two [TESTS].']],
  ['CS5100', 'The CS-5100.', undefined],
  ['CS-5100', 'The CS-5100.', ['The [CS-5100].']],
  ['CS-5100', 'The CS 5100.', undefined],
])('exactly %j in %j', async (terms, text, expected) => {
  expect(marked(await find(terms, `# Sample\n\n## Part\n\n${text}\n`, 'exact'))).toEqual(expected);
});

const SAMPLE = `# Sample

## Reagents

Azide is in R1. Heparin is not. R1 holds azide and azide again.

| Reagent | Contents |
|---|---|
| R2 | heparin |
`;

test('lines are sentences, rows and headings; a line counts as often as it mentions', async () => {
  const mentions = await find('azide', SAMPLE);
  expect(mentions?.map(({ line, count }) => [line.text, count])).toEqual([
    ['Azide is in R1.', 1],
    ['R1 holds azide and azide again.', 2],
  ]);
  expect((await find('reagents', SAMPLE))?.map(({ line }) => line.text)).toEqual([
    'Reagents',
    'Reagent | Contents',
  ]);
});

test('AND, OR and NOT are of the whole document; what is excluded is no mention', async () => {
  expect(marked(await find('azide AND R2', SAMPLE))).toHaveLength(3);
  expect(await find('azide AND glucose', SAMPLE)).toBeUndefined();
  expect(marked(await find('glucose OR heparin', SAMPLE))).toEqual(['[Heparin] is not.', 'R2 | [heparin]']);
  expect(await find('azide NOT heparin', SAMPLE)).toBeUndefined();
  expect(await find('NOT glucose', SAMPLE)).toEqual([]);
});

test('always: matches lie in their line, in order, and are found again by their own words', async () => {
  const words = fc.array(
    fc.constantFrom('azide', 'R1', 'CS-5100', 'ice', 'slurry', '0.025', 'of,', 'crushed.'),
    {
      minLength: 1,
      maxLength: 30,
    },
  );
  await fc.assert(
    fc.asyncProperty(
      words,
      fc.constantFrom('azide', 'ice slurry', 'CS5100', 'R1 OR ice'),
      async (text, terms) => {
        const mentions = (await find(terms, `# Sample\n\n## Part\n\nBegin ${text.join(' ')}\n`)) ?? [];
        for (const { line, matches, count } of mentions) {
          expect(count).toBeGreaterThan(0);
          let at = line.span.start;
          for (const { start, end } of matches) {
            expect(start).toBeGreaterThanOrEqual(at);
            expect(end).toBeLessThanOrEqual(line.span.end);
            at = end;
          }
        }
        if (terms === 'azide') {
          const count = mentions.reduce((sum, mention) => sum + mention.count, 0);
          expect(count).toBe(text.filter((word) => word === 'azide').length);
        }
      },
    ),
    { numRuns: 60 },
  );
});
