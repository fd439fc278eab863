/** A note's statements and a patient's chart → for each: supported, contradicted, stale or not found, with what the chart says and when. */

import { findOrders } from '../note/drugOrders.js';
import { findValues } from '../note/measuredValues.js';
import type { NoteSentence } from '../note/noteSentences.js';
import { isCorrection, type Unsound } from '../note/soundSentences.js';
import { findOrder, readChange, type ChangeClaim } from './changeClaims.js';
import { findChartedValues } from './claimValues.js';
import { splitClaim } from './claimParts.js';
import { withCitations } from './claimCitations.js';
import {
  placeOf,
  quotesOf,
  sourcesOf,
  type ChartQuote,
  type CheckVerdict,
  type CheckedClaim,
  type CheckedNote,
  type Grounded,
} from './checkedClaim.js';
import { findTwist } from './twistedQuotes.js';
import { laterValues, unsupported } from './unsupported.js';
import { quoteFor, type ChartSource, type ChartSources, type Library } from './chartSources.js';
import { readClaimTime, type ClaimTime } from './claimTimes.js';
import type { CitedSource, NoteClaim, ReadNote } from './noteClaims.js';

export function checkNote({ claims, sources }: ReadNote, chart: ChartSources): CheckedNote {
  const cited = new Map(sources.map((source: CitedSource) => [source.key, source.noteId]));
  const checked = claims.map((claim) => withCitations(checkOne(claim, chart), { cited, chart }));
  const counts = { supported: 0, contradicted: 0, stale: 0, 'not-found': 0 };
  for (const { verdict } of checked) counts[verdict]++;
  const { visit, evidence } = chart;
  return { patientId: visit.patientId, visitId: visit.id, asOf: evidence.asOf, claims: checked, counts };
}

/** Whole, and where that is not supported, finding by finding: the worst of them decides. */
function checkOne(claim: NoteClaim, chart: ChartSources): CheckedClaim {
  const change = readChange(claim.text, chart.visit.date);
  if (change !== undefined) return checkChange(claim, { change, chart });
  const twist = findTwist(claim.text, chart.current);
  if (twist !== undefined)
    return {
      ...claim,
      verdict: 'contradicted',
      sources: quotesOf(claim.text, [twist.source]),
      reasons: [twist.reason],
      remarks: [],
    };
  const whole = checkStatement(claim, chart);
  if (whole.verdict === 'supported') return whole;
  const labelled = checkUnderLabel(claim, chart);
  if (labelled !== undefined) return labelled;
  const parts = splitClaim(claim.text);
  return parts.length < 2 ? whole : joinParts(claim, checkAll(claim, { texts: parts, chart }));
}

/** `Trauma, s/p: Hct q6h`: the words stand under that header of the chart. Undefined where they do not. */
function checkUnderLabel(claim: NoteClaim, chart: ChartSources): CheckedClaim | undefined {
  const [, label = '', rest = ''] = /^([^:]{2,40}):\s+(\S.*)$/su.exec(claim.text) ?? [];
  if (rest === '') return undefined;
  const own = chart.current.sources.filter(
    ({ chunk }) => chunk.header === label || chunk.subheaders.includes(label),
  );
  if (own.length === 0) return undefined;
  const grounded = chart.current.ground(rest, new Set(own.map(({ key }) => key)));
  return grounded?.verdict === 'supported'
    ? supported(claim, { grounded, library: chart.current })
    : undefined;
}

function checkAll(
  claim: NoteClaim,
  { texts, chart }: { texts: readonly string[]; chart: ChartSources },
): CheckedClaim[] {
  return texts.map((text) => checkStatement({ ...claim, text }, chart));
}

const WORST: readonly CheckVerdict[] = ['contradicted', 'stale', 'not-found', 'supported'];

