/** SOAP notes of a patient → one self-contained HTML page, where every mark links to the words of its source. */

import { markup, renderPage, type Markup, type PageSection } from '../core/report.js';
import type { SoapNote } from './note/noteRecord.js';
import { citedPrior, closingLine, describePrior, describeSource } from './renderNote.js';

/** A note alone is a page with its sections; a course is a page with a section for each visit. */
export function renderNotePage(notes: readonly SoapNote[]): string {
  const [first] = notes;
  const patient = first?.patientId ?? '';
  if (first !== undefined && notes.length === 1) {
    return renderPage({
      title: `Progress note, patient ${patient}, visit ${first.date}`,
      lead: renderLead(first),
      sections: noteSections(first, 'note'),
    });
  }
  const sections = notes.map((note, at): PageSection => {
    const parts = noteSections(note, `visit-${at + 1}`).map(
      ({ title, body }) => markup`<h3>${title}</h3>${body}`,
    );
    return {
      id: `visit-${at + 1}`,
      title: `Visit of ${note.date}`,
      body: markup`${renderLead(note)}${parts}`,
    };
  });
  return renderPage({
    title: `Progress notes, patient ${patient}`,
    lead: markup`<p>${notes.length} visits.</p>`,
    sections,
  });
}

function renderLead(note: SoapNote): Markup {
  return markup`<p>Known by ${note.asOf}. ${note.words} words. ${closingLine(note)}</p>`;
}

/** `prefix` keeps the sources of one note apart from those of another. */
function noteSections(note: SoapNote, prefix: string): PageSection[] {
  const parts = note.text.split(/^## /mu).filter((part) => part.trim() !== '');
  const sections = parts.map((part, at): PageSection => {
    const [title = '', ...lines] = part.split('\n').filter((line) => line.trim() !== '');
    const items = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
    const prose = lines.filter((line) => !line.startsWith('- '));
    const list = items.map((line) => markup`<li>${linkItem(line, prefix)}</li>`);
    return {
      id: `${prefix}-part-${at + 1}`,
      title,
      body: markup`${prose.map((line) => markup`<p>${linkMarks(line, prefix)}</p>`)}${list.length === 0 ? markup`` : markup`<ul>${list}</ul>`}`,
    };
  });
  const sources = note.sources.map(
    (source) =>
      markup`<dt id="${prefix}-${source.key}">${source.key}: ${describeSource(source)}</dt><dd><blockquote>${source.text}</blockquote></dd>`,
  );
  const earlier = citedPrior(note).map(
    (one) =>
      markup`<dt id="${prefix}-${one.citations.join()}">${one.citations.join()}: ${describePrior(one)}</dt><dd><blockquote>${one.text}</blockquote></dd>`,
  );
  return [
    ...sections,
    { id: `${prefix}-sources`, title: 'Sources', body: markup`<dl>${[...sources, ...earlier]}</dl>` },
  ];
}

/** `08:15 nursing:` stands out. */
function linkItem(line: string, prefix: string): Markup {
  const lead = /^(?:[\d-]{10} )?(?:\d{2}:\d{2}|no time)? ?[a-z ]+:|^[A-Z][a-z ]+:/u.exec(line)?.[0] ?? '';
  return markup`<strong>${lead}</strong>${linkMarks(line.slice(lead.length), prefix)}`;
}

const MARK = /\[((?:[SP]\d+)(?:, [SP]\d+)*)\]|(\(⚠ not proved: [^()]*\))/gu;

function linkMarks(text: string, prefix: string): Markup {
  const pieces: Markup[] = [];
  let at = 0;
  for (const { index, 0: whole, 1: keys, 2: warning } of text.matchAll(MARK)) {
    pieces.push(markup`${text.slice(at, index)}`);
    const links = (keys ?? '').split(', ').map((key) => markup` <a href="#${prefix}-${key}">${key}</a>`);
    pieces.push(
      warning === undefined ? markup`<sup>${links}</sup>` : markup`<strong class="bad">${warning}</strong>`,
    );
    at = index + whole.length;
  }
  return markup`${pieces}${text.slice(at)}`;
}
