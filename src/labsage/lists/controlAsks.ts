/** The words of a question for documents → what it asks of their control data, and the words that are left. */

import { addDays, readPeriod, type DayRange } from '../documents/calendar.js';
import type { ControlField } from './controlFilters.js';
import type { ListedStatus } from './listedStatuses.js';
import { readDate } from '../documents/dates.js';

/** Dates are ISO. */
export interface ControlAsks {
  readonly statuses?: readonly ListedStatus[];
  /** Names are those words of the question that an owner's (approver's) entry has. */
  readonly by?: 'owner' | 'approvedBy';
  readonly effectiveFrom?: string;
  readonly effectiveBefore?: string;
  readonly reviewFrom?: string;
  readonly reviewBefore?: string;
  /** "have no review date". */
  readonly missing?: ControlField;
  /** Review due before the day of asking. */
  readonly overdue?: boolean;
  /** The day of asking, if the question says it. */
  readonly asOf?: string;
  readonly allVersions?: boolean;
  readonly folders?: readonly string[];
}

const OVERDUE =
  /\b(?:(?:are|is|have|that|which|gone|went)\s+)*(?:past|over|beyond)\s+(?:their|its|the)\s+(?:review|revision)(?:\s+dates?)?|\b(?:(?:are|is)\s+)?(?:overdue|past due|late|out of date)(?:\s+for)?(?:\s+(?:their|its|a|the))?(?:\s+(?:periodic\s+)?(?:review|revision)s?)?\b|\breviews?\s+(?:is|are|was|were)\s+(?:overdue|past due|late|missed)\b/iu;
const REVIEW_DUE =
  /\b(?:(?:are|is|come|comes|coming|fall|falls)\s+)?(?:up\s+for\s+(?:a\s+|their\s+)?review|due\s+(?:for\s+)?(?:a\s+|their\s+|its\s+)?(?:periodic\s+)?review|due\s+to\s+be\s+reviewed|(?:have|has)\s+(?:a|their)\s+review(?:\s+due)?|(?:must|have to|need to)\s+be\s+reviewed|reviews?\s+(?:is|are|falls?|comes?)?\s*due)\b/iu;
const EFFECTIVE =
  /\b(?:(?:have|has|had|that|which|are|is|were|was)\s+)*(?:(?:taken|took|takes?)\s+effect|(?:came|comes?)\s+in(?:to)?\s+(?:force|effect)|went\s+live|became\s+effective|effective|issued|released)\b/iu;
