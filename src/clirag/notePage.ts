/** SOAP notes of a patient → one self-contained HTML page: every sentence leads to its own words in the sources beside it. */

import { markup, renderPage, type Markup, type PageSection } from '../core/report.js';
import type { SoapNote } from './note/noteRecord.js';
import { sourceWords, type SourceWords } from './sourceWords.js';
import { citedPrior, closingLine, describePrior, describeSource } from './renderNote.js';

/** A note alone is a page with its sections; a course is a page with a section for each visit. */
export function renderNotePage(notes: readonly SoapNote[]): string {
  const [first] = notes;
  const patient = first?.patientId ?? '';
  if (first !== undefined && notes.length === 1) {
    return renderPage({
      title: `Progress note, patient ${patient}, visit ${first.date}`,
      lead: renderLead(first),
      sections: [{ id: 'note', title: 'Note', body: renderBeside(first, 'note') }],
    });
  }
  const sections = notes.map((note, at): PageSection => {
    const id = `visit-${at + 1}`;
    return {
      id,
      title: `Visit of ${note.date}`,
      body: markup`${renderLead(note)}${renderBeside(note, id)}`,
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

/** The note to the left, its sources to the right. `prefix` keeps the sources of one note apart from those of another. */
function renderBeside(note: SoapNote, prefix: string): Markup {
  const words = sourceWords(note);
  const parts = note.text.split(/^## /mu).filter((part) => part.trim() !== '');
  const sections = parts.map((part) => {
    const [title = '', ...lines] = part.split('\n').filter((line) => line.trim() !== '');
    const items = lines.filter((line) => line.startsWith('- ')).map((line) => line.slice(2));
    const prose = lines.filter((line) => !line.startsWith('- '));
    const list = items.map((line) => markup`<li>${linkItem(line, { prefix, words })}</li>`);
    const paragraphs = prose.map((line) => markup`<p>${linkMarks(line, { prefix, words })}</p>`);
    return markup`<h3>${title}</h3>${paragraphs}${list.length === 0 ? markup`` : markup`<ul>${list}</ul>`}`;
  });
  const sources = note.sources.map(
    (source) =>
      markup`<dt id="${prefix}-${source.key}">${source.key}: ${describeSource(source)}</dt><dd><blockquote>${markWords(source, { prefix, words })}</blockquote></dd>`,
  );
  const earlier = citedPrior(note).map(
    (one) =>
      markup`<dt id="${prefix}-${one.citations.join()}">${one.citations.join()}: ${describePrior(one)}</dt><dd><blockquote>${one.text}</blockquote></dd>`,
  );
  return markup`<div class="beside"><div>${sections}</div><aside aria-label="Sources"><h3 id="${prefix}-sources">Sources</h3><dl>${[...sources, ...earlier]}</dl></aside></div>`;
}

interface Place {
  readonly prefix: string;
  readonly words: SourceWords;
}

/** The words of each sentence that rests on the source, to be led to. */
function markWords({ key, text }: SoapNote['sources'][number], { prefix, words }: Place): Markup {
  const pieces: Markup[] = [];
  let at = 0;
  for (const [ordinal, { start, end }] of words.spansOf(key).entries()) {
    pieces.push(
      markup`${text.slice(at, start)}<mark id="${prefix}-${key}-${ordinal + 1}">${text.slice(start, end)}</mark>`,
    );
    at = end;
  }
  return markup`${pieces}${text.slice(at)}`;
}

/** `08:15 nursing:` stands out. */
function linkItem(line: string, place: Place): Markup {
  const lead = /^(?:[\d-]{10} )?(?:\d{2}:\d{2}|no time)? ?[a-z ]+:|^[A-Z][a-z ]+:/u.exec(line)?.[0] ?? '';
  return markup`<strong>${lead}</strong>${linkMarks(line.slice(lead.length), place)}`;
}

const MARK = /\[((?:[SP]\d+)(?:, [SP]\d+)*)\]|(\(⚠ not proved: [^()]*\))/gu;

function linkMarks(text: string, { prefix, words }: Place): Markup {
  const pieces: Markup[] = [];
  let at = 0;
  for (const { index, 0: whole, 1: keys, 2: warning } of text.matchAll(MARK)) {
    const said = text.slice(at, index);
    const cited = (keys ?? '').split(', ');
    const target = keys === undefined ? undefined : words.targetOf(said, cited);
    const [, blank = '', claim = '', after = ''] = /^(\s*)(.*?)(\s*)$/su.exec(said) ?? [];
    pieces.push(
      target === undefined || claim === ''
        ? markup`${said}`
        : markup`${blank}<a class="claim" href="#${prefix}-${target}">${claim}</a>${after}`,
    );
    const links = cited.map((key) => markup` <a href="#${prefix}-${key}">${key}</a>`);
    pieces.push(
      warning === undefined ? markup`<sup>${links}</sup>` : markup`<strong class="bad">${warning}</strong>`,
    );
    at = index + whole.length;
  }
  return markup`${pieces}${text.slice(at)}`;
}
