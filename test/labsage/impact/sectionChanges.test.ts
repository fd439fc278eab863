import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { compareDocuments } from '../../../src/labsage/impact/documentChanges.js';
import { documentSections } from '../../../src/labsage/documentSections.js';
import { compareSections, type SectionChange } from '../../../src/labsage/impact/sectionChanges.js';
import { documentOf } from '../sampleDocument.js';

const BEFORE = `# Sample Test

| Item | Entry |
|---|---|
| Document number | CH-9 |
| Version | 1.0 |

## 1. Purpose

To measure it.

## 2. Specimen

Serum or plasma.

### 2.1 Spin

1. Spin for 8 minutes at 1500 g.
2. Take off the plasma.

### 2.2 Store

Store at 4 °C for two days in the back of the refrigerator.

## 3. Safety

Wear gloves.
`;

function outline(changes: readonly SectionChange[]): string[] {
  return changes.map(({ kind, before, after }) => {
    const [was, is] = [before?.path.at(-1), after?.path.at(-1)];
    return `${kind} ${was === is || is === undefined ? (was ?? '') : was === undefined ? is : `${was} → ${is}`}`;
  });
}

async function compare(edit: (text: string) => string): Promise<SectionChange[]> {
  const after = edit(BEFORE);
  expect(after).not.toBe(BEFORE);
  return compareSections(await documentOf(BEFORE, 'a.md'), await documentOf(after, 'a.md'));
}

test('sections are headings with what stands right under them', async () => {
  const sections = documentSections(await documentOf(BEFORE, 'a.md'));
  expect(sections.map(({ path }) => path)).toEqual([
    [],
    ['1. Purpose'],
    ['2. Specimen'],
    ['2. Specimen', '2.1 Spin'],
    ['2. Specimen', '2.2 Store'],
    ['3. Safety'],
  ]);
  expect(sections[2]?.text).toBe('Serum or plasma.');
});

test('one changed word is one changed section, told word by word', async () => {
  const changes = await compare((text) => text.replace('8 minutes', '12 minutes'));
  expect(outline(changes)).toEqual(['changed 2.1 Spin']);
  expect(
    changes[0]?.diff.filter(({ kind }) => kind !== 'same').map(({ kind, text }) => [kind, text.trim()]),
  ).toEqual([
    ['removed', '8'],
    ['added', '12'],
  ]);
});

test.each<[string, (text: string) => string, readonly string[]]>([
  [
    'an inserted section renumbers what follows without changing it',
    (text) => text.replace('## 3. Safety', '## 3. Limits\n\nUp to 5.\n\n## 4. Safety'),
    ['added 3. Limits', 'renamed 3. Safety → 4. Safety'],
  ],
  ['a removed section', (text) => text.replace('## 3. Safety\n\nWear gloves.\n', ''), ['removed 3. Safety']],
  [
    'another heading over nearly the same words',
    (text) =>
      text.replace('### 2.2 Store', '### 2.2 Keeping specimens').replace('for two days', 'for three days'),
    ['changed 2.2 Store → 2.2 Keeping specimens'],
  ],
  [
    'a subsection under another section',
    (text) => text.replace('### 2.2 Store', '## 2.2 Store'),
    ['renamed 2.2 Store'],
  ],
])('%s', async (_, edit, expected) => {
  expect(outline(await compare(edit))).toEqual(expected);
});

test('always: a document compared with itself has no change, and each section of either side is accounted for once', async () => {
  const names = fc.uniqueArray(fc.constantFrom('Purpose', 'Specimen', 'Reagents', 'Safety', 'Results'), {
    minLength: 1,
  });
  const sop = (headings: readonly string[], seed: string): string =>
    headings.map((name, at) => `## ${at + 1}. ${name}\n\nWords of ${name} ${seed}.\n`).join('\n');
  await fc.assert(
    fc.asyncProperty(names, names, async (a, b) => {
      const [old, current] = [
        await documentOf(`# T\n\nIntro.\n\n${sop(a, 'old')}`, 'a.md'),
        await documentOf(`# T\n\nIntro.\n\n${sop(b, 'new')}`, 'a.md'),
      ];
      expect(compareSections(old, old)).toEqual([]);
      const changes = compareSections(old, current);
      const olds = changes.flatMap(({ before }) => (before === undefined ? [] : [before]));
      const news = changes.flatMap(({ after }) => (after === undefined ? [] : [after]));
      expect(new Set(olds).size).toBe(a.length);
      expect(olds).toHaveLength(a.length);
      expect(new Set(news).size).toBe(b.length);
      expect(news).toHaveLength(b.length);
    }),
    { numRuns: 40 },
  );
});

test('documents are paired by path, then number; control data that differ are told', async () => {
  const old = await documentOf(BEFORE, 'chemistry/ch-9-v1.md');
  const moved = await documentOf(BEFORE.replace('| Version | 1.0 |', '| Version | 2.0 |'), 'ch-9.md');
  const other = await documentOf('# Other\n\nWords.\n', 'other.md');
  const changes = compareDocuments([old, other], [moved]);
  expect(changes.map(({ kind, after, before }) => [kind, before?.path, after?.path])).toEqual([
    ['changed', 'chemistry/ch-9-v1.md', 'ch-9.md'],
    ['removed', 'other.md', undefined],
  ]);
  expect(changes[0]?.control).toEqual([{ field: 'version', before: '1.0', after: '2.0' }]);
  expect(compareDocuments([other], [other])).toEqual([]);
});

test('a text that changed under the same version is told; a new version, or none at all, is not', async () => {
  const old = await documentOf(BEFORE, 'a.md');
  const edited = `${BEFORE}\nSpin it again for 9 minutes.\n`;
  const versionOf = (text: string): Promise<(string | undefined)[]> =>
    documentOf(text, 'a.md').then((current) =>
      compareDocuments([old], [current]).map(({ sameVersion }) => sameVersion),
    );
  expect(await versionOf(edited)).toEqual(['1.0']);
  expect(await versionOf(edited.replace('| Version | 1.0 |', '| Version | 2.0 |'))).toEqual([undefined]);
  const [bare, other] = [
    await documentOf('# A\n\nOld.\n', 'a.md'),
    await documentOf('# A\n\nNew.\n', 'a.md'),
  ];
  expect(compareDocuments([bare], [other]).map(({ sameVersion }) => sameVersion)).toEqual([undefined]);
});
