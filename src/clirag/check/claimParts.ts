/** A statement that joins several findings → the findings, where each can be told from its words alone. */

/** What is denied or limited for a whole list must stay with the list. */
const SCOPED =
  /\b(?:no|not|nor|denie[sd]|denying|negative|never|none|absent|free of|neither|unless|if|except|hold|held|stop(?:ped)?|d\/c|discontinue[d]?|off)\b/iu;
const BORDER = /,\s+(?:and\s+|but\s+|then\s+)?|\s+-\s+|\s+with\s+(?=\p{L}+ )/gu;
/** A name of three letters or an abbreviation in capitals that a figure follows: more than an amount, a route or an interval. */
const NAMES_SOMETHING =
  /(?<![\p{L}\d/])(?!(?:daily|every|hours?|minutes?|min|days?|weeks?|mg|mcg|mEq|units?|per|times|twice|once|since|until|from|over|then|today|now|with|and|for|the|this|that)\b)\p{L}{3,}|\b[A-Z][A-Za-z]?\d?\b:?\s*\d/u;
const WORDS = /[\p{L}\p{N}]+/gu;

/** Parts of two words or more, in order; the statement itself where it cannot be parted safely. */
export function splitClaim(text: string): string[] {
  return text
    .split(/(?<=[.)])\s+(?=\S+\s)/u)
    .filter((part) => part !== '')
    .flatMap(splitList);
}

/** What is joined by commas and the like, in one sentence. */
function splitList(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  const cuts = [...text.matchAll(BORDER)].filter(({ index }) => {
    depth = 0;
    for (const char of text.slice(0, index)) depth += char === '(' ? 1 : char === ')' ? -1 : 0;
    return depth === 0;
  });
  const scope = text.search(SCOPED);
  const isOpen = ({ index, 0: border }: RegExpExecArray): boolean =>
    scope < 0 || index + border.length <= scope;
  // Denial at the end of a list is of all of it; only where a part begins with it does what stands before stay free.
  const beforeScope = cuts.filter(isOpen);
  const last = beforeScope.at(-1);
  if (scope >= 0 && (last === undefined || last.index + last[0].length !== scope)) return [text];
  for (const { index, 0: border } of beforeScope) {
    const part = text.slice(start, index);
    const rest = text.slice(index + border.length);
    if (!standsAlone(part) || !standsAlone(rest.split(/,\s/u)[0] ?? '')) continue;
    parts.push(part.trim());
    start = index + border.length;
  }
  parts.push(text.slice(start).trim());
  return parts;
}

function standsAlone(part: string): boolean {
  return (part.match(WORDS)?.length ?? 0) >= 2 && NAMES_SOMETHING.test(part);
}
