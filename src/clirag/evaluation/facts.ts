/** What notes must, must not, or may only with a date say → what a note does say of it. */

import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { readPolarities } from '../../core/grounding/negation.js';
import { parseObject } from '../../core/lines.js';
import { splitWords } from '../../core/text.js';
import type { SoapPart } from '../../core/types.js';
import type { SoapNote } from '../note/noteRecord.js';

/** A line of corpora/charts/facts.jsonl, and of files like it. */
export interface Fact {
  readonly id: string;
  readonly patient: number | string;
  readonly visit: string;
  readonly section: SoapPart;
  readonly kind: 'required' | 'forbidden' | 'dated';
  readonly fact: string;
  readonly match: readonly (readonly string[])[];
  readonly split?: 'dev' | 'test';
}

/** A sentence of a note. */
export interface Said {
  /** `AP`: under one heading for both. */
  readonly part: SoapPart | 'AP' | 'changes' | undefined;
  readonly text: string;
}

/** Of one note. */
export interface FactCounts {
  readonly required: number;
  readonly found: number;
  /** In the section where it belongs. */
  readonly right: number;
  readonly forbidden: number;
  readonly stated: number;
  readonly dated: number;
  /** Stated, and not as of then or as corrected. */
  readonly undated: number;
}

export function countFacts(facts: readonly Fact[], said: readonly Said[]): FactCounts {
  const of = (kind: Fact['kind']): Fact[] => facts.filter((fact) => fact.kind === kind);
  const hitsOf = (fact: Fact): Said[] => said.filter(({ text }) => states(text, fact));
  const found = of('required')
    .map((fact) => ({ fact, hits: hitsOf(fact) }))
    .filter(({ hits }) => hits.length > 0);
  const isRight = (part: Said['part'], section: SoapPart): boolean =>
    part === section || (part === 'AP' && (section === 'A' || section === 'P'));
  return {
    required: of('required').length,
    found: found.length,
    right: found.filter(({ fact, hits }) => hits.some(({ part }) => isRight(part, fact.section))).length,
    forbidden: of('forbidden').length,
    stated: of('forbidden').filter((fact) => hitsOf(fact).length > 0).length,
    dated: of('dated').length,
    undated: of('dated').filter((fact) => hitsOf(fact).some(({ text }) => !AS_SUCH.test(text))).length,
  };
}

/** JSON lines as corpora/charts/README.md describes them. */
export async function readFacts(file: string, cwd: string): Promise<Fact[]> {
  let content: string;
  try {
    content = await readFile(resolve(cwd, file), 'utf8');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
    throw new ToolError(ExitCode.input, `there is no file of facts ${file}`, {
      hint: 'check the path',
      cause: error,
    });
  }
  return content.split('\n').flatMap((line, at) => {
    if (line.trim() === '') return [];
    const fact = parseObject(line);
    if (
      fact === undefined ||
      !Array.isArray(fact['match']) ||
      fact['visit'] === undefined ||
      fact['patient'] === undefined
    )
      throw new ToolError(ExitCode.input, `line ${at + 1} of ${file} is no fact`, {
        hint: 'a fact has patient, visit, section, kind, fact and match, as corpora/charts/README.md tells',
      });
    return [fact as unknown as Fact];
  });
}

/** Only the sentences and, for conflicts, the time that stands before each. */
export function saidIn({ sections, changes }: SoapNote): Said[] {
  const parts = [
    ['S', sections.subjective],
    ['O', sections.objective],
    ['A', sections.assessment],
    ['P', sections.plan],
  ] as const;
  return [
    ...parts.flatMap(([part, { sentences }]) =>
      sentences.map(({ text, label }) => ({ part, text: label === undefined ? text : `${label}: ${text}` })),
    ),
    ...changes.conflicting.flatMap(({ sentences }) =>
      sentences.map(({ text, label, time }) => ({
        part: 'P' as const,
        text: `${time ?? ''} ${label ?? ''}: ${text}`,
      })),
    ),
    ...[...changes.new, ...changes.changed, ...changes.resolved].map(({ text }) => ({
      part: 'changes' as const,
      text,
    })),
  ];
}

/** Words by which a sentence shows a value or order as dated, earlier, corrected or cancelled. */
export const AS_SUCH =
  /\b\d{1,2}:\d{2}\b|\b(?:at|@)\s?\d{3,4}\b|\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[-/]\d{1,2}\b|\b(?:yesterday|previous|prior|earlier|corrected|cancel\w*|hemoly\w+|dilut\w+|error|mislabel\w*|contaminat\w*|spurious|superseded|was|from|baseline|admission|arrival|venous|overnight|midnight|last|stopped|→|->|down|up)\b/iu;

export function states(text: string, { fact, match }: Fact): boolean {
  const spans = match.map((group) => findOne(text, group));
  if (spans.some((found) => found.length === 0)) return false;
  const words = splitWords(text);
  const polarities = readPolarities(text, words);
  const isDenied = (at: number): boolean =>
    polarities[words.findIndex(({ start, end }) => start <= at && at < end)]?.denied === 'yes';
  const denied = spans.some((found) => found.every((at) => isDenied(at)));
  const wantsDenial = /\b(?:no|not|without|denies|negative|never|none)\b/iu.test(fact);
  return wantsDenial || !denied;
}

function findOne(text: string, group: readonly string[]): number[] {
  return group.flatMap((words) => {
    const escaped = words.replace(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`).replace(/ /gu, String.raw`\s+`);
    const isShort = words.length <= 2 && /^[A-Z]/u.test(words);
    const pattern = new RegExp(
      String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`,
      isShort ? 'gu' : 'giu',
    );
    return [...text.matchAll(pattern)].map(({ index }) => index);
  });
}
