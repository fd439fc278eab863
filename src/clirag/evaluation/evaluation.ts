/** The whole record of one `clirag eval`: what ran, on what, and what it measured. */

import type { Machine } from '../../core/machine.js';
import type { JudgeCounts } from '../../core/judging.js';
import type { EmbedderFingerprint } from '../../core/types.js';
import type { Measured } from './evaluate.js';
import type { GateResult } from './gates.js';

export interface RunManifest {
  readonly timeUtc: string;
  readonly versions: Readonly<Record<string, string>>;
  readonly machine: Machine;
  readonly store: {
    readonly patients: number;
    readonly notes: number;
    readonly sources: readonly { file: string }[];
  };
  /** Evaluated patients: how many, and the hash of their ids. */
  readonly patients: { readonly count: number; readonly sha256: string };
  readonly facts: { readonly path: string; readonly sha256: string } | null;
  readonly embedder: EmbedderFingerprint;
  /** Endpoints without keys. */
  readonly systems: readonly string[];
  readonly judge: string | null;
  readonly settings: Readonly<Record<string, unknown>>;
}

export interface Evaluation extends Measured {
  readonly manifest: RunManifest;
  readonly judgements: JudgeCounts;
  readonly gates: readonly GateResult[];
}
