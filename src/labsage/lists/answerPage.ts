/** Answers → one self-contained HTML page: each sentence beside the words of the SOP that prove it, and every section read. */

import { markup, renderPage, type Markup, type PageSection } from '../../core/report.js';
import type { Answer, Citation, Source, Span } from '../../core/types.js';
import { CLOSING_LINE } from '../answer.js';
import { describeContext } from '../describe.js';
import { describeRange } from '../renderAnswer.js';

/** Words of the section that stand around a quote, in characters; lines are kept whole. */
const AROUND_CHARACTERS = 400;

/** An answer alone is a page with its sections; several are a page with a section for each question. */
export function renderAnswerPage(answers: readonly Answer[]): string {
  const [first] = answers;
  if (first !== undefined && answers.length === 1) {
    return renderPage({
      title: first.question,
      lead: renderLead(first),
      sections: answerSections(first, 'a'),
    });
  }
  return renderPage({
    title: 'Answers from the SOPs',
    lead: markup`<p>${answers.length} questions, ${answers.filter(({ answered }) => answered).length} answered. ${CLOSING_LINE}</p>`,
    sections: answers.map((answer, at): PageSection => {
      const prefix = `q${at + 1}`;
      const parts = answerSections(answer, prefix).map(
        ({ id, title, body }) => markup`<section id="${id}"><h3>${title}</h3>${body}</section>`,
      );
      return { id: prefix, title: answer.question, body: markup`${renderLead(answer)}${parts}` };
    }),
  });
}

function renderLead(answer: Answer): Markup {
  const warnings = answer.warnings.map((warning) => markup`<p class="bad">⚠ ${warning}</p>`);
  const { embedder, generator } = answer.model;
  const review = answer.needsReview
    ? markup`<p class="bad">⚠ Low confidence: have a person review this answer.</p>`
    : '';
  const record = answer.auditId === undefined ? '' : `, audit record ${answer.auditId}`;
  return markup`${warnings}${review}<p><strong>${CLOSING_LINE}</strong></p><p class="dim">Confidence ${answer.confidence.toFixed(2)}, generator ${generator}, embedder ${embedder}${record}.</p>`;
}

/** `prefix` keeps the sources of one answer apart from those of another. */
function answerSections(answer: Answer, prefix: string): PageSection[] {
  const { sentences } = answer.grounding;
  const body =
    sentences.length === 0
      ? markup`<p>${answer.text}</p>${answer.citations.map((citation) => quotesOf(citation))}`
      : markup`${sentences.map((sentence, at) => besideSources(sentence, { answer, prefix, id: `${prefix}-proof-${at + 1}` }))}`;
  const sources = answer.sources.map((source) => {
    const citation = answer.citations.find(({ key }) => key === source.key);
    const spans = citation?.quotes.map(({ span }) => span) ?? [];
    return markup`<dt id="${prefix}-${source.key}">${source.key}: ${nameSource(source, citation)}</dt><dd><blockquote>${markSpans(source, spans)}</blockquote></dd>`;
  });
  return [
    { id: `${prefix}-answer`, title: answer.answered ? 'Answer' : 'No answer', body },
    ...(sources.length === 0
      ? []
      : [{ id: `${prefix}-sources`, title: 'Sections read', body: markup`<dl>${sources}</dl>` }]),
  ];
}

type Sentence = Answer['grounding']['sentences'][number];

/** The sentence to the left, the words that it rests on to the right. */
function besideSources(
  { span, citations: keys, verdict, reasons }: Sentence,
  { answer, prefix, id }: { answer: Answer; prefix: string; id: string },
): Markup {
  const text = answer.text.slice(span.start, span.end);
  const proofs = keys.map((key) => {
    const source = answer.sources.find((one) => one.key === key);
    if (source === undefined) return markup`<p class="bad">There is no source ${key}.</p>`;
    const citation = answer.citations.find((one) => one.key === key);
    return markup`<p class="dim"><a href="#${prefix}-${key}">${key}</a> ${nameSource(source, citation)}</p><blockquote>${around(source, spansOf(text, citation))}</blockquote>`;
  });
  const judged =
    verdict === 'supported'
      ? markup`<p class="good">✓ ${reasons.join('; ') || 'supported'}</p>`
      : markup`<p class="bad">✗ ${verdict}${reasons.length === 0 ? '' : `: ${reasons.join('; ')}`}</p>`;
  const proof = proofs.length === 0 ? markup`<p class="bad">It names no source.</p>` : markup`${proofs}`;
  return markup`<div class="case"><div><p class="said"><a class="claim" href="#${id}">${text}</a></p>${judged}</div><div id="${id}">${proof}</div></div>
`;
}

/** Those quotes of the citation that the sentence repeats; all of them where it says it in other words. */
function spansOf(text: string, citation: Citation | undefined): Span[] {
  const quotes = citation?.quotes ?? [];
  const said = quotes.filter((quote) => text.includes(quote.text));
  return (said.length > 0 ? said : quotes).map(({ span }) => span);
}

function nameSource(source: Source, citation: Citation | undefined): string {
  const place = describeRange(source.location, source.location);
  return citation === undefined
    ? place
    : `${describeContext(citation.document, citation.headingPath)} (${place})`;
}

function quotesOf({ document, headingPath, quotes }: Citation): Markup {
  const items = quotes.map(
    ({ text, location }) =>
      markup`<blockquote>${text}</blockquote><p class="dim">${describeRange(location, location)}</p>`,
  );
  return markup`<h3>${describeContext(document, headingPath)}</h3>${items}`;
}

/** The whole section, with the spans (of the document) highlighted. */
function markSpans(source: Source, spans: readonly Span[], shown: Span = source.span): Markup {
  const pieces: Markup[] = [];
  const wordsOf = (start: number, end: number): string =>
    source.text.slice(start - source.span.start, end - source.span.start);
  let at = shown.start;
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const from = Math.max(at, start);
    const to = Math.min(end, shown.end);
    if (to <= from) continue;
    pieces.push(markup`${wordsOf(at, from)}<mark>${wordsOf(from, to)}</mark>`);
    at = to;
  }
  return markup`${pieces}${wordsOf(at, shown.end)}`;
}

/** The highlighted words with some lines before and after them. */
function around(source: Source, spans: readonly Span[]): Markup {
  const { text, span } = source;
  const inside = spans.filter(({ start, end }) => start < span.end && end > span.start);
  const first = Math.min(...inside.map(({ start }) => start)) - span.start;
  const last = Math.max(...inside.map(({ end }) => end)) - span.start;
  const wide = inside.length === 0;
  const before = wide ? -1 : text.lastIndexOf('\n', Math.max(0, first - AROUND_CHARACTERS));
  const after = text.indexOf('\n', wide ? 2 * AROUND_CHARACTERS : last + AROUND_CHARACTERS);
  const shown = {
    start: span.start + before + 1,
    end: after === -1 ? span.end : span.start + after,
  };
  const lead = shown.start > span.start ? '…\n' : '';
  return markup`${lead}${markSpans(source, inside, shown)}${shown.end < span.end ? '\n…' : ''}`;
}
