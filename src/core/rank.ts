/** Scores from several signals → one ranking: pure functions on plain maps. */

export interface Scored {
  readonly id: string;
  readonly score: number;
}

/** Best first; equal scores by id, so that a ranking never depends on the order of insertion. */
export function byScore(a: Scored, b: Scored): number {
  return b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}

/** Items of the same group together, groups in the order of their best item, each group's items best first. */
export function groupRanked<Item extends Scored>(
  ranked: readonly Item[],
  groupOf: (item: Item) => string,
): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of ranked) {
    const group = groups.get(groupOf(item));
    if (group === undefined) groups.set(groupOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
