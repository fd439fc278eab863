/** Questions for documents with their complete lists + an index → recall and precision of the lists that are given. */

import { answerCorpusQuestion } from '../lists/corpusAnswer.js';
import type { SopIndex } from '../sopIndex.js';

/** One line of `queries/sops/lists.jsonl`. */
export interface ListQuestion {
  readonly id: string;
  readonly question: string;
  /** Paths of all documents that belong in the list. */
  readonly documents: readonly string[];
}

export interface ListResult {
  readonly id: string;
  readonly question: string;
  /** False where the question was not taken for one: then nothing is found. */
  readonly recognized: boolean;
  /** What was looked for; absent where control data alone were asked for. */
  readonly query?: string;
  readonly missed: readonly string[];
  readonly extra: readonly string[];
  /** 0 to 1; 1 for an empty list that is right. */
  readonly recall: number;
  readonly precision: number;
}

export interface ListFigures {
  readonly questions: number;
  readonly recognized: number;
  /** Means over the questions. */
  readonly recall: number;
  readonly precision: number;
  readonly results: readonly ListResult[];
}

/** `today` is an ISO date that decides which versions are in force. */
export async function evaluateLists(
  questions: readonly ListQuestion[],
  index: SopIndex,
  { today }: { today: string },
): Promise<ListFigures> {
  const results: ListResult[] = [];
  for (const { id, question, documents: wanted } of questions) {
    const asked = await answerCorpusQuestion(question, index, { today });
    const given = asked?.list?.documents.map(({ document }) => document.path) ?? [];
    const missed = wanted.filter((path) => !given.includes(path));
    const extra = given.filter((path) => !wanted.includes(path));
    const query = asked?.list?.query;
    results.push({
      id,
      question,
      recognized: asked !== undefined,
      ...(query === undefined ? {} : { query }),
      missed,
      extra,
      recall: share(wanted.length - missed.length, wanted.length),
      precision: share(given.length - extra.length, given.length),
    });
  }
  const mean = (of: (result: ListResult) => number): number =>
    share(
      results.reduce((sum, result) => sum + of(result), 0),
      results.length,
    );
  return {
    questions: results.length,
    recognized: results.filter(({ recognized }) => recognized).length,
    recall: mean(({ recall }) => recall),
    precision: mean(({ precision }) => precision),
    results,
  };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}