function joinParts(claim: NoteClaim, parts: readonly CheckedClaim[]): CheckedClaim {
  const verdict = WORST.find((one) => parts.some((part) => part.verdict === one)) ?? 'not-found';
  const failing = parts.filter((part) => part.verdict !== 'supported');
  const told = failing.flatMap(({ text, reasons }) => reasons.map((reason) => `"${text}": ${reason}`));
  const quoted = verdict === 'supported' ? parts : failing;
  const sources = new Map(
    quoted.flatMap((part) => part.sources.map((source) => [`${source.noteId} ${source.span.start}`, source])),
  );
  return {
    ...claim,
    verdict,
    sources: [...sources.values()],
    reasons: told,
    remarks: [...new Set(parts.flatMap(({ remarks }) => remarks))],
  };
}

function checkChange(
  claim: NoteClaim,
  { change, chart }: { change: ChangeClaim; chart: ChartSources },
): CheckedClaim {
  if (change.orders.length === 0)
    return joinParts(claim, checkAll(claim, { texts: change.statements, chart }));
  const found = change.orders.map((order) => findOrder(order, chart));
  const missing = change.orders.filter((_, at) => found[at] === undefined);
  return {
    ...claim,
    verdict: missing.length === 0 ? 'supported' : 'not-found',
    sources: found.flatMap((one) => (one === undefined ? [] : [{ ...placeOf(one.source), ...one.quote }])),
    reasons: missing.map(
      ({ drug, action, date, time }) =>
        `no note of ${date}${time === undefined ? '' : ` ${time}`} says that ${drug} is ${action}`,
    ),
    remarks: [],
  };
}

/** Sections and words that hold from day to day. */
const LASTING =
  /history|allerg|home med|medications on admission|admission medications|chief complaint|reason for|code status|full code|\bDNR\b|\bDNI\b|NKDA|demographics|social|family|PMH|HPI|year[- ]old/iu;

function checkStatement(claim: NoteClaim, chart: ChartSources): CheckedClaim {
  const time = readClaimTime(claim.text, chart.visit.date);
  const named = checkNamedDays(claim, { time, chart });
  if (named !== undefined) return named;
  const now = groundTimed(claim.text, chart.current);
  const tellsIt = isCorrection(claim.text) || time.isEarlier;
  if (now?.verdict === 'supported') {
    const known = { grounded: now, library: chart.current };
    const over = tellsIt
      ? undefined
      : whyOver(claim.text, { source: latest(sourcesOf(now, chart.current)), chart });
    return over === undefined
      ? supported(claim, { ...known, remarks: laterValues(claim, time, chart) })
      : stale(claim, { ...known, reasons: [over] });
  }
  const values = findChartedValues(claim.text, valueSentences(time, chart));
  if (values !== undefined) return supportedBySentences(claim, values);
  const ever = groundTimed(claim.text, chart.whole);
  if (ever?.verdict === 'supported') {
    const known = { grounded: ever, library: chart.whole };
    return tellsIt
      ? supported(claim, known)
      : stale(claim, { ...known, reasons: [overReason(claim, { grounded: ever, chart })] });
  }
  const before = groundTimed(claim.text, chart.earlier);
  const otherDay = before?.verdict === 'supported' ? undefined : findOtherDay(claim, { time, chart });
  if (otherDay !== undefined) return otherDay;
  return before?.verdict === 'supported'
    ? judgeEarlier(claim, { before, now, time, chart })
    : unsupported(claim, now, chart);
}

/** What only earlier days say: told as such, a lasting fact, or stale. */
function judgeEarlier(
  claim: NoteClaim,
  {
    before,
    now,
    time,
    chart,
  }: { before: Grounded; now: Grounded | undefined; time: ClaimTime; chart: ChartSources },
): CheckedClaim {
  const known = { grounded: before, library: chart.earlier };
  const source = latest(sourcesOf(before, chart.earlier));
  const date = source?.chunk.date ?? '';
  const remarks = [`charted on ${date}, not for this visit`];
  const lasts = LASTING.test(claim.text) || (source !== undefined && LASTING.test(source.chunk.header));
  const isOpposed = now?.verdict === 'contradicted';
  if (time.isEarlier || (lasts && !isOpposed)) return supported(claim, { ...known, remarks });
  const isOver = hasEnded(claim.text, { chart, charted: date });
  if (!isOpposed && !isOver && !STATES_NOW.test(claim.text) && findValues(claim.text).length === 0)
    return supported(claim, { ...known, remarks });
  const today = isOpposed ? (now.reasons.length > 0 ? [`today: ${now.reasons.join('; ')}`] : []) : [];
  return {
    ...stale(claim, {
      ...known,
      reasons: [...remarks, ...(isOver ? ['ended since'] : []), ...today],
    }),
  };
}

