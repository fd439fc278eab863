import { expect, test } from '@jest/globals';
import { parse, type DefaultTreeAdapterTypes } from 'parse5';
import { createHash } from 'node:crypto';
import type { Answer } from '../../../src/core/types.js';
import { renderAnswerPage } from '../../../src/labsage/lists/answerPage.js';

type Node = DefaultTreeAdapterTypes.Node;
type Element = DefaultTreeAdapterTypes.Element;

const HOSTILE = '<img src=x onerror="alert(1)">';
const DOCUMENT = `# CH-1\n${'A line before.\n'.repeat(60)}Stable ${HOSTILE} for 15 minutes.\n${'A line after.\n'.repeat(60)}The end.`;
const QUOTE = `Stable ${HOSTILE} for 15 minutes.`;
const START = 7;

function answer(more: Partial<Answer> = {}): Answer {
  const quoted = { start: DOCUMENT.indexOf(QUOTE), end: DOCUMENT.indexOf(QUOTE) + QUOTE.length };
  const location = { file: 'ch-1.md', lines: [2, 122] as const };
  const text = `${QUOTE} [S1]`;
  return {
    question: `How long, ${HOSTILE}?`,
    text,
    answered: true,
    needsReview: false,
    confidence: 0.9,
    warnings: [`Overdue ${HOSTILE}`],
    missingTerms: [],
    citations: [
      {
        key: 'S1',
        unitId: 'u',
        document: { id: 'ch-1', path: 'ch-1.md', title: `Title ${HOSTILE}`, number: 'CH-1' },
        headingPath: ['Specimen'],
        quotes: [{ text: QUOTE, span: quoted, location }],
      },
    ],
    grounding: {
      sentences: [
        {
          span: { start: 0, end: text.length },
          citations: ['S1'],
          verdict: 'supported',
          reasons: ['quoted verbatim'],
        },
      ],
    },
    sources: [
      {
        key: 'S1',
        unitId: 'u',
        hits: [],
        span: { start: START, end: DOCUMENT.length },
        text: DOCUMENT.slice(START),
        location,
      },
    ],
    omitted: { intended: 0, sent: 0 },
    model: { embedder: 'minilm', generator: 'extractive' },
    timingsMs: {},
    ...more,
  };
}

function elements(page: string): Element[] {
  const found: Element[] = [];
  const visit = (node: Node): void => {
    if ('tagName' in node) found.push(node);
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(page));
  return found;
}

function textOf(node: Node): string {
  if (node.nodeName === '#text' && 'value' in node) return node.value;
  return 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
}

const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((one) => one.name === name)?.value;

test('each sentence stands beside its source, in which its words and no others are marked', () => {
  const all = elements(renderAnswerPage([answer()]));
  const marks = all.filter(({ tagName }) => tagName === 'mark').map(textOf);
  // Once beside the sentence, once in the complete section.
  expect(marks).toEqual([QUOTE, QUOTE]);
  const [beside = '', whole] = all.filter(({ tagName }) => tagName === 'blockquote').map(textOf);
  expect(whole).toBe(DOCUMENT.slice(START));
  expect(beside.length).toBeLessThan(1100);
  const inner = beside.replace(/^…\n/u, '').replace(/\n…$/u, '');
  expect(DOCUMENT).toContain(inner);
  expect(inner.split('\n').every((line) => DOCUMENT.split('\n').includes(line))).toBe(true);
});

test('no text becomes mark-up; nothing but the style is allowed, and its hash is right', () => {
  const page = renderAnswerPage([answer()]);
  const all = elements(page);
  const tags = new Set(all.map(({ tagName }) => tagName));
  for (const tag of ['script', 'img', 'link', 'iframe', 'form']) expect(tags).not.toContain(tag);
  expect(
    all.flatMap(({ attrs }) => attrs).filter(({ name }) => name.startsWith('on') || name === 'style'),
  ).toEqual([]);
  const policy = all.map((one) => attribute(one, 'content')).find((value) => value?.includes('default-src'));
  const style = all.find(({ tagName }) => tagName === 'style');
  const hash = createHash('sha256')
    .update(style === undefined ? '' : textOf(style))
    .digest('base64');
  expect(policy).toContain(`default-src 'none'; style-src 'sha256-${hash}'`);
  const heading = all.find(({ tagName }) => tagName === 'h1');
  expect(heading && textOf(heading)).toBe(`How long, ${HOSTILE}?`);
});

test('every link leads to an element of the page, ids are unique, of one answer and of many', () => {
  const twice = [
    answer(),
    answer({ answered: false, text: 'No.', citations: [], grounding: { sentences: [] } }),
    answer(),
  ];
  for (const answers of [[answer()], twice]) {
    const all = elements(renderAnswerPage(answers));
    const ids = all.flatMap((one) => attribute(one, 'id') ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const links = all.filter(({ tagName }) => tagName === 'a').map((one) => attribute(one, 'href') ?? '');
    expect(links.length).toBeGreaterThan(2);
    for (const link of links) expect(ids).toContain(link.slice(1));
  }
});

test('a sentence that is not proved, or names a source that is not there, says so', () => {
  const sentences = [
    {
      span: { start: 0, end: 5 },
      citations: ['S9'],
      verdict: 'not-found' as const,
      reasons: ['no 15 there'],
    },
    { span: { start: 6, end: 9 }, citations: [], verdict: 'uncited' as const, reasons: [] },
  ];
  const text = elements(renderAnswerPage([answer({ grounding: { sentences } })])).map(textOf)[0] ?? '';
  expect(text).toContain('not-found: no 15 there');
  expect(text).toContain('There is no source S9.');
  expect(text).toContain('It names no source.');
});
