/** A checked statement and the note's own list of sources → remarks on citations that lead nowhere or to other words. */

import type { ChartSources } from './chartSources.js';
import type { CheckedClaim } from './checkedClaim.js';
import type { NoteClaim } from './noteClaims.js';

/** A mark that leads nowhere, or to a note that does not say it, is told. */
export function withCitations(
  claim: CheckedClaim,
  { cited, chart }: { cited: ReadonlyMap<string, string>; chart: ChartSources },
): CheckedClaim {
  if (claim.citations.length === 0 || cited.size === 0) return claim;
  const unknown = claim.citations.filter((key) => !cited.has(key));
  const notes = new Set(claim.citations.flatMap((key) => cited.get(key) ?? []));
  const known = new Set([...chart.whole.sources, ...chart.earlier.sources].map(({ chunk }) => chunk.noteId));
  const foreign = [...notes].filter((id) => !known.has(id));
  const misses =
    claim.verdict === 'supported' &&
    notes.size > 0 &&
    foreign.length === 0 &&
    !claim.sources.some(({ noteId }) => notes.has(noteId)) &&
    !supportedBy(claim, { notes, chart });
  const remarks = [
    ...unknown.map((key) => `cites ${key}, which its list of sources lacks`),
    ...foreign.map((id) => `cites note ${id}, which the chart lacks`),
    ...(misses ? [`the note that it cites does not say so`] : []),
  ];
  return remarks.length === 0 ? claim : { ...claim, remarks: [...claim.remarks, ...remarks] };
}

function supportedBy(
  claim: NoteClaim,
  { notes, chart }: { notes: ReadonlySet<string>; chart: ChartSources },
): boolean {
  return [chart.whole, chart.earlier].some((library) => {
    const own = library.sources.filter(({ chunk }) => notes.has(chunk.noteId)).map(({ key }) => key);
    return own.length > 0 && library.ground(claim.text, new Set(own))?.verdict === 'supported';
  });
}
