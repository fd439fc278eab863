/** The words of a question for documents → what it asks of their control data, and the words that are left. */

import type { ListedStatus } from './controlFilters.js';
import { readDate } from './dates.js';

/** Dates are ISO; `…Within` counts from the day of asking. */
export interface ControlAsks {
  readonly statuses?: readonly ListedStatus[];
  /** Names are those words of the question that an owner's (approver's) entry has. */
  readonly by?: 'owner' | 'approvedBy';
  readonly effectiveFrom?: string;
  readonly effectiveBefore?: string;
  readonly reviewFrom?: string;
  readonly reviewBefore?: string;
  /** Review due before the day of asking. */
  readonly overdue?: boolean;
  /** The day of asking, if the question says it. */
  readonly asOf?: string;
  readonly allVersions?: boolean;
  /** The document itself is not meant: "which other SOPs refer to HE-010". */
  readonly folders?: readonly string[];
}

const OVERDUE =
  /\b(?:(?:are|is|have|that|which|gone|went)\s+)*(?:past|over|beyond)\s+(?:their|its|the)\s+(?:review|revision)(?:\s+dates?)?|\b(?:(?:are|is)\s+)?(?:overdue|past due|late|out of date)(?:\s+for)?(?:\s+(?:their|its|a|the))?(?:\s+(?:periodic\s+)?(?:review|revision)s?)?\b|\breviews?\s+(?:is|are|was|were)\s+(?:overdue|past due|late|missed)\b/iu;
const REVIEW_DUE =
  /\b(?:(?:are|is|come|comes|fall|falls)\s+)?(?:due\s+(?:for\s+)?(?:a\s+|their\s+)?(?:periodic\s+)?review|(?:have|has)\s+(?:a|their)\s+review(?:\s+due)?|(?:must|have to|need to)\s+be\s+reviewed|reviews?\s+(?:is|are|falls?|comes?)?\s*due)\b/iu;
const EFFECTIVE =
  /\b(?:(?:have|has|had|that|which|are|is|were|was)\s+)*(?:(?:taken|took|takes?)\s+effect|(?:came|comes?)\s+in(?:to)?\s+(?:force|effect)|went\s+live|became\s+effective|effective|issued|released)\b/iu;
const OWNER = /\b(?:owned\s+by|belong(?:s|ing)?\s+to|owners?|owns?|responsible\s+for)\b/iu;
const APPROVER = /\b(?:approved\s+by|approves?|signed(?:\s+off)?\s+by|approver)\b/iu;
const IN_FORCE = /\b(?:that\s+are\s+|which\s+are\s+|currently\s+)?in\s+(?:force|effect)\b(?:\s+today)?/iu;
const ALL_VERSIONS =
  /\b(?:,?\s*(?:including|even|with)\s+(?:the\s+)?(?:superseded|old|older|withdrawn)(?:\s+(?:ones|versions))?|in\s+(?:any|all)\s+versions?|all\s+versions)\b/iu;
const STATUSES: readonly (readonly [ListedStatus, RegExp])[] = [
  ['not-yet-effective', /\b(?:not\s+yet\s+(?:effective|in\s+force)|will\s+(?:become|be)\s+effective)\b/iu],
  ['superseded', /\b(?:superseded|obsolete|replaced)\b/iu],
  ['withdrawn', /\b(?:withdrawn|retired)\b/iu],
  ['draft', /\bdrafts?\b/iu],
];

/** `given` is what the question's own noun said already ("which superseded SOPs"). */
export function readControlAsks(
  text: string,
  given: { status: ListedStatus | undefined; folders: readonly string[] },
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
  const isOverdue = take(OVERDUE);
  const review = !isOverdue && take(REVIEW_DUE) ? takeRange() : {};
  take(IN_FORCE);
  const effective = take(EFFECTIVE) ? takeRange() : {};
  const by = take(APPROVER) ? 'approvedBy' : take(OWNER) ? 'owner' : undefined;
  const asks: ControlAsks = {
    ...(statuses.length === 0 ? {} : { statuses: [...new Set(statuses)] }),
    ...(by === undefined ? {} : { by }),
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

  /** `in 2026`, `in 2025 or 2026` has its first year; `before 1 May 2027`, `since 2026`, `by 2026-12-31`. */
  function takeRange(): { from?: string; before?: string } {
    const before = takeDate(/\b(?:before|until)\s+/iu);
    const through = before === undefined ? takeDate(/\b(?:by|up\s+to)\s+(?:the\s+end\s+of\s+)?/iu) : undefined;
    const since = takeDate(/\b(?:since|from)\s+/iu);
    const after = since === undefined ? takeDate(/\bafter\s+/iu) : undefined;
    const from = since ?? (after === undefined ? undefined : nextDay(after));
    const end = before ?? (through === undefined ? undefined : nextDay(through));
    if (from !== undefined || end !== undefined)
      return { ...(from === undefined ? {} : { from }), ...(end === undefined ? {} : { before: end }) };
    const match = /\b(in|during|before|until|by|since|after|from|of)\s+(?:the\s+year\s+)?((?:19|20)\d\d)\b/iu.exec(rest);
    if (match === null) return {};
    const year = Number(match[2]);
    rest = rest.replace(match[0], ' , ');
    const first = `${year}-01-01`;
    const next = `${year + 1}-01-01`;
    switch (match[1]?.toLowerCase()) {
      case 'before':
      case 'until':
        return { before: first };
      case 'by':
        return { before: next };
      case 'since':
      case 'from':
        return { from: first };
      case 'after':
        return { from: next };
      default:
        return { from: first, before: next };
    }
  }
}

function nextDay(iso: string): string {
  const date = new Date(`${iso}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}
