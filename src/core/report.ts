/** Pieces of a page → one self-contained HTML file: no script, no request, every text escaped, a strict content policy. */

import { createHash } from 'node:crypto';

/** Markup that is safe to put into a page; made by `markup` only. */
export interface Markup {
  readonly source: string;
}

type Piece = string | number | Markup | readonly Markup[];

/** A template (not called `html`, which formatters would indent) whose texts and numbers are escaped and whose `Markup` is put in as it is. */
export function markup(parts: TemplateStringsArray, ...pieces: readonly Piece[]): Markup {
  return { source: parts.reduce((before, part, at) => before + toMarkup(pieces[at - 1]) + part) };
}

function toMarkup(piece: Piece | undefined): string {
  if (piece === undefined) return '';
  if (typeof piece === 'string') return escapeMarkup(piece);
  if (typeof piece === 'number') return String(piece);
  return 'source' in piece ? piece.source : piece.map(({ source }) => source).join('');
}

/** For HTML and XML, in text and in quoted attributes. Characters that XML forbids become the replacement character. */
export function escapeMarkup(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

export interface PageSection {
  /** Unique in the page; letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  readonly body: Markup;
}

/** The whole file. Sections are linked from a list at the top. */
export function renderPage(page: { title: string; lead: Markup; sections: readonly PageSection[] }): string {
  const styleHash = createHash('sha256').update(STYLE).digest('base64');
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'`;
  const { title, lead, sections } = page;
  const links = sections.map((section) => markup`<li><a href="#${section.id}">${section.title}</a></li>`);
  const bodies = sections.map(
    (section) =>
      markup`<section id="${section.id}"><h2>${section.title}</h2>
${section.body}</section>
`,
  );
  // The style is a constant whose hash the policy names; it may hold characters that `markup` would escape.
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${{ source: STYLE }}</style>
</head>
<body>
<header><h1>${title}</h1>${lead}</header>
<nav aria-label="Sections"><ul>${links}</ul></nav>
<main>
${bodies}</main>
</body>
</html>
`.source;
}

/** Longest cell, in characters, of a column that is not broken into lines. */
const SHORT_CELL = 28;

/** Columns whose cells are numbers are set right, those of short cells are not broken. `highlight` marks a row. */
export function renderTable(table: {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly caption?: string;
  readonly highlight?: (row: readonly string[]) => boolean;
}): Markup {
  const isNumeric = table.head.map((_, column) =>
    table.rows.every((row) => /^(?:–?|[-−+<]?\d.*)$/u.test(row[column] ?? '')),
  );
  const isShort = table.head.map((_, column) =>
    table.rows.every((row) => (row[column] ?? '').length <= SHORT_CELL),
  );
  const className = (column: number): Markup =>
    isNumeric[column] === true
      ? markup` class="number"`
      : isShort[column] === true
        ? markup` class="short"`
        : markup``;
  const head = table.head.map((cell, column) => markup`<th scope="col"${className(column)}>${cell}</th>`);
  const rows = table.rows.map((row) => {
    const cells = row.map((cell, column) => markup`<td${className(column)}>${cell}</td>`);
    return table.highlight?.(row) === true
      ? markup`<tr class="ours">${cells}</tr>`
      : markup`<tr>${cells}</tr>`;
  });
  const caption = table.caption === undefined ? markup`` : markup`<caption>${table.caption}</caption>`;
  return markup`<div class="scroll"><table>${caption}<thead><tr>${head}</tr></thead><tbody>${rows}</tbody></table></div>
`;
}

/** Series are told apart by colour, dash and mark, so that a page reads without colours too. */
const STYLE = `
:root { color-scheme: light dark; --text: #1c2024; --dim: #5a6470; --line: #d5dade; --ground: #fff; --soft: #f3f5f7;
  --s0: #0b6e4f; --s1: #b4421f; --s2: #3a5fa8; --s3: #8a5a00; --s4: #7a3b8f; --bad: #a3231b; --good: #0b6e4f; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e9ec; --dim: #9aa5b1; --line: #3a424b; --ground: #14181c;
  --soft: #1e242a; --s0: #4fc79a; --s1: #f0875f; --s2: #8fb0f5; --s3: #e0b050; --s4: #cf98e3; --bad: #ff8a80; --good: #4fc79a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; color: var(--text); background: var(--ground);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { font-size: 1.25rem; margin: 2.2rem 0 .6rem; } h3 { font-size: 1rem; margin: 1.2rem 0 .4rem; }
p { max-width: 70ch; margin: .4rem 0; } .dim, caption, figcaption { color: var(--dim); }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: .5rem 0; list-style: none; border-bottom: 1px solid var(--line); }
a { color: inherit; } a:focus-visible, summary:focus-visible { outline: 2px solid var(--s2); outline-offset: 2px; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; margin: .6rem 0; font-size: .9rem; }
caption { text-align: left; padding: .3rem 0; } th, td { text-align: left; vertical-align: top; padding: .25rem .6rem; border-bottom: 1px solid var(--line); }
th { font-weight: 600; vertical-align: bottom; } td { white-space: pre-line; } .number { text-align: right; font-variant-numeric: tabular-nums; }
td.number, td.short { white-space: nowrap; } tr.ours { background: var(--soft); font-weight: 600; }
.plots { display: flex; flex-wrap: wrap; gap: 1.5rem; } figure { margin: .5rem 0; flex: 1 1 30rem; max-width: 42rem; } figcaption { font-size: .9rem; }
svg { width: 100%; height: auto; } svg text { fill: var(--text); font: 12px system-ui, sans-serif; } svg .small { fill: var(--dim); font-size: 11px; }
svg .axis { stroke: var(--dim); } svg .grid { stroke: var(--line); } svg .curve { fill: none; stroke-width: 2; } svg .band { opacity: .13; stroke: none; }
svg .ideal { stroke: var(--dim); stroke-dasharray: 2 4; fill: none; }
.c0 { stroke: var(--s0); fill: var(--s0); } .c1 { stroke: var(--s1); fill: var(--s1); } .c2 { stroke: var(--s2); fill: var(--s2); }
.c3 { stroke: var(--s3); fill: var(--s3); } .c4 { stroke: var(--s4); fill: var(--s4); }
details { border-bottom: 1px solid var(--line); padding: .35rem 0; } summary { cursor: pointer; } summary .dim { font-size: .85rem; }
.case { display: grid; grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr)); gap: 1rem; padding: .5rem 0 1rem; }
.case h3 { margin-top: 0; } pre, blockquote { margin: .3rem 0; padding: .5rem .7rem; background: var(--soft); white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; font-size: .9rem; }
mark { background: #ffe58a; color: #1c2024; padding: 0 .1em; } .said { white-space: pre-line; font-weight: 600; }
a.claim { text-decoration: none; } a.claim:hover, a.claim:focus-visible { text-decoration: underline; text-underline-offset: .15em; }
.beside { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 2rem; } .beside > * { min-width: 0; } .beside h3:first-child { margin-top: 0; }
.beside aside { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; padding: 0 .5rem 1rem; align-self: start; scroll-padding: 2rem; }
.beside mark { scroll-margin: 4rem; background: none; color: inherit; padding: 0; } .beside mark:target, .beside :target mark, .case :target mark { background: #ffd23f; color: #1c2024; }
dt:target + dd blockquote { box-shadow: inset 4px 0 #ffd23f; }
@media (max-width: 50rem) { .beside { display: block; } .beside aside { position: static; max-height: none; } }
:target { outline: 2px solid var(--s2); outline-offset: 4px; } dt { font-weight: 600; margin-top: .8rem; } dd { margin: 0; } li { max-width: 80ch; margin: .3rem 0; }
.good { color: var(--good); } .bad { color: var(--bad); } ol, ul { padding-left: 1.3rem; }
@media print { nav { display: none; } .case { break-inside: avoid; } mark { outline: 1px solid; print-color-adjust: exact; } details { break-inside: avoid; } body { max-width: none; padding: 0; } .beside { display: block; } .beside aside { position: static; max-height: none; overflow: visible; } :target { outline: none; } .scroll { overflow: visible; } }
`;
