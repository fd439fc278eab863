/** An id that is not there, and those that are → the few that it was perhaps meant to be. */

const MOST = 3;
/** More single-character changes than this make another id. */
const MAX_CHANGES = 2;

/** Fewest changes of a character first, then the nearest number. */
export function nearestIds(wanted: string, ids: readonly string[]): string[] {
  return ids
    .map((id) => ({
      id,
      changes: countChanges(wanted.toLowerCase(), id.toLowerCase()),
      gap: Math.abs(Number(wanted) - Number(id)),
    }))
    .filter(({ changes }) => changes <= MAX_CHANGES)
    .sort(
      (a, b) =>
        a.changes - b.changes || (Number.isNaN(a.gap - b.gap) ? 0 : a.gap - b.gap) || (a.id < b.id ? -1 : 1),
    )
    .slice(0, MOST)
    .map(({ id }) => id);
}

/** Levenshtein distance; anything above `MAX_CHANGES` counts as that plus one. */
function countChanges(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_CHANGES) return MAX_CHANGES + 1;
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (before[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, (before[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = row;
  }
  return Math.min(before[b.length] ?? 0, MAX_CHANGES + 1);
}
