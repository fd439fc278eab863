import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { linePlot, niceAxis, barPlot } from '../../src/core/plots.js';
import { escapeMarkup, markup, renderPage, renderTable } from '../../src/core/report.js';

const HOSTILE = '<script>alert("x")</script>\'&\u0000\uD800';

test('texts are escaped, markup is not', () => {
  expect(
    markup`<p title="${'"'}">${'<b>'} ${3} ${markup`<i>${'&'}</i>`}${[markup`<b>1</b>`, markup`<b>2</b>`]}</p>`
      .source,
  ).toBe('<p title="&quot;">&lt;b&gt; 3 <i>&amp;</i><b>1</b><b>2</b></p>');
});

test('an escaped text holds no mark-up and nothing that XML forbids, and says the same', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const escaped = escapeMarkup(text);
      expect(escaped).not.toMatch(
        /[<>"'\u0000-\u0008\u000b\u000c\u000e-\u001f]|&(?!(?:amp|lt|gt|quot|#39);)/u,
      );
      const back = escaped
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&quot;', '"')
        .replaceAll('&#39;', "'")
        .replaceAll('&amp;', '&');
      expect(back.length).toBe(text.length);
    }),
  );
});

test('a page allows its own style and nothing else', () => {
  const page = renderPage({
    title: HOSTILE,
    lead: markup`<p>${HOSTILE}</p>`,
    sections: [
      {
        id: 'one',
        title: HOSTILE,
        body: renderTable({ head: [HOSTILE], rows: [[HOSTILE]], caption: HOSTILE }),
      },
    ],
  });
  const [, style = ''] = /<style>([\s\S]*)<\/style>/u.exec(page) ?? [];
  const hash = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${hash}&#39;`);
  expect(page).not.toMatch(/<script|<link|<img|<iframe|\sstyle=|\son\w+=|https?:|url\(/iu);
  expect(page).toContain('<a href="#one">');
});

test('columns of numbers are set right, short ones are not broken, a highlighted row is marked', () => {
  const { source } = renderTable({
    head: ['system', 'recall', 'answer'],
    rows: [
      ['ours', '0.9 [0.8, 1.0]', 'At least 250 uL of plasma in a microcup.'],
      ['other', '–', ''],
    ],
    highlight: ([name]) => name === 'ours',
  });
  expect(source).toContain(
    '<th scope="col" class="short">system</th><th scope="col" class="number">recall</th><th scope="col">answer</th>',
  );
  expect(source).toContain('<tr class="ours"><td class="short">ours</td>');
  expect(source.match(/class="ours"/gu)).toHaveLength(1);
});

test('an axis reaches over its values in a few round steps', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (max) => {
      const axis = niceAxis('x', { max });
      expect(axis.max).toBeGreaterThanOrEqual(max * (1 - 1e-9));
      expect(axis.ticks[0]).toBe(0);
      expect(axis.ticks.length).toBeGreaterThan(2);
      expect(axis.ticks.length).toBeLessThan(8);
    }),
  );
});

test('a line plot has a curve and a band a series, and coordinates that are numbers', () => {
  const { source } = linePlot({
    caption: HOSTILE,
    x: niceAxis('words', { max: 2000 }),
    y: niceAxis('recall', { max: 1 }),
    series: [
      {
        name: HOSTILE,
        points: [
          { x: 300, y: 0.5, low: 0.4, high: 0.6 },
          { x: 600, y: 0.7, low: 0.6, high: 0.8 },
        ],
      },
      { name: 'b', points: [{ x: 300, y: 0.2 }] },
      { name: 'empty', points: [] },
    ],
    diagonal: true,
  });
  expect(source.match(/<path/gu)).toHaveLength(3);
  expect(source.match(/<polygon/gu)).toHaveLength(1);
  expect(source.match(/<circle/gu)).toHaveLength(3);
  expect(source).not.toMatch(/NaN|Infinity|undefined|<script/u);
});

test('a bar plot leaves a missing value out and stays inside its frame', () => {
  const { source } = barPlot({
    caption: 'c',
    x: niceAxis('recall', { max: 1 }),
    groups: ['fact', 'table'],
    series: [
      { name: 'a', values: [0.5, undefined] },
      { name: 'b', values: [1, 7] },
    ],
  });
  // Bars begin at the axis; the key of each series stands beside the plot.
  const widths = [...source.matchAll(/<rect[^>]* x="150"[^>]* width="([\d.]+)"/gu)].map(([, width]) =>
    Number(width),
  );
  expect(widths).toHaveLength(3);
  expect(Math.max(...widths)).toBe(widths[1]);
  expect(source.match(/<rect/gu)).toHaveLength(3 + 2);
});
