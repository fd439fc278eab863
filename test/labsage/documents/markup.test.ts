import { expect, test } from '@jest/globals';

import { locate } from '../../../src/labsage/document.js';
import { documentOf, outline } from '../sampleDocument.js';

interface Case {
  readonly name: string;
  readonly source: string;
  readonly expected: readonly string[];
}

const markdown: readonly Case[] = [
  {
    name: 'the title is no section',
    source: '# Cell Count\n\n## 1. Purpose\n\nTo *count* **cells**.\n\n### 1.1 Use\n\nDaily.\n',
    expected: [
      'paragraph: Cell Count',
      'heading 1: 1. Purpose',
      'paragraph: To count cells.',
      'heading 2: 1.1 Use',
      'paragraph: Daily.',
    ],
  },
  {
    name: 'a first heading without a number before numbered ones of its rank is the title',
    source: '# Cell Count\n\n# 1. Purpose\n\nTo count.\n\n# 2. Scope\n\nAll.\n',
    expected: [
      'paragraph: Cell Count',
      'heading 1: 1. Purpose',
      'paragraph: To count.',
      'heading 1: 2. Scope',
      'paragraph: All.',
    ],
  },
  {
    name: 'lists keep their numbers and depth',
    source: '## Steps\n\n3. Mix\n   - gently\n   - twice\n4) Spin\n\n- [x] done\n',
    expected: [
      'heading 1: Steps',
      'step 1: 3. Mix',
      'step 2: - gently',
      'step 2: - twice',
      'step 1: 4) Spin',
      'step 1: - [x] done',
    ],
  },
  {
    name: 'a table keeps its header',
    source: '## Limits\n\n| Analyte | Unit |\n|---|:-:|\n| Na | mmol/L |\n| K | |\n',
    expected: ['heading 1: Limits', 'table: Analyte | Unit\nNa | mmol/L\nK |'],
  },
  {
    name: 'quotes and lines that warn',
    source: '## Safety\n\n> **Warning:** hot plate.\n\n> [!CAUTION]\n> Sharp.\n\nNote: see above.\n',
    expected: [
      'heading 1: Safety',
      'warning: Warning: hot plate.',
      'warning: CAUTION: Sharp.',
      'warning: Note: see above.',
    ],
  },
  {
    name: 'steps that Markdown takes for one paragraph',
    source: '## 5. Steps\n\n5.1 Mix the tube.\n5.2 Spin the tube\nfor 8 minutes.\n',
    expected: [
      'heading 1: 5. Steps',
      'step 1: 5.1 Mix the tube.',
      'step 1: 5.2 Spin the tube for 8 minutes.',
    ],
  },
  {
    name: 'links, images, code, HTML and raised digits',
    source:
      '## Notes\n\nSee [the manual](http://x.test/a), ![a chart](c.png) and `QC`<br>10<sup>9</sup>/L &mdash; H<sub>2</sub>O.\n',
    expected: ['heading 1: Notes', 'paragraph: See the manual, a chart and QC 10⁹/L — H2O.'],
  },
  {
    name: 'struck-out words are left out',
    source: '## Dose\n\nAdd ~~5~~ 10 mL.\n',
    expected: ['heading 1: Dose', 'paragraph: Add 10 mL.'],
  },
  {
    name: 'bold paragraphs where no headings are given',
    source: '**1. PURPOSE**\n\nTo count.\n\n**2. SCOPE**\n\nAll.\n',
    expected: ['heading 1: 1. PURPOSE', 'paragraph: To count.', 'heading 1: 2. SCOPE', 'paragraph: All.'],
  },
  {
    name: 'a contents list of links',
    source:
      '# Cell Count\n\n## Contents\n\n- [Purpose](#purpose)\n- [Scope](#scope)\n\n## Purpose\n\nTo count.\n',
    expected: ['paragraph: Cell Count', 'heading 1: Purpose', 'paragraph: To count.'],
  },
];

