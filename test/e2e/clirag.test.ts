/** The clirag program itself with the real MiniLM weights: retrieve, prompt, note, course. */

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SoapNote } from '../../src/clirag/note/noteRecord.js';
import { CHARTS_FILE } from '../clirag/charts.js';
import { writeRows, type Row } from './cliragRows.js';
import { clirag, type Ended } from './runBin.js';

let cwd = '';
beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'clirag e2e '));
  expect((await run('index', CHARTS_FILE)).code).toBe(0);
}, 60_000);
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

function run(...args: string[]): Promise<Ended> {
  return clirag([...args, '--quiet'], { cwd });
}

const VISIT = ['--patient', '40009', '--embedder', 'minilm', '--visit'];

function jsonLines<Line>(text: string): Line[] {
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

interface StageLine {
  readonly stage: string;
  readonly question?: string;
  readonly hits?: readonly { score: number; parts: Record<string, number>; noteId: string }[];
  readonly dropped?: readonly unknown[];
  readonly contributions?: readonly { type: string; hits: number }[];
}

test('retrieve: both stages, the parts of every score, what was dropped, who contributed', async () => {
  const { code, out } = await run('retrieve', ...VISIT, '#2', '--json');
  expect(code).toBe(0);
  const lines = jsonLines<StageLine>(out);
  expect(new Set(lines.map(({ stage }) => stage))).toEqual(new Set(['global', 'local']));
  const hits = lines.flatMap((line) => line.hits ?? []);
  expect(hits.length).toBeGreaterThan(50);
  for (const { score, parts } of hits) {
    expect(Object.keys(parts)).toEqual(expect.arrayContaining(['dense', 'keyword']));
    expect(score).toBeGreaterThanOrEqual(0);
  }
  expect(lines.filter(({ contributions }) => contributions !== undefined)).toHaveLength(2);
  const table = await run('retrieve', ...VISIT, '#2', '--no-local');
  expect(table.out).toMatch(/score +cosine +BM25 +symptoms/u);
  expect(table.out).not.toContain('local ');
});

test('prompt: the template, brackets and nothing else on stdout', async () => {
  const { code, out, err } = await run('prompt', ...VISIT, '2163-10-12');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^You are a physician/u);
  expect(out).toMatch(/\[S1 \| [a-z_]+(?: \d\d:\d\d)? \| .+ \| chunk \d+\]/u);
  expect(out).toContain('# Summary of the visit of 2163-10-11');
  expect(out.trimEnd()).toMatch(/Subjective:\nObjective:\nAssessment:\nPlan:$/u);
  const small = await run('prompt', ...VISIT, '2163-10-12', '--context-tokens', '3500');
  expect(small.out.length).toBeLessThan(out.length);
  expect(small.err).toMatch(/tokens do not fit/u);
});

