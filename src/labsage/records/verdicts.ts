/** What a reviewer can find of an answer. */

export const VERDICTS = ['correct', 'wrong', 'incomplete'] as const;
export type Verdict = (typeof VERDICTS)[number];
