/** The visit before → a summary whose sentences keep their sources in the earlier notes: stored, generated or the gold note's. */

import { readFile } from 'node:fs/promises';
import { auditLogPath, type AuditRecord } from '../../core/auditLog.js';
import { systemCode } from '../../core/errors.js';
import { countWords, splitSentences } from '../../core/text.js';
import type { Note, Visit } from '../../core/types.js';
import type { PriorSentence, PriorSummary, QuotedSentence, SoapSentence } from './noteRecord.js';
import type { PatientChart } from '../chartStore.js';
import { cleanText } from '../clean.js';
import { spanBefore } from '../clean/offsetMap.js';
import { listAdmissions, listVisits } from '../visits.js';

export const PRIOR_MODES = ['stored', 'generate', 'gold', 'none'] as const;
export type PriorMode = (typeof PRIOR_MODES)[number];

/** Of the summary as a prompt gets it. */
const SUMMARY_WORDS = 160;

/** The last visit before this one, dates or admissions as this one is. */
export function findPriorVisit(notes: readonly Note[], visit: Visit): Visit | undefined {
  const isAdmission = visit.id === `${visit.patientId}/${visit.admissionId ?? ''}`;
  const visits = isAdmission ? listAdmissions(notes) : listVisits(notes);
  return visits.filter(({ lastDate }) => lastDate < visit.date).at(-1);
}

/** What `generate` needs: composes the visit from its own evidence, with no prior of its own. */
export type ComposeVisit = (visit: Visit) => Promise<readonly QuotedSentence[]>;

/**
 * `mode` undefined: the stored note of the visit before, else one generated. `asOf` limits what of the gold note and of
 * the evidence was known. Undefined where there is no visit before, or nothing of it.
 */
export async function summarizePrior(
  chart: PatientChart,
  visit: Visit,
  options: { mode?: PriorMode; asOf: string; composeVisit: ComposeVisit },
): Promise<PriorSummary | undefined> {
  if (options.mode === 'none') return undefined;
  const prior = findPriorVisit(chart.notes, visit);
  if (prior === undefined) return undefined;
  const tries: readonly PriorSummary['from'][] =
    options.mode === undefined ? ['stored', 'generate'] : [options.mode];
  for (const from of tries) {
    const sentences =
      from === 'stored'
        ? await readStored(chart, { prior, asOf: options.asOf })
        : from === 'gold'
          ? readGold(chart.notes, { prior, asOf: options.asOf })
          : await options.composeVisit(prior);
    if (sentences.length === 0) continue;
    const earlier = sentences.map((sentence, at) => ({ ...sentence, citations: [`P${at + 1}`] }));
    return { visitId: prior.id, date: prior.lastDate, from, sentences: earlier, text: summaryText(earlier) };
  }
  return undefined;
}

/** The first sentences that fit, each with its key and the date and time of its note. */
function summaryText(sentences: readonly PriorSentence[]): string {
  const lines: string[] = [];
  let words = 0;
  for (const { text, citations, date, time } of sentences) {
    words += countWords(text);
    if (words > SUMMARY_WORDS) continue;
    lines.push(`${[date, time ?? ''].join(' ').trim()}: ${text} (${citations.join(', ')})`);
  }
  return lines.join('\n');
}

/** The sentences of the last note that was written for the visit and known by then; a record that is none is passed over. */
async function readStored(
  chart: PatientChart,
  { prior, asOf }: { prior: Visit; asOf: string },
): Promise<readonly PriorSentence[]> {
  let log = '';
  try {
    log = await readFile(auditLogPath(chart.folder), 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
  for (const line of log.split('\n').reverse()) {
    if (!line.includes('"command":"note"') || !line.includes(JSON.stringify(prior.id))) continue;
    try {
      const record = JSON.parse(line) as AuditRecord;
      const sentences = record.output['sentences'];
      const known = record.settings['asOf'];
      if (
        record.subject === prior.id &&
        typeof known === 'string' &&
        known <= asOf &&
        Array.isArray(sentences)
      )
        return (sentences as (SoapSentence & { date?: string })[]).map((sentence) => ({
          ...sentence,
          date: sentence.date ?? prior.lastDate,
        }));
    } catch {
      // A line that a killed writer left unfinished.
    }
  }
  return [];
}

function readGold(notes: readonly Note[], { prior, asOf }: { prior: Visit; asOf: string }): PriorSentence[] {
  const own = new Set(prior.noteIds);
  return notes
    .filter(
      ({ id, type, stored }) =>
        own.has(id) && type === 'progress_notes' && (stored === undefined || stored <= asOf),
    )
    .flatMap((note) => {
      const { text, map } = cleanText(note.text);
      return splitSentences(text)
        .filter(({ start, end }) => countWords(text.slice(start, end)) > 2)
        .map((span) => ({
          text: text.slice(span.start, span.end),
          citations: [],
          noteId: note.id,
          span: spanBefore(map, span),
          date: note.date,
          ...(note.time === undefined ? {} : { time: note.time.slice(0, 5) }),
          type: note.type,
        }));
    });
}