const html: readonly Case[] = [
  {
    name: 'headings, paragraphs over several lines, entities',
    source:
      '<h1>Cell Count</h1>\n<h2>1. Purpose</h2>\n<p>To count\n  <b>cells</b> at 2&ndash;8&nbsp;&deg;C.</p>',
    expected: ['paragraph: Cell Count', 'heading 1: 1. Purpose', 'paragraph: To count cells at 2–8 °C.'],
  },
  {
    name: 'lists with start and type',
    source:
      '<h2>Steps</h2><ol start="3"><li>Mix<ol type="a"><li>gently</li></ol></li><li value="7">Spin</li></ol><ul><li><p>Read</p></li></ul><ol type="I"><li>x</li></ol>',
    expected: [
      'heading 1: Steps',
      'step 1: 3. Mix',
      'step 2: a. gently',
      'step 1: 7. Spin',
      'step 1: - Read',
      'step 1: I. x',
    ],
  },
  {
    name: 'tables with caption and spans',
    source:
      '<h2>Limits</h2><table><caption>Table 1</caption><tr><th>Analyte<th>Low<th>High</tr><tr><td rowspan="2">Na<td colspan="2">135</tr><tr><td>1<td>2</tr></table>',
    expected: [
      'heading 1: Limits',
      'paragraph: Table 1',
      'table: Analyte | Low | High\nNa | 135 | 135\nNa | 1 | 2',
    ],
  },
  {
    name: 'warning boxes',
    source:
      '<h2>Safety</h2><div class="alert warning"><p>Hot plate.</p></div><p class="note">Sharp.</p><p>Caution: wet.</p>',
    expected: ['heading 1: Safety', 'warning: Hot plate.', 'warning: Sharp.', 'warning: Caution: wet.'],
  },
  {
    name: 'scripts, menus and page feet',
    source:
      '<nav><a href="/">Home</a></nav><script>x()</script><style>p{}</style><h2>Scope</h2><p>All.</p><footer>Printed</footer>',
    expected: ['heading 1: Scope', 'paragraph: All.'],
  },
  {
    name: 'paragraphs without heading elements',
    source:
      '<p><b>1. PURPOSE</b></p><p>To count.</p><p><b>2. STEPS</b></p><p>2.1 Mix the tube.<br>2.2 Spin.</p>',
    expected: [
      'heading 1: 1. PURPOSE',
      'paragraph: To count.',
      'heading 1: 2. STEPS',
      'step 1: 2.1 Mix the tube.',
      'step 1: 2.2 Spin.',
    ],
  },
  {
    name: 'definitions, preformatted text, layout tables',
    source:
      '<h2>Terms</h2><dl><dt>QC</dt><dd>quality control</dd></dl><pre>A      1\nB      2\nC      3</pre><table><tr><td><p>Mix.</p><ul><li>well</li></ul></td></tr></table>',
    expected: [
      'heading 1: Terms',
      'paragraph: QC quality control',
      'table: A | 1\nB | 2\nC | 3',
      'paragraph: Mix.',
      'step 1: - well',
    ],
  },
  {
    name: 'deleted and hidden words',
    source: '<h2>Dose</h2><p>Add <del>5</del> 10 mL<span hidden>secret</span>.</p>',
    expected: ['heading 1: Dose', 'paragraph: Add 10 mL.'],
  },
];

test.each(markdown)('Markdown: $name', async ({ source, expected }) => {
  expect(outline(await documentOf(source, 'a.md'))).toEqual(expected);
});

test.each(html)('HTML: $name', async ({ source, expected }) => {
  expect(outline(await documentOf(source, 'a.html'))).toEqual(expected);
});

test('struck-out words are noted', async () => {
  expect((await documentOf('Add ~~5~~ 10 mL.\n', 'a.md')).notes).toEqual([
    'struck-out words left out in line 1: "5"',
  ]);
});

test('menus and feet are kept as boilerplate, scripts are not', async () => {
  const { boilerplate } = await documentOf(
    '<nav>Home</nav><script>x()</script><p>All.</p><footer>Printed</footer>',
    'a.html',
  );
  expect(boilerplate.map(({ text, kind }) => [text, kind])).toEqual([
    ['Home', 'navigation'],
    ['Printed', 'navigation'],
  ]);
});

test('quotes are located by the lines of the file, front matter and markup counted', async () => {
  const markdownDocument = await documentOf(
    '---\nversion: 2\n---\n\n# Count\n\nMix the tube\nwell.\n\n- Spin\n',
    'a.md',
  );
  const htmlDocument = await documentOf(
    '<h1>Count</h1>\n\n<p>\nMix the tube\nwell.</p>\n<ul>\n<li>Spin</li></ul>',
    'a.html',
  );
  const linesOf = (document: typeof htmlDocument, words: string): readonly number[] | undefined => {
    const start = document.text.indexOf(words);
    return locate(document, { start, end: start + words.length }).lines;
  };
  expect([linesOf(markdownDocument, 'Mix the tube well.'), linesOf(markdownDocument, 'Spin')]).toEqual([
    [7, 8],
    [10, 10],
  ]);
  expect([linesOf(htmlDocument, 'Mix the tube well.'), linesOf(htmlDocument, 'Spin')]).toEqual([
    [4, 5],
    [7, 7],
  ]);
});

const nested: readonly (readonly [name: string, path: string, source: string])[] = [
  ['10,000 block quotes', 'a.md', `${'>'.repeat(10_000)} deep`],
  [
    '300 nested lists',
    'a.md',
    Array.from({ length: 300 }, (_, depth) => `${' '.repeat(2 * depth)}- x`).join('\n'),
  ],
  ['20,000 nested elements', 'a.html', `${'<div>'.repeat(20_000)}deep`],
  ['5,000 nested lists', 'a.html', `${'<ul><li>'.repeat(5_000)}deep`],
];

test.each(nested)('%s are read as flat text', async (_, path, source) => {
  expect((await documentOf(source, path)).text).toMatch(/deep|x/);
});
