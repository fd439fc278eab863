/** A sentence of a chart → what it claims of states: that one begins, goes on, has ended, or is to begin or end. */

import type { Span } from '../../core/types.js';
import { findDrugs } from './drugOrders.js';
import { ALWAYS_INFUSED, STATE_ROWS, type StateRow } from './stateNames.js';

/** `rated`: only how much of it runs is told. */
export type ClaimKind = 'started' | 'present' | 'rated' | 'ended' | 'absent' | 'toStart' | 'toEnd';

export interface StateClaim {
  readonly state: string;
  readonly kind: ClaimKind;
  readonly row: Pick<StateRow, 'group' | 'isLasting' | 'isDecisive'>;
  /** `YYYY-MM-DD HH:MM`, of the sentence's own words where they give a time, else of its note. */
  readonly at: string;
  readonly isTimed: boolean;
  /** Of an infusion, as written; of a course the last. */
  readonly rate?: string;
  /** The clause in the sentence. */
  readonly clause: Span;
}

export interface ToldSentence {
  readonly text: string;
  /** `YYYY-MM-DD HH:MM`, `~` for an unknown time. */
  readonly charted: string;
  /** It stands among orders and plans, where `foley out` is one. */
  readonly isPlan: boolean;
}

const EXACT = (words: string): string => String.raw`(?<![\p{L}\p{N}-])(?:${words})(?![\p{L}\p{N}])`;
const COMPILED = STATE_ROWS.map((row) => ({
  row,
  names: [
    ...(row.names === undefined ? [] : [new RegExp(EXACT(row.names), 'giu')]),
    ...(row.exact === undefined ? [] : [new RegExp(EXACT(row.exact), 'gu')]),
  ],
  begun: row.begun === undefined ? undefined : new RegExp(EXACT(row.begun), 'giu'),
  ended: row.ended === undefined ? undefined : new RegExp(EXACT(row.ended), 'giu'),
}));
const ANY_STATE = new RegExp(
  EXACT(
    STATE_ROWS.flatMap(({ names, exact, begun, ended }) => [names, exact, begun, ended])
      .filter((words) => words !== undefined)
      .join('|'),
  ),
  'iu',
);
const INFUSED =
  /\b(?:gtts?|drips?|infusions?|infusing|mcg\/kg\/min|mcg\/min|units?\/(?:kg\/)?h(?:r|our)?|mg\/h(?:r|our)?)\b/iu;
const ALL_PRESSORS = /\b(?:vaso)?pressors?\b/giu;
const PRESSORS = ['norepinephrine', 'vasopressin', 'phenylephrine', 'dopamine'];
const OF_INFUSION: StateClaim['row'] = { isLasting: true };

/** Where a clause ends: a comma or the like, an arrow, a dash, and what opens a new predicate. */
const CLAUSE_END = /[;,.](?=\s)|\s(?:->|→|--?|–)\s|\s(?=(?:but|then|now)\s)/gu;

