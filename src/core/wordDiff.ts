/** Two texts → the runs of words that they share and that only one of them has (Myers 1986, greedy). */

export type DiffKind = 'same' | 'removed' | 'added';

export interface DiffRun {
  readonly kind: DiffKind;
  /** Blanks included; of words that both texts have, the blanks of the second. */
  readonly text: string;
}

/** More edits than this are no longer a comparison that a person reads: what differs is then shown whole. */
const MAX_EDITS = 1500;

/** Shared and added runs joined are `after`; shared and removed ones are `before`, but for blanks, which make no difference. */
export function diffWords(before: string, after: string): DiffRun[] {
  const a = piecesOf(before);
  const b = piecesOf(after);
  let start = 0;
  while (start < a.length && start < b.length && isSame(a[start], b[start])) start++;
  let end = 0;
  while (
    end < a.length - start &&
    end < b.length - start &&
    isSame(a[a.length - 1 - end], b[b.length - 1 - end])
  )
    end++;
  const steps: Step[] = [
    ...b.slice(0, start).map((text): Step => ({ kind: 'same', text })),
    ...diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...b.slice(b.length - end).map((text): Step => ({ kind: 'same', text })),
  ];
  return mergeRuns(steps);
}

interface Step {
  readonly kind: DiffKind;
  readonly text: string;
}

function piecesOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/gu) ?? [];
}

function isSame(a: string | undefined, b: string | undefined): boolean {
  return a?.trim() === b?.trim();
}

/** Shortest edit script: furthest reaching points by diagonal, then the way back through the recorded rounds. */
function diffMiddle(a: readonly string[], b: readonly string[]): Step[] {
  const whole = (): Step[] => [
    ...a.map((text): Step => ({ kind: 'removed', text })),
    ...b.map((text): Step => ({ kind: 'added', text })),
  ];
  if (a.length === 0 || b.length === 0) return whole();
  const most = Math.min(a.length + b.length, MAX_EDITS);
  const reach = new Int32Array(2 * most + 3);
  const at = (diagonal: number): number => reach[most + 1 + diagonal] ?? 0;
  const rounds: Round[] = [];
  for (let edits = 0; edits <= most; edits++) {
    // What this round starts from: diagonals -edits … edits.
    const before = reach.slice(most + 1 - edits, most + 2 + edits);
    rounds.push((diagonal) => before[diagonal + edits] ?? 0);
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = isDown(diagonal, { edits, at }) ? at(diagonal + 1) : at(diagonal - 1) + 1;
      if (edits === 0) x = 0;
      while (x < a.length && x - diagonal < b.length && isSame(a[x], b[x - diagonal])) x++;
      reach[most + 1 + diagonal] = x;
      if (x >= a.length && x - diagonal >= b.length) return walkBack(rounds, { a, b });
    }
  }
  return whole();
}

/** Furthest x on a diagonal before a round. */
type Round = (diagonal: number) => number;

/** Whether the best way onto the diagonal adds a word of `b`, instead of removing one of `a`. */
function isDown(diagonal: number, { edits, at }: { edits: number; at: Round }): boolean {
  return diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1));
}

function walkBack(
  rounds: readonly Round[],
  { a, b }: { a: readonly string[]; b: readonly string[] },
): Step[] {
  const steps: Step[] = [];
  let x = a.length;
  let y = b.length;
  for (const [edits, at] of [...rounds.entries()].reverse()) {
    const diagonal = x - y;
    const goesDown = isDown(diagonal, { edits, at });
    const from = goesDown ? diagonal + 1 : diagonal - 1;
    const fromX = edits === 0 ? 0 : at(from);
    const fromY = edits === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      y--;
      x--;
      steps.push({ kind: 'same', text: b[y] ?? '' });
    }
    if (edits === 0) break;
    steps.push(
      goesDown ? { kind: 'added', text: b[fromY] ?? '' } : { kind: 'removed', text: a[fromX] ?? '' },
    );
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

/** Neighbours of one kind become one run; between two shared runs the removed words stand before the added ones. */
function mergeRuns(steps: readonly Step[]): DiffRun[] {
  const runs: { kind: DiffKind; text: string }[] = [];
  let removed = '';
  let added = '';
  const flush = (): void => {
    if (removed !== '') runs.push({ kind: 'removed', text: removed });
    if (added !== '') runs.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  for (const { kind, text } of steps) {
    if (kind === 'removed') removed = append(removed, text);
    else if (kind === 'added') added = append(added, text);
    else {
      flush();
      const last = runs.at(-1);
      if (last?.kind === 'same') last.text = append(last.text, text);
      else runs.push({ kind, text });
    }
  }
  flush();
  return runs;
}

/** The first word of a text has no blank before it: behind another word it gets one. */
function append(before: string, text: string): string {
  return /\S$/u.test(before) && /^\S/u.test(text) ? `${before} ${text}` : before + text;
}

/** Shared runs below this many words between two longer changes are read as part of the change. */
const FEWEST_SHARED = 3;

/**
 * Shared words that stand alone between changes tell a reader nothing: they are shown as removed and added with what is
 * around them. The sides stay what they are.
 */
export function coarsenDiff(runs: readonly DiffRun[]): DiffRun[] {
  const steps: Step[] = runs.flatMap(({ kind, text }, at): Step[] => {
    if (kind !== 'same' || at === 0 || at === runs.length - 1) return [{ kind, text }];
    const words = countPieces(text);
    const around = changedAround(runs, at);
    if (words >= FEWEST_SHARED || around < 4 * words) return [{ kind, text }];
    return [
      { kind: 'removed', text },
      { kind: 'added', text },
    ];
  });
  return mergeRuns(steps);
}

function countPieces(text: string): number {
  return text.match(/\S+/gu)?.length ?? 0;
}

/** Changed words right before and right behind a run. */
function changedAround(runs: readonly DiffRun[], at: number): number {
  let words = 0;
  for (const step of [-1, 1]) {
    for (let near = at + step; runs[near] !== undefined && runs[near]?.kind !== 'same'; near += step) {
      words += countPieces(runs[near]?.text ?? '');
    }
  }
  return words;
}
