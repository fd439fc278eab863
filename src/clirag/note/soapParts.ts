/** A sentence of a note, its section and the questions that led to it → where it belongs: S, O, A or P. */

import type { Chunk, Section, SoapPart } from '../../core/types.js';
import { findValues } from './measuredValues.js';
import { SOAP_CUES, TYPE_PARTS } from './soapCues.js';

const FURTHER_CUES = 0.4;
/** A type that says more than its sections do: a report. */
const REPORT_PRIOR = 3;

/** What is told there happened before, or overnight: also where drugs and values are named. */
const TELLS_HISTORY =
  /^(?:chief complaint|history of present illness|interval events|subjective|past (?:medical|surgical) history|reason for visit|(?:brief |clinical |birth )?history(?: of (?:present(?:ing)? )?illness)?|hx)$/iu;
const HISTORY_PRIOR = 1.5;
/** Told of before the patient came here, values too. */
const ELSEWHERE = /\b(?:(?:in|at|to) (?:the )?(?:ED|ER|OSH|scene)|en route|OSH)\b/u;
const ORDERS_PRIOR = 2;
const DIAGNOSES_PRIOR = 3;

/** A row of values, or one at the head of the sentence. */
function isMeasured(text: string): boolean {
  const values = findValues(text);
  return values.length > 1 || values.some(({ at }) => at < 12) || /^\W*(?:[AV]BG|gas|labs?)\b/iu.test(text);
}

/** Section, note type, the questions that led here and the sentence's own words, each with its weight. */
export function assignPart(
  text: string,
  {
    chunk,
    parts,
    section,
    isOrders,
  }: {
    chunk: Chunk;
    /** SOAP parts of the questions that led to the chunk, by their best score. */
    parts: Readonly<Partial<Record<SoapPart, number>>>;
    section: Section | undefined;
    /** Its note calls itself one of orders. */
    isOrders: boolean;
  },
): SoapPart {
  const sums: Record<SoapPart, number> = { S: 0, O: 0, A: 0, P: 0 };
  const title = section?.header ?? chunk.header;
  const isNursing = chunk.type === 'nursing' || chunk.type === 'nursing_other';
  // A nurse's assessment is what was observed.
  const written = section?.soap ?? chunk.soap;
  const hint = isNursing && written === 'A' ? 'O' : written;
  if (title === 'Assessment and Plan') {
    sums.A += 2;
    sums.P += 1.7;
  } else if (hint !== undefined) sums[hint] += 2.5;
  if (TELLS_HISTORY.test(title) && (!isMeasured(text) || ELSEWHERE.test(text))) sums.S += HISTORY_PRIOR;
  if (isOrders) sums.P += ORDERS_PRIOR;
  if (/plan/iu.test(section?.header ?? '') || /plan/iu.test(chunk.header)) sums.P += 1;
  for (const [part, weight] of Object.entries(TYPE_PARTS[chunk.type] ?? {}) as [SoapPart, number][])
    if (hint === undefined || (weight > REPORT_PRIOR && hint !== 'S')) sums[part] += weight;
  if (hint === undefined && /\bdiagnos[ie]s\b/iu.test(title)) sums.A += DIAGNOSES_PRIOR;
  for (const [part, score] of Object.entries(parts) as [SoapPart, number][]) sums[part] += 0.8 * score;
  const cues: Record<SoapPart, number[]> = { S: [], O: [], A: [], P: [] };
  for (const { part, weight, pattern } of SOAP_CUES) if (pattern.test(text)) cues[part].push(weight);
  // The strongest cue counts whole, more of the same kind little.
  for (const part of ['S', 'O', 'A', 'P'] as const) {
    const strongest = Math.max(0, ...cues[part]);
    const all = cues[part].reduce((sum, weight) => sum + weight, 0);
    sums[part] += strongest + FURTHER_CUES * (all - strongest);
  }
  return (['O', 'P', 'A', 'S'] as const).reduce((best, part) => (sums[part] > sums[best] ? part : best), 'O');
}