const ENDS_AFTER =
  /^(?:[^.;]{0,32}?[\s:(])??(?:(?:is|was|were|been|has been|have been|now)\s)*(?:off|removed|pulled|stopped|discontinued|d\/?c'?e?d|taken (?:out|down|off)|(?:weaned|turned|switched|came|shut) (?:off|out)|no longer|finished|completed|lifted|(?<!\b(?:m?L|cc|fluid|put)\s)out)(?![\p{L}-])(?! of (?:bed|range))/iu;
const ENDS_BEFORE =
  /(?:^|[\s(])(?:(?:weaned|taken|came|come|now|been) off|off|removed|pulled|stopped|discontinued|d\/?c'?e?d|no longer (?:on|requir\w+|need\w+|in|has)|finished|completed|cleared)(?: of)?\s+(?:(?:the|his|her|all|both|from|any|IV|R|L|right|left|supplemental|further)\s+){0,3}$/iu;
const ABSENT_BEFORE =
  /(?:^|[\s(])(?:no|without|not on|not)\s+(?:(?:a|an|any|more|further|on|\p{L}+)\s+){0,2}$/iu;
const STARTS_BEFORE =
  /(?:^|[\s(])(?:(?:re-?)?(?:placed|inserted|started|initiated|resumed|applied|begun|began|put)|new|switched to|changed to|back)\s+(?:(?:back|on|a|an|the|to|R|L|right|left|with|IV)\s+){0,3}$/iu;
const STARTS_AFTER =
  /^\s*(?:\S+\s+){0,3}?(?:was |were |is |been |has been )?(?:re-?)?(?:placed|inserted|started|initiated|begun|resumed|applied)\b/iu;
const ON_BEFORE =
  /(?:^|[\s(])(?:on|via|with|under|has|remains?(?: on| in)?|still(?: on| in| has)?|continues?(?: on| in| with)?|maintained on|per|in)\s+(?:[\w/%.'-]+\s+){0,3}$/iu;
const ON_AFTER =
  /^(?!\s*(?:site|tip|insertion)\b)[^.;]{0,40}?(?:\b(?:in (?:place|situ|use)|intact|patent|drain(?:ing|s)|running|infusing|remains?|still|continues?|stays?|maintained|to (?:gravity|(?:low |wall |continuous |intermittent )*suction|LCS|LIS|LWS|bulb|tube feeds?)|at (?=[\d.])|@)|(?:^|\s)(?:<|up to )?\d+(?:\.\d+)?\s?(?:mcg|mg|units?|u|m?L|cc)?\/)/iu;
/** `catheter with purulence`: what is found at it says that it is there. */
const FOUND_WITH = /^\s+with\s+\p{L}/u;
const ORDER_TO_END =
  /(?:^|[\s(:])(?:remove|pull|d\/?c|discontinue|stop|wean(?: off)?|titrate|extubate|take (?:out|off|down)|change|replace|switch|off)\s+(?:(?:the|his|her|all|R|L|right|left|off|from|to)\s+){0,3}$/iu;
const ORDER_TO_KEEP = /(?:^|[\s(:])(?:keep|leave|maintain|continue|cont)\s+(?:[\p{L}/-]+\s+){0,2}$/iu;
const ORDER_TO_START =
  /(?:^|[\s(:])(?:place|insert|start|begin|resume|restart|apply|add|obtain|emergent|urgent|needs?)\s+(?:(?:a|an|the|on|new|R|L|right|left)\s+){0,3}$/iu;
/** Conditions, aims and what lies ahead: nothing has happened yet. The one list of such words. */
const NOT_YET =
  /\b(?:if|when|once|until|unless|plan(?:ned|s)?|tomorrow|tonight|possib(?:le|ly)|consider(?:ing)?|before|then|will|would|to be|not (?:yet|ready|until)|goal|hope|may|might|should|can|could|await\w*|tonight|in (?:the )?(?:am|morning|pm)|for removal|due|anticipate\w*|attempt\w*|trial|next|ready (?:to|for)|later today|this (?:afternoon|evening))\b/iu;
/** Told of another time, though in words of the present. */
const THEN =
  /\b(?:arrived|initially|previously|prior|had been|was (?:on|in)|were|in (?:the )?(?:ED|OR|field)|en route|on (?:admission|arrival)|yesterday|s\/p|status post|history of|h\/o|hx|at home|chronic\w*|home)\b/iu;
const GENERIC = /^\s*(?:and |the )*(?:lines?|tubes?|drains?|cath(?:eter)?s?|it|site)\b/iu;

interface Unit {
  readonly names: readonly {
    readonly state: string;
    readonly row: StateClaim['row'];
    readonly isPredicate: boolean;
  }[];
  readonly start: number;
  readonly end: number;
  readonly says?: 'started' | 'ended';
}

/** In text order. Without a state or an infusion in it a sentence claims nothing. */
export function readClaims(told: ToldSentence): StateClaim[] {
  const { text } = told;
  if (!ANY_STATE.test(text) && !mayInfuse(text)) return [];
  const claims: StateClaim[] = [];
  let before: Unit | undefined;
  for (const clause of splitClauses(text)) {
    const words = text.slice(clause.start, clause.end);
    const units = joinListed(findUnits(words), words);
    if (units.length === 0 && before !== undefined && (GENERIC.test(words) || ENDS_AFTER.test(` ${words}`)))
      units.push({ names: before.names, start: 0, end: 0 });
    units.forEach((unit, at) => {
      const kind = readKind(unit, {
        words,
        before: words.slice(units[at - 1]?.end ?? 0, unit.start),
        after: words.slice(unit.end, units[at + 1]?.start ?? words.length),
        rest: words.slice(unit.end),
        isPlan: told.isPlan,
      });
      const rate = readRate(unit, words.slice(unit.end, units[at + 1]?.start ?? words.length));
      const isRated = rate !== undefined && !NOT_YET.test(words) && !THEN.test(words);
      const said = kind ?? (isRated ? 'rated' : undefined);
      if (said === undefined) return;
      const time = readTime(words, told.charted);
      for (const { state, row } of unit.names)
        claims.push({
          state,
          kind: said,
          row,
          clause,
          at: time ?? told.charted,
          isTimed: time !== undefined,
          ...(rate === undefined ? {} : { rate }),
        });
    });
    before = units.at(-1) ?? before;
  }
  return [...claims, ...readExchanges(told)];
}

/** Clauses without gaps: each with the mark that ends it. */
export function splitClauses(text: string): Span[] {
  const clauses: Span[] = [];
  let start = 0;
  for (const { index, 0: mark } of text.matchAll(CLAUSE_END)) {
    clauses.push({ start, end: index });
    start = index + mark.length;
  }
  clauses.push({ start, end: text.length });
  return clauses.filter(({ start: from, end }) => end > from);
}

function mayInfuse(text: string): boolean {
  return (
    INFUSED.test(text) ||
    text.search(ALL_PRESSORS) >= 0 ||
    findDrugs(text).some(({ drug }) => ALWAYS_INFUSED.has(drug))
  );
}

function findUnits(words: string): Unit[] {
  const found: Unit[] = [];
  for (const { row, names, begun, ended } of COMPILED) {
    const unit = (match: RegExpExecArray, says?: 'started' | 'ended'): Unit => ({
      names: [{ state: row.state, row, isPredicate: row.isPredicate === true }],
      start: match.index,
      end: match.index + match[0].length,
      ...(says === undefined ? {} : { says }),
    });
    if (ended !== undefined) for (const match of words.matchAll(ended)) found.push(unit(match, 'ended'));
    if (begun !== undefined) for (const match of words.matchAll(begun)) found.push(unit(match, 'started'));
    for (const pattern of names) for (const match of words.matchAll(pattern)) found.push(unit(match));
  }
  const isInfused = INFUSED.test(words);
  for (const { drug, start, end } of findDrugs(words))
    if (isInfused || ALWAYS_INFUSED.has(drug)) found.push(infusionUnit([drug], { start, end }));
  for (const match of words.matchAll(ALL_PRESSORS))
    found.push(infusionUnit(PRESSORS, { start: match.index, end: match.index + match[0].length }));
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  // What lies inside a longer name is part of it.
  return found.filter((unit, at) => !found.slice(0, at).some((longer) => unit.start < longer.end));
}

const RATE = /^[^\d;.,]{0,28}?(?<![\d.])(\d*\.?\d+)(?![\d:])(?:\s*(?:->|→|to)\s*(\d*\.?\d+)(?![\d:]))*/u;
const FOUR_DIGITS = /^[0-2]\d[0-5]\d$/u;

function readRate({ names }: Unit, after: string): string | undefined {
  if (names.length !== 1 || names[0]?.row !== OF_INFUSION) return undefined;
  const [, first, last] = RATE.exec(after) ?? [];
  const rate = last ?? first;
  return rate === undefined || FOUR_DIGITS.test(rate) ? undefined : rate.replace(/^\./u, '0.');
}

function infusionUnit(drugs: readonly string[], span: Span): Unit {
  return {
    names: drugs.map((drug) => ({ state: `${drug} infusion`, row: OF_INFUSION, isPredicate: false })),
    ...span,
  };
}

/** `foley and a-line removed`: one thing is said of both. */
function joinListed(units: readonly Unit[], words: string): Unit[] {
  const joined: Unit[] = [];
  for (const unit of units) {
    const last = joined.at(-1);
    const between = last === undefined ? '' : words.slice(last.end, unit.start);
    if (
      last !== undefined &&
      last.says === undefined &&
      /^\s*(?:,|and|&|\/|plus|\+)\s*(?:the |her |his )?$/iu.test(between)
    )
      joined[joined.length - 1] = { ...unit, names: [...last.names, ...unit.names], start: last.start };
    else joined.push(unit);
  }
  return joined;
}

function readKind(
  unit: Unit,
  {
    words,
    before,
    after,
    rest,
    isPlan,
  }: { words: string; before: string; after: string; rest: string; isPlan: boolean },
): ClaimKind | undefined {
  const isAhead = NOT_YET.test(words);
  const isDone = CLOCK.test(words);
  if (unit.says !== undefined) {
    if (isAhead && !isDone) return unit.says === 'started' ? 'toStart' : 'toEnd';
    return unit.says;
  }
  if (ORDER_TO_END.test(before) && !isDone) return 'toEnd';
  if (ENDS_AFTER.test(after) || ENDS_BEFORE.test(before)) {
    if (/\bnot\s*$/iu.test(before)) return undefined;
    return (isAhead || (isPlan && /\b(?:off|out)\b/iu.test(after + before))) && !isDone && !SINCE.test(words)
      ? 'toEnd'
      : 'ended';
  }
  if (ORDER_TO_KEEP.test(before)) return 'toEnd';
  if (ORDER_TO_START.test(before)) return 'toStart';
  if (ABSENT_BEFORE.test(before)) return isAhead ? undefined : 'absent';
  if (STARTS_BEFORE.test(before) || STARTS_AFTER.test(after))
    return isAhead && !isDone ? 'toStart' : 'started';
  if (THEN.test(words)) return undefined;
  if (isAhead && !isDone && !GOES_ON.test(words)) return isPlan ? 'toEnd' : undefined;
  const isOn = ON_BEFORE.test(before) || ON_AFTER.test(rest) || FOUND_WITH.test(rest) || GOES_ON.test(words);
  return isOn || unit.names.some(({ isPredicate }) => isPredicate) ? 'present' : undefined;
}

const GOES_ON = /\b(?:remains?|still|continues|stays|ongoing|in place|in situ|maintained)\b/iu;
const SINCE = /\bsince\b/iu;
const CLOCK =
  /(?:\b(?:at|@|since|from|by)\s*|\b(?:off|out|done|removed|stopped|placed|d\/?c'?e?d|extubated)\s+)(?:[01]?\d|2[0-3]):?[0-5]\d\b(?!\s?(?:m?L|cc|mg|mcg|units?|g|\/))/iu;
const DAY =
  /\b(?:on|since|of|from|off|out|removed|stopped|placed|d\/?c'?e?d|extubated|discontinued|cleared)\s+(?:on\s+)?(1[0-2]|0?[1-9])[-/](3[01]|[12]\d|0?[1-9])\b(?![/-]?\d|\s?(?:%|L|cc|mL))/iu;

/** The time that a clause gives for what it says; a day without an hour counts as its end. */
function readTime(words: string, charted: string): string | undefined {
  const noted = charted.slice(0, 10);
  const day = DAY.exec(words);
  const clock = CLOCK.exec(words)?.[0].match(/(\d{1,2}):?(\d{2})$/u);
  const hour = clock == null ? undefined : `${(clock[1] ?? '').padStart(2, '0')}:${clock[2] ?? ''}`;
  if (day !== null) {
    const date = `${noted.slice(0, 4)}-${(day[1] ?? '').padStart(2, '0')}-${(day[2] ?? '').padStart(2, '0')}`;
    return date > noted ? undefined : `${date} ${hour ?? '~'}`;
  }
  if (hour === undefined) return undefined;
  const said = `${noted} ${hour}`;
  // Before midnight, if it would lie ahead.
  return said <= charted ? said : `${dayBefore(noted)} ${hour}`;
}

function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}

const OXYGEN = String.raw`(?:nasal cannula|face ?mask|room air|(?:\d+(?:\.\d+)? ?L(?:pm)? ?)?(?:NC|FM)\b|RA\b|\d+(?:\.\d+)? ?L\b|high[- ]flow|HFNC)`;
const EXCHANGED = new RegExp(
  String.raw`\b(BiPAP|NIV|CPAP|HFNC|high[- ]flow|nasal cannula|NC|prongs?)\b[^.;]{0,24}?(?:->|→|\bto\b)\s*(?:a |the )?${OXYGEN}`,
  'iu',
);
const ON_ROOM_AIR = /\b(?:(?:weaned |now |back )?(?:on|to|in)|now) (?:RA\b|room air\b)/u;

/** `BiPAP to nasal cannula` ends the first; room air ends all oxygen. */
function readExchanges({ text, charted }: ToldSentence): StateClaim[] {
  const claims: StateClaim[] = [];
  const end = (state: string, row: StateClaim['row']): void => {
    const time = readTime(text, charted);
    claims.push({
      state,
      kind: 'ended',
      row,
      at: time ?? charted,
      isTimed: time !== undefined,
      clause: { start: 0, end: text.length },
    });
  };
  if (NOT_YET.test(text)) return claims;
  const [, from] = EXCHANGED.exec(text) ?? [];
  if (from !== undefined)
    for (const { row, names } of COMPILED)
      if (names.some((pattern) => from.search(pattern) >= 0)) end(row.state, row);
  if (ON_ROOM_AIR.test(text))
    for (const { row } of COMPILED)
      if (['BiPAP', 'CPAP', 'high flow'].includes(row.state)) end(row.state, row);
  return claims;
}