describe('note', () => {
  test('Markdown: four sections, 250 to 600 words, a source for every mark', async () => {
    const { code, out } = await run('note', ...VISIT, '2163-10-12', '--prior', 'generate');
    expect(code).toBe(0);
    for (const heading of ['Subjective', 'Objective', 'Assessment', 'Plan', 'Since the visit of 2163-10-11'])
      expect(out).toContain(`\n## ${heading}\n`);
    const words = Number(/(\d+) words/u.exec(out)?.[1]);
    expect(words).toBeGreaterThanOrEqual(250);
    expect(words).toBeLessThanOrEqual(600);
    const [body = '', sources = ''] = out.split('\n## Sources\n');
    const marks = new Set([...body.matchAll(/[SP]\d+(?=[,\]])/gu)].map(([key]) => key));
    expect(marks.size).toBeGreaterThan(5);
    for (const key of marks) expect(sources).toContain(`- [${key}]`);
  });

  test('JSON: spans lead to the words in the raw note', async () => {
    const { out } = await run('note', ...VISIT, '#1', '--format', 'json');
    const [note] = jsonLines<SoapNote>(out);
    expect(note?.patientId).toBe('40009');
    expect(note?.auditId).toMatch(/^[0-9a-f-]{36}$/u);
    expect(note?.grounding.sentences.length).toBeGreaterThan(10);
  });

  test('HTML: a page without script or request, in a file that is not overwritten unasked', async () => {
    const args = ['note', ...VISIT, '#1', '--format', 'html', '--out', 'note.html'];
    expect((await run(...args)).out).toBe('');
    const page = await readFile(join(cwd, 'note.html'), 'utf8');
    expect(page).not.toMatch(/<script|src=|href="(?!#)/u);
    const targets = new Set([...page.matchAll(/ id="([^"]+)"/gu)].map(([, id]) => id));
    const links = [...page.matchAll(/href="#([^"]+)"/gu)].map(([, id]) => id);
    expect(links.length).toBeGreaterThan(20);
    expect(links.filter((id) => !targets.has(id))).toEqual([]);
    const again = await run(...args);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('--force')]);
    expect((await run(...args, '--force')).code).toBe(0);
  });

  test('a course: each later note with the stored note of the visit before', async () => {
    const { code, out } = await run(
      'note',
      '--patient',
      '40012',
      '--embedder',
      'minilm',
      '--all-visits',
      '--json',
    );
    expect(code).toBe(0);
    const notes = jsonLines<SoapNote>(out);
    expect(notes.length).toBeGreaterThanOrEqual(3);
    expect(notes[0]?.priorSummary).toBeUndefined();
    for (const [at, note] of notes.entries()) {
      if (at === 0) continue;
      expect(note.priorSummary?.from).toBe('stored');
      expect(note.priorSummary?.visitId).toBe(notes[at - 1]?.visitId);
    }
  });

  test('as of noon: nothing charted later', async () => {
    const { out } = await run('note', ...VISIT, '#1', '--as-of', '2163-10-11 12:00', '--json');
    const [note] = jsonLines<SoapNote>(out);
    expect(note?.sources.length).toBeGreaterThan(0);
    for (const { time } of note?.sources ?? []) expect((time ?? '00:00') <= '12:00').toBe(true);
  });

  test('other modes of the summary, and progress notes of other services', async () => {
    const gold = await run('note', ...VISIT, '#2', '--prior', 'gold', '--json');
    expect(jsonLines<SoapNote>(gold.out)[0]?.priorSummary?.from).toBe('gold');
    const none = await run('note', ...VISIT, '#2', '--prior', 'none', '--json');
    expect(jsonLines<SoapNote>(none.out)[0]?.priorSummary).toBeUndefined();
    const more = await run('note', ...VISIT, '#2', '--prior', 'none', '--with-progress-notes', '--json');
    const types = jsonLines<SoapNote>(more.out)[0]?.sources.map(({ type }) => type);
    expect(types).toContain('progress_notes');
  });
});

test("planted words: none of another patient's in any prompt or note, all pairs", async () => {
  const markers = ['zanquil', 'morvane', 'tibrosk'];
  const rows = markers.flatMap((marker, at): Row[] =>
    [2, 3].map((day) => ({
      patient: at + 1,
      charted: `2150-01-0${day} 08:00:00`,
      text: `Denies chest pain ${marker}. HR ${80 + at}, BP 120/${70 + at}.\nPlan: continue ${marker} 5 mg daily.`,
    })),
  );
  await writeRows(join(cwd, 'markers.csv'), rows);
  expect((await run('index', 'markers.csv', '--index', 'markers')).code).toBe(0);
  for (const [at, marker] of markers.entries()) {
    const of = ['--index', 'markers', '--patient', String(at + 1), '--embedder', 'minilm'];
    const written = [
      await run('note', ...of, '--all-visits', '--json'),
      await run('prompt', ...of, '--visit', '#2', '--prior', 'generate'),
    ];
    for (const { code, out } of written) {
      expect(code).toBe(0);
      expect(out).toContain(marker);
      for (const other of markers) if (other !== marker) expect(out).not.toContain(other);
    }
  }
});

test('chunk and embed are filters that fit together', async () => {
  const chunks = await clirag(['chunk', '--json'], {
    cwd,
    input: 'ASSESSMENT: stable on room air.\nPLAN: wean oxygen.\n',
  });
  const { code, out } = await clirag(['embed', '--embedder', 'minilm'], { cwd, input: chunks.out });
  expect(code).toBe(0);
  const lines = jsonLines<{ header: string; vector: number[] }>(out);
  expect(lines.map(({ header }) => header)).toEqual(['Assessment', 'Plan']);
  for (const { vector } of lines) expect(vector).toHaveLength(384);
});

test('index --embed embeds every chunk once; what is embedded is kept', async () => {
  const rows = [1, 2].map((patient): Row => ({
    patient,
    charted: '2150-01-02 08:00:00',
    text: `No pain. HR 8${patient}.`,
  }));
  await writeRows(join(cwd, 'two.csv'), rows);
  const args = ['index', '--index', 'two', '--embed', '--embedder', 'minilm', '--json'];
  const first = await run(...args, 'two.csv');
  expect(jsonLines(first.out).at(-1)).toMatchObject({ embedded: 2, chunks: 2, patients: 2 });
  const second = await run(...args);
  expect(jsonLines(second.out)).toEqual([expect.objectContaining({ embedded: 0, chunks: 2, patients: 2 })]);
});
