/** A note's statement → the days that it dates itself to, whether it speaks of earlier, and its words without the dates. */

export interface ClaimTime {
  /** YYYY-MM-DD, those that it names. */
  readonly dates: readonly string[];
  /** It names an earlier day, or says `previously`, `on admission` and the like. */
  readonly isEarlier: boolean;
  /** It puts itself on a day (`on 3/2`), and not `since` or `from` one. */
  readonly isOn: boolean;
  /** Without the dates that it names. */
  readonly text: string;
}

const ISO = /\s*\b(?:on|of|from|since|as of)?\s*\b(\d{4})-(\d{1,2})-(\d{1,2})\b(?::(?!\d))?/giu;
const SHORT =
  /\s*(?:\b(?:on|of|from|since)\s+\[?|\[)(\d{1,2})[/-](\d{1,2})(?:[/-](\d{2,4}))?\b(?![/\d-]|\.\d)\]?/giu;
const YESTERDAY =
  /\s*\(?\b(?:yesterday(?:'s)?|the day before|last night|overnight yesterday)\b(?:\s+(?:morning|afternoon|evening|night|am|pm))?\)?/giu;
const EARLIER =
  /\b(?:yesterday|previous(?:ly)?|prior|earlier|formerly|initial(?:ly)?|on (?:admission|arrival|presentation)|at (?:admission|presentation|baseline|home)|baseline|had been|used to|history of|h\/o|s\/p|last (?:week|month|visit|admission)|was (?:held|stopped|started|given|extubated|intubated)|(?:down|up|from|improved|increased|decreased) (?:from|to)|hospital course|days? ago)\b|->|→/iu;

export function readClaimTime(text: string, visitDate: string): ClaimTime {
  const dates: string[] = [];
  const take =
    (pattern: RegExp, read: (groups: readonly (string | undefined)[]) => string | undefined) =>
    (given: string): string => {
      let rest = '';
      let at = 0;
      for (const match of given.matchAll(pattern)) {
        const date = read(match.slice(1));
        if (date === undefined) continue;
        dates.push(date);
        rest += `${given.slice(at, match.index)} `;
        at = match.index + match[0].length;
      }
      return rest + given.slice(at);
    };
  const steps = [
    take(ISO, ([year, month, day]) => isoDate(Number(year), Number(month), Number(day))),
    // A day to come is planned, not dated.
    take(SHORT, ([month, day, year]) =>
      nearestDate(visitDate, { month: Number(month), day: Number(day), year }),
    ),
    take(YESTERDAY, () => dayBefore(visitDate)),
  ];
  const stripped = steps.reduce((rest, step) => step(rest), text);
  return {
    dates: [...new Set(dates)],
    isEarlier: dates.some((date) => date < visitDate) || EARLIER.test(text),
    isOn: /\bon\s+\[?(?:\d{4}-)?\d{1,2}[-/]\d{1,2}|\byesterday\b/iu.test(text) && !/[()]|->|→/u.test(text),
    text:
      dates.length === 0
        ? text
        : stripped
            .replace(/\s+/gu, ' ')
            .replace(/\s+([.,;:])/gu, '$1')
            .trim(),
  };
}

function isoDate(year: number, month: number, day: number): string | undefined {
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined;
  return `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
}

/** So far ahead a day without a year is one to come. */
const PLANNED_MS = 120 * 86_400_000;

/** Without a year, the last such day up to the visit's. */
function nearestDate(
  visitDate: string,
  { month, day, year }: { month: number; day: number; year: string | undefined },
): string | undefined {
  const own = Number(visitDate.slice(0, 4));
  if (year !== undefined)
    return isoDate(year.length === 4 ? Number(year) : Math.floor(own / 100) * 100 + Number(year), month, day);
  const same = isoDate(own, month, day);
  if (same === undefined || same <= visitDate) return same;
  const isNear = Date.parse(same) - Date.parse(visitDate) < PLANNED_MS;
  return isNear ? undefined : isoDate(own - 1, month, day);
}

export function dayBefore(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10);
}
