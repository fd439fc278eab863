/** `npm run bench -- checks PAIRS.jsonl … [--show]`: sentence/source pairs → recall of alterations and false alarms, by kind. */

import { readFile } from 'node:fs/promises';
import { groundText } from '../src/core/grounding.js';
import { parseObject } from '../src/core/lines.js';

/** A line of a file: one sentence and the text that it claims to be from. */
interface Pair {
  readonly id: string;
  readonly source: string;
  readonly sentence: string;
  readonly label: 'supported' | 'altered';
  /** Number, unit, comparator, negation, drug, side, date, order, temporal; of altered ones. */
  readonly alteration?: string;
}

interface Count {
  pairs: number;
  flagged: number;
}

/** Altered pairs count as found where a sentence is not supported; supported ones count as false alarms there. */
export async function benchChecks(args: readonly string[]): Promise<void> {
  const isShown = args.includes('--show');
  const files = args.filter((arg) => !arg.startsWith('--'));
  if (files.length === 0) throw new Error('name one or more JSONL files of pairs');
  for (const file of files) {
    const pairs = await readPairs(file);
    const altered = new Map<string, Count>();
    const supported = new Map<string, Count>();
    for (const pair of pairs) {
      const { sentences } = groundText(`${pair.sentence} [S1]`, [{ key: 'S1', text: pair.source }]);
      const isFlagged = sentences.some(({ verdict }) => verdict !== 'supported');
      const isAltered = pair.label === 'altered';
      add(isAltered ? altered : supported, {
        kind: isAltered ? (pair.alteration ?? 'other') : fieldOf(pair),
        isFlagged,
      });
      if (isShown && isFlagged !== isAltered)
        console.log(
          `${pair.id} ${isAltered ? `missed (${pair.alteration ?? ''})` : 'false alarm'}: ${pair.sentence} | ${sentences.flatMap(({ reasons }) => reasons).join('; ')}`,
        );
    }
    console.log(`${file}: ${pairs.length} pairs`);
    print('recall of alterations', altered);
    print('false alarms', supported);
  }
}

function add(counts: Map<string, Count>, { kind, isFlagged }: { kind: string; isFlagged: boolean }): void {
  for (const name of ['all', kind]) {
    const count = counts.get(name) ?? { pairs: 0, flagged: 0 };
    count.pairs++;
    if (isFlagged) count.flagged++;
    counts.set(name, count);
  }
}

/** `bchart-012` is of charts, `sop-003` of SOPs. */
function fieldOf({ id }: Pair): string {
  return /chart|sop/u.exec(id)?.[0] ?? 'other';
}

function print(title: string, counts: ReadonlyMap<string, Count>): void {
  const rows = [...counts].sort(([a], [b]) => (a === 'all' ? -1 : b === 'all' ? 1 : a < b ? -1 : 1));
  const told = rows.map(
    ([kind, { pairs, flagged }]) => `${kind} ${(flagged / pairs).toFixed(3)} (${flagged} of ${pairs})`,
  );
  console.log(`  ${title}: ${told.length === 0 ? 'no pairs' : told.join(', ')}`);
}

async function readPairs(file: string): Promise<Pair[]> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  return lines.flatMap((line, at) => {
    if (line.trim() === '') return [];
    const pair = parseObject(line);
    if (
      typeof pair?.['source'] !== 'string' ||
      typeof pair['sentence'] !== 'string' ||
      (pair['label'] !== 'supported' && pair['label'] !== 'altered')
    )
      throw new Error(
        `${file}, line ${at + 1}: source, sentence and label (supported or altered) are needed`,
      );
    return [{ id: String(at + 1), ...pair } as unknown as Pair];
  });
}
