/** A question file (JSON lines, ours or the simpler form) → questions with their evidence, checked line by line. */

import { readFile } from 'node:fs/promises';
import { ExitCode, ToolError } from '../../core/errors.js';
import { reasonOf } from '../sopFiles.js';

export interface EvidenceQuote {
  /** Path relative to the corpus. */
  readonly document: string;
  readonly section?: string;
  /** Stands word for word in the document. */
  readonly quote: string;
}

export interface EvalQuestion {
  readonly id: string;
  readonly question: string;
  /** Verbatim words of the SOP; absent in the simpler form. */
  readonly answer?: string;
  readonly evidence: readonly EvidenceQuote[];
  readonly kind?: string;
  readonly split?: 'dev' | 'test';
}

/** Throws (exit 3) naming the first line that is no question. */
export async function readEvalQuestions(path: string): Promise<EvalQuestion[]> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new ToolError(ExitCode.input, `questions ${path} cannot be read: ${reasonOf(error)}`, { cause: error });
  });
  return text.split('\n').flatMap((line, at) => (line.trim() === '' ? [] : [parseEvalQuestion(line, { path, line: at + 1 })]));
}

function parseEvalQuestion(text: string, place: { path: string; line: number }): EvalQuestion {
  const fail = (why: string): ToolError =>
    new ToolError(ExitCode.input, `line ${place.line} of ${place.path} is no question: ${why}`, {
      hint: 'each line needs "question" and "evidence": [{"document", "quote"}], or "document" and "evidence" as text',
    });
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(text) as Record<string, unknown>;
  } catch {
    throw fail('it is no JSON');
  }
  const { question, id, answer, kind, split, document, evidence } = value;
  if (typeof question !== 'string') throw fail('no field "question"');
  const quotes = quotesOf(evidence, document);
  if (quotes === undefined) throw fail('no field "evidence"');
  return {
    id: typeof id === 'string' ? id : `line-${place.line}`,
    question,
    evidence: quotes,
    ...(typeof answer === 'string' ? { answer } : {}),
    ...(typeof kind === 'string' ? { kind } : {}),
    ...(split === 'dev' || split === 'test' ? { split } : {}),
  };
}

function quotesOf(evidence: unknown, document: unknown): EvidenceQuote[] | undefined {
  if (typeof evidence === 'string' && typeof document === 'string') return [{ document, quote: evidence }];
  if (!Array.isArray(evidence) || evidence.length === 0) return undefined;
  const quotes = evidence as Partial<EvidenceQuote>[];
  const isValid = quotes.every((quote) => typeof quote.document === 'string' && typeof quote.quote === 'string');
  return isValid ? (quotes as EvidenceQuote[]) : undefined;
}