/** An amount, an order, or words for a state that goes on: what an earlier day cannot prove for this one. */
const STATES_NOW =
  /\d\s?(?:mg|mcg|g|gm|units?|mEq|mmol|mL|cc|L|%|cm|kg|C|F|beats|bpm)\b|\b(?:remains?|still|currently|continues?|today|now|this (?:morning|afternoon|evening))\b|\bon (?:the )?(?:vent\w*|pressors?|CMV|CPAP|BiPAP|\d+ ?L)/iu;

/** Of the day that the statement names; of earlier days too where it speaks of before. */
function valueSentences(time: ClaimTime, chart: ChartSources): readonly NoteSentence[] {
  if (!time.isEarlier) return chart.sound;
  const all = [...chart.sound, ...chart.earlierSentences()];
  return time.isOn ? all.filter(({ chunk }) => time.dates.includes(chunk.date)) : all;
}

/** A sentence holds, but a value in it was corrected or the state that it tells is over: when that was charted. */
function whyOver(
  text: string,
  { source, chart }: { source: ChartSource | undefined; chart: ChartSources },
): string | undefined {
  const when = source === undefined ? '' : whenOf(source);
  if (hasEnded(text, { chart, charted: source === undefined ? '' : chartedAt(source) }))
    return `charted on ${when}, ended since`;
  for (const { name, value } of findValues(text)) {
    const has = ({ values }: NoteSentence): boolean =>
      values.some((other) => other.name === name && other.value === value);
    const wrong = chart.unsound.find(({ sentence, reason }) => reason === 'corrected later' && has(sentence));
    if (wrong !== undefined && !chart.sound.some((one) => has(one) && !isCorrection(one.text)))
      return `charted on ${wrong.sentence.charted.replace(' ~', '')}, corrected later`;
  }
  return undefined;
}

/** By what the visit's notes say, the state that the statement tells is over. */
function hasEnded(text: string, { chart, charted }: { chart: ChartSources; charted: string }): boolean {
  const [any] = chart.sentences;
  if (any === undefined) return false;
  const said = { ...any, text, values: findValues(text), orders: findOrders(text), charted };
  const over = chart.readOver(said);
  return over.isFalse || over.clauses.length > 0;
}

function whenOf({ chunk }: ChartSource): string {
  return `${chunk.date}${chunk.time === undefined ? '' : ` ${chunk.time.slice(0, 5)}`}`;
}

/** A statement with a date of its own is compared with that day's notes. */
function checkNamedDays(
  claim: NoteClaim,
  { time, chart }: { time: ClaimTime; chart: ChartSources },
): CheckedClaim | undefined {
  const [date, ...others] = time.dates;
  if (date === undefined || others.length > 0) return undefined;
  for (const library of [chart.whole, chart.earlier]) {
    const own = new Set(library.sources.filter(({ chunk }) => chunk.date === date).map(({ key }) => key));
    const found = own.size === 0 ? undefined : groundTimed(time.text, library, own);
    if (found?.verdict === 'supported') return supported(claim, { grounded: found, library });
  }
  // The day may stand in the text of another note.
  for (const library of [chart.whole, chart.earlier]) {
    const said = library.ground(claim.text);
    if (said?.verdict === 'supported') return supported(claim, { grounded: said, library });
  }
  return undefined;
}

