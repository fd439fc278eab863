/** The names of the compared systems, apart from their code, so that `--help` loads none of it. */

/** `none` asks a language model without any context. */
export const SYSTEM_NAMES = ['none', 'standard', 'standard+title', 'paper', 'labsage'] as const;
export type SystemName = (typeof SYSTEM_NAMES)[number];
