/** An answer and what it was asked with → its entry in the audit log, with all that is needed to ask it again. */

import type { AuditEntry } from '../../core/auditLog.js';
import { packageVersion } from '../../core/version.js';
import type { EmbedderFingerprint } from '../../core/types.js';
import type { AnswerOptions } from '../answer.js';
import type { AskedAnswer } from '../lists/corpusAnswer.js';
import type { Chunking } from '../index/indexFormat.js';
import { manifestHash } from '../index/keptManifest.js';
import type { Filters, Mode } from '../retrieve.js';
import type { SopIndex } from '../sopIndex.js';
import type { Writing } from '../writtenAnswer.js';

/** `settings` of a record of `ask`. */
export interface AnswerSettings {
  /** Null: the default. */
  readonly k: number | null;
  readonly mode: Mode;
  readonly preset: 'labsage' | 'paper';
  readonly filters: Filters;
  /** There if one was asked for: less was refused. */
  readonly minConfidence?: number;
  /** ISO date that decided which versions were in force. */
  readonly today: string;
  readonly embedder: EmbedderFingerprint;
  readonly chunking: Chunking;
  /** Hash of the index's manifest, see `keptManifest.ts`. */
  readonly index: string;
  readonly program: string;
  /** There if a language model was named; `model` says whether it wrote the answer. */
  readonly generator?: {
    readonly name: string;
    readonly contextTokens: number | null;
    readonly strict: boolean;
    readonly allowRemote: boolean;
  };
}

export function answerSettings(index: SopIndex, options: AnswerOptions): AnswerSettings {
  const { manifest } = index;
  return {
    k: options.k ?? null,
    mode: options.mode ?? 'hybrid',
    preset: options.preset ?? 'labsage',
    filters: options.filters ?? {},
    ...(options.minConfidence === undefined ? {} : { minConfidence: options.minConfidence }),
    today: options.today,
    embedder: manifest.embedder,
    chunking: manifest.chunking,
    index: manifestHash(manifest),
    program: packageVersion(),
  };
}

export function auditEntryOf(
  { answer, contexts, explained }: Pick<AskedAnswer, 'answer' | 'contexts' | 'explained'>,
  { index, options, writing }: { index: SopIndex; options: AnswerOptions; writing?: Writing | undefined },
): AuditEntry {
  return {
    command: 'ask',
    subject: answer.question,
    units: contexts.map(({ document, context }) => ({
      id: context.id,
      sha256: context.sha256,
      document: document.path,
      ...(document.control.version === undefined ? {} : { version: document.control.version }),
    })),
    model: answer.model,
    settings: {
      ...answerSettings(index, options),
      ...(writing === undefined ? {} : { generator: generatorSettings(writing) }),
    },
    output: {
      answered: answer.answered,
      confidence: answer.confidence,
      needsReview: answer.needsReview,
      text: answer.text,
      warnings: answer.warnings,
      missingTerms: answer.missingTerms,
      omitted: answer.omitted,
      ...(explained?.written === undefined
        ? {}
        : {
            reply: explained.written.reply,
            withheld: explained.written.withheld,
            grounding: answer.grounding,
          }),
    },
  };
}

function generatorSettings({
  model,
  contextTokens,
  strict,
  allowRemote,
}: Writing): AnswerSettings['generator'] {
  return { name: model.name, contextTokens: contextTokens ?? null, strict, allowRemote };
}
