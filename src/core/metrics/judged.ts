/** Judgements, some of them missing → a score that says how many it rests on. */

/** A metric over what a judge said. What the judge failed to say is counted, never taken for "no". */
export interface JudgedScore {
  /** Undefined where nothing was judged. */
  readonly score: number | undefined;
  readonly judged: number;
  readonly missing: number;
}

/** `score` sees what is there, in order, and is not called where nothing is. */
export function scoreJudged<Judgement>(
  judgements: readonly (Judgement | undefined)[],
  score: (present: readonly Judgement[]) => number,
): JudgedScore {
  const present = judgements.filter((judgement) => judgement !== undefined);
  return {
    score: present.length === 0 ? undefined : score(present),
    judged: present.length,
    missing: judgements.length - present.length,
  };
}