/** The chart says it, but of another day than the statement. */
function findOtherDay(
  claim: NoteClaim,
  { time, chart }: { time: ClaimTime; chart: ChartSources },
): CheckedClaim | undefined {
  const [date] = time.dates;
  if (date === undefined || !time.isOn) return undefined;
  for (const library of [chart.whole, chart.earlier]) {
    const elsewhere = groundTimed(time.text, library);
    const source = elsewhere === undefined ? undefined : latest(sourcesOf(elsewhere, library));
    if (elsewhere?.verdict === 'supported' && source !== undefined && source.chunk.date !== date)
      return {
        ...claim,
        verdict: 'contradicted',
        sources: quotesOf(claim.text, [source]),
        reasons: [`says ${date}, the chart has it on ${source.chunk.date}`],
        remarks: [],
      };
  }
  return undefined;
}

const CLOCK =
  /\s*\(?\b(?:at|@|by|around)?\s*\b(?:[01]?\d|2[0-3]):?[0-5]\d\b(?!\s*(?:mg|mL|units|cc|kg|%|\/))\)?/iu;

/** A time of day that no text states may be the note's own. */
function groundTimed(text: string, library: Library, keys?: ReadonlySet<string>): Grounded | undefined {
  const said = library.ground(text, keys);
  const clock = /\b([01]?\d|2[0-3]):([0-5]\d)\b/u.exec(text);
  if (said?.verdict === 'supported' || clock === null) return said;
  const noted = `${(clock[1] ?? '').padStart(2, '0')}:${clock[2] ?? ''}`;
  const own = new Set(
    library.sources
      .filter(({ key, chunk }) => keys?.has(key) !== false && chunk.time?.slice(0, 5) === noted)
      .map(({ key }) => key),
  );
  if (own.size === 0) return said;
  const timed = library.ground(text.replace(CLOCK, ' ').replace(/\s+/gu, ' ').trim(), own);
  return timed?.verdict === 'supported' ? timed : said;
}

function latest(sources: readonly ChartSource[]): ChartSource | undefined {
  return [...sources].sort((a, b) => (chartedAt(a) < chartedAt(b) ? 1 : -1))[0];
}

function chartedAt({ chunk }: ChartSource): string {
  return `${chunk.date} ${chunk.time?.slice(0, 5) ?? '~'}`;
}

function supported(
  claim: NoteClaim,
  { grounded, library, remarks = [] }: { grounded: Grounded; library: Library; remarks?: readonly string[] },
): CheckedClaim {
  const sources = quotesOf(claim.text, sourcesOf(grounded, library));
  return { ...claim, verdict: 'supported', sources, reasons: [], remarks };
}

function supportedBySentences(claim: NoteClaim, sentences: readonly NoteSentence[]): CheckedClaim {
  const sources = sentences.map(({ chunk, text, rawSpan }): ChartQuote => ({
    ...placeOf({ chunk }),
    text,
    span: rawSpan,
  }));
  return { ...claim, verdict: 'supported', sources, reasons: [], remarks: [] };
}

function stale(
  claim: NoteClaim,
  { grounded, library, reasons }: { grounded: Grounded; library: Library; reasons: readonly string[] },
): CheckedClaim {
  const sources = quotesOf(claim.text, sourcesOf(grounded, library));
  return { ...claim, verdict: 'stale', sources, reasons, remarks: [] };
}

const OVER: Readonly<Record<Exclude<Unsound, 'copied forward'>, string>> = {
  'corrected later': 'corrected later',
  'state has ended': 'ended since',
};

/** When the chart said it, and why it holds no longer. */
function overReason(
  claim: NoteClaim,
  { grounded, chart }: { grounded: Grounded; chart: ChartSources },
): string {
  const source = latest(sourcesOf(grounded, chart.whole));
  if (source === undefined) return 'taken back later';
  const quote = quoteFor(claim.text, source).text;
  const why = chart.unsound.find(({ sentence }) => quote.includes(sentence.text));
  const told = why === undefined || why.reason === 'copied forward' ? 'taken back later' : OVER[why.reason];
  return `charted on ${whenOf(source)}, ${told}`;
}