const MISSING =
  /\b(?:(?:do|does)\s*(?:n't|not)\s+(?:have|state|give|show)|don't\s+(?:have|state)|doesn't\s+(?:have|state)|have\s+no|has\s+no|without|lack(?:s|ing)?|miss(?:es|ing)?)\s+(?:an?\s+|any\s+|their\s+)?(review|effective|owner|version|number|document\s+number|approver|approval)(?:\s+dates?)?\b/iu;
const MISSING_FIELDS: Readonly<Record<string, ControlField>> = {
  review: 'review',
  effective: 'effective',
  owner: 'owner',
  version: 'version',
  number: 'number',
  approver: 'approvedBy',
  approval: 'approvedBy',
};
const OWNER = /\b(?:owned\s+by|belong(?:s|ing)?\s+to|owners?|owns?|responsible\s+for)\b/iu;
const APPROVER = /\b(?:approved(?:\s+by)?|approves?|signed(?:\s+off)?\s+by|approvers?)\b/iu;
const IN_FORCE = /\b(?:that\s+are\s+|which\s+are\s+|currently\s+)?in\s+(?:force|effect)\b(?:\s+today)?/iu;
const ALL_VERSIONS =
  /\b(?:,?\s*(?:including|even|with)\s+(?:the\s+)?(?:superseded|old|older|withdrawn)(?:\s+(?:ones|versions))?|in\s+(?:any|all)\s+versions?|all\s+versions)\b/iu;
const STATUSES: readonly (readonly [ListedStatus, RegExp])[] = [
  ['not-yet-effective', /\b(?:not\s+yet\s+(?:effective|in\s+force)|will\s+(?:become|be)\s+effective)\b/iu],
  ['superseded', /\b(?:superseded|obsolete|replaced)\b/iu],
  ['withdrawn', /\b(?:withdrawn|retired)\b/iu],
  ['draft', /\bdrafts?\b/iu],
];

/** `given`: what the question's own noun said already ("which superseded SOPs"), and the ISO day of asking. */
export function readControlAsks(
  text: string,
  given: { status: ListedStatus | undefined; folders: readonly string[]; today: string },
): { asks: ControlAsks; rest: string } {
  let rest = text;
  const take = (pattern: RegExp): boolean => {
    const before = rest;
    rest = rest.replace(pattern, ' , ');
    return rest !== before;
  };
  const asOf = takeDate(/\bas\s+(?:of|at)\s+/iu);
  const allVersions = take(ALL_VERSIONS);
  const statuses = [
    ...(given.status === undefined ? [] : [given.status]),
    ...STATUSES.filter(([, pattern]) => take(pattern)).map(([status]) => status),
  ];
  const missing = MISSING_FIELDS[(MISSING.exec(rest)?.[1] ?? '').split(/\s/u).at(-1)?.toLowerCase() ?? ''];
  if (missing !== undefined) take(MISSING);
  const isOverdue = take(OVERDUE);
  const review = !isOverdue && take(REVIEW_DUE) ? takeRange() : {};
  take(IN_FORCE);
  const effective = take(EFFECTIVE) ? takeRange() : {};
  const by = take(APPROVER) ? 'approvedBy' : take(OWNER) ? 'owner' : undefined;
  const asks: ControlAsks = {
    ...(statuses.length === 0 ? {} : { statuses: [...new Set(statuses)] }),
    ...(by === undefined ? {} : { by }),
    ...(missing === undefined ? {} : { missing }),
    ...(isOverdue ? { overdue: true } : {}),
    ...(effective.from === undefined ? {} : { effectiveFrom: effective.from }),
    ...(effective.before === undefined ? {} : { effectiveBefore: effective.before }),
    ...(review.from === undefined ? {} : { reviewFrom: review.from }),
    ...(review.before === undefined ? {} : { reviewBefore: review.before }),
    ...(asOf === undefined ? {} : { asOf }),
    ...(allVersions ? { allVersions } : {}),
    ...(given.folders.length === 0 ? {} : { folders: given.folders }),
  };
  return { asks, rest };

  function takeDate(lead: RegExp): string | undefined {
    const match = lead.exec(rest);
    if (match === null) return undefined;
    const after = rest.slice(match.index + match[0].length);
    const date = readDate(after.slice(0, 40), 'unknown');
    if (date === undefined || !('iso' in date)) return undefined;
    rest = `${rest.slice(0, match.index)} , ${after.slice(date.end)}`;
    return date.iso;
  }

  /** `in 2026`, `before 1 May 2027`, `since May 2026`, `by 2026-12-31`, `within the next 3 months`, `next year`. */
  function takeRange(): { from?: string; before?: string } {
    const match = RANGE.exec(rest);
    if (match === null) return {};
    const [all, relation = 'in', words = ''] = match;
    const period = readPeriod(words, asOf ?? given.today) ?? dayRange(words);
    if (period === undefined) return {};
    rest = rest.replace(all, ' , ');
    switch (relation.trim().toLowerCase()) {
      case 'before':
      case 'until':
        return { before: period.from };
      case 'by':
      case 'up to':
        return { before: period.before };
      case 'since':
      case 'from':
        return { from: period.from };
      case 'after':
        return { from: period.before };
      default:
        return period;
    }
  }
}

const MONTH = '(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\\.?';
/** A relation and a day, month, year or period. */
const RANGE = new RegExp(
  String.raw`\b(?:(in|during|within|before|until|by|up to|since|after|from|on|of)\s+)?(?:the\s+(?:end\s+of\s+|year\s+)?)?(` +
    [
      String.raw`(?:19|20)\d\d-\d\d-\d\d`,
      String.raw`\d{1,2}(?:st|nd|rd|th)?\s+${MONTH}\s+(?:19|20)\d\d`,
      String.raw`${MONTH}\s+\d{1,2}(?:st|nd|rd|th)?,?\s+(?:19|20)\d\d`,
      String.raw`${MONTH}\s+(?:19|20)\d\d`,
      String.raw`(?:19|20)\d\d`,
      String.raw`(?:this|next|last)\s+(?:month|year)`,
      String.raw`(?:next|coming|following)\s+\d+\s+(?:days?|weeks?|months?|years?)`,
    ].join('|') +
    String.raw`)\b`,
  'iu',
);

function dayRange(words: string): DayRange | undefined {
  const date = readDate(words, 'unknown');
  return date !== undefined && 'iso' in date ? { from: date.iso, before: addDays(date.iso, 1) } : undefined;
}
