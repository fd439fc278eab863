/** The prompt of a visit and a language model → the four sections as it wrote them, each sentence checked against its sources. */

import { ExitCode, ToolError } from '../../core/errors.js';
import { withoutThoughts } from '../../core/generator.js';
import type { LanguageModel } from '../../core/generator/chat.js';
import { groundText } from '../../core/grounding.js';
import { blankCitations } from '../../core/grounding/citations.js';
import { collapseBlanks } from '../../core/text.js';
import { whyUnproved } from '../../core/writtenText.js';
import { isPlanted } from '../../core/grounding/plantedText.js';
import type { Grounding, Omitted, Span } from '../../core/types.js';
import type { NoteSource, SoapSectionName, SoapSentence } from './noteRecord.js';
import type { CountTokens } from '../../core/tokenCounter.js';
import type { PromptSource } from '../prompt.js';

export interface WrittenNote {
  readonly sections: Readonly<Record<SoapSectionName, { readonly sentences: readonly SoapSentence[] }>>;
  readonly grounding: Grounding;
  readonly reply: string;
  readonly withheld: readonly string[];
  /** The model stopped at the limit of its reply. */
  readonly isCut: boolean;
  /** The server says that another model than the one named wrote it. */
  readonly servedBy?: string;
  readonly counted: Pick<Omitted, 'countedByServer'>;
}

/** Twice what 600 words and their citations take. */
const REPLY_TOKENS = 2000;
const SECTIONS = ['subjective', 'objective', 'assessment', 'plan'] as const;
/** `## Subjective`, `**Subjective:**`, `S:`; `Assessment and Plan` counts as assessment. */
const HEADING =
  /^[ \t]*(?:#{1,6}[ \t]*)?(?:\*\*|__)?[ \t]*(subjective|objective|assessment|plan|[SOAP](?=[ \t]*(?:\*\*|__)?:))(?:[ \t]*(?:and|&|\/)[ \t]*plan)?[ \t]*(?:\*\*|__)?[ \t]*(?::|$)[ \t]*(?:\*\*|__)?/gimu;

/** Throws (exit 4) where the model gives no reply, or one without the four headings. */
export async function writeWithModel(
  prompt: string,
  {
    model,
    proving,
    strict,
  }: {
    model: LanguageModel;
    /** The sources with what of them may prove something. */
    proving: readonly Pick<NoteSource, 'key' | 'text'>[];
    strict: boolean;
  },
): Promise<WrittenNote> {
  const {
    text: reply,
    complete,
    promptTokens,
    servedBy,
  } = await model.complete({ user: prompt, maxTokens: REPLY_TOKENS });
  const output = withoutThoughts(reply);
  const spans = findSections(output);
  if (spans.length === 0) {
    throw new ToolError(ExitCode.model, `${model.name} wrote no note: its reply has no SOAP headings`, {
      hint: 'use a model that follows instructions, or leave --generator away for the extractive note',
    });
  }
  const grounding = groundText(output, proving, { spans: spans.map(({ span }) => span) });
  const withheld: string[] = [];
  const written: Record<SoapSectionName, SoapSentence[]> = {
    subjective: [],
    objective: [],
    assessment: [],
    plan: [],
  };
  for (const { span, citations, verdict, reasons } of grounding.sentences) {
    const section = spans.find((own) => own.span.start <= span.start && span.start < own.span.end)?.section;
    const text = plainSentence(output.slice(span.start, span.end));
    if (section === undefined || text === '') continue;
    const unproved = isPlanted(output.slice(span.start, span.end).replace(OWN_MARKS, ''))
      ? ['it repeats an order to the writer']
      : whyUnproved({ verdict, reasons });
    if (unproved.length > 0 && strict) withheld.push(text);
    else written[section].push({ text, citations, ...(unproved.length === 0 ? {} : { unproved }) });
  }
  return {
    sections: {
      subjective: { sentences: written.subjective },
      objective: { sentences: written.objective },
      assessment: { sentences: written.assessment },
      plan: { sentences: written.plan },
    },
    grounding,
    reply,
    withheld,
    isCut: !complete,
    ...(servedBy === undefined ? {} : { servedBy }),
    counted: promptTokens === undefined ? {} : { countedByServer: promptTokens },
  };
}

/** Citations that lead to a source of the prompt; any other bracket stays. */
const OWN_MARKS = /\[\s*S\d{1,4}(?:\s*[,;]\s*S\d{1,4})*\s*\]/gu;

/** What follows each heading up to the next; a preamble before the first is no part of the note. */
function findSections(output: string): { section: SoapSectionName; span: Span }[] {
  const headings = [...output.matchAll(HEADING)];
  return headings.flatMap(({ index, 0: whole, 1: name = '' }, at) => {
    const section = SECTIONS.find((one) => one.startsWith(name.toLowerCase()));
    const span = { start: index + whole.length, end: headings[at + 1]?.index ?? output.length };
    return section === undefined || output.slice(span.start, span.end).trim() === ''
      ? []
      : [{ section, span }];
  });
}

/** Without marks of citations, lists and emphasis. */
function plainSentence(text: string): string {
  const bare = blankCitations(text)
    .replace(/^\s*(?:[-*•]|\d{1,2}[.)])\s+/u, '')
    .replace(/\*\*|__/gu, '');
  const plain = collapseBlanks(bare).replace(/\s+([.,;:!?])(?=\s|$)/gu, '$1');
  return /[\p{L}\p{N}]/u.test(plain) ? plain : '';
}

/** The sources that fit, the least relevant left out first, in their order; and how much that is. */
export function fitSources(
  sources: readonly PromptSource[],
  {
    scoreOf,
    render,
    countTokens,
    contextTokens,
  }: {
    scoreOf: (source: PromptSource) => number;
    render: (sources: readonly PromptSource[]) => string;
    countTokens: CountTokens;
    /** The model's window, its reply included; undefined: everything. */
    contextTokens: number | undefined;
  },
): { prompt: string; omitted: Omitted } {
  let kept = sources;
  let prompt = render(kept);
  const intended = countTokens(prompt);
  let sent = intended;
  const room = contextTokens === undefined ? Infinity : contextTokens - REPLY_TOKENS;
  const byScore = [...sources].sort((a, b) => scoreOf(a) - scoreOf(b));
  while (sent > room && kept.length > 0) {
    const share = Math.max(1, Math.floor(((sent - room) / sent) * kept.length * 0.8));
    const left = new Set(byScore.splice(0, share));
    kept = kept.filter((source) => !left.has(source));
    prompt = render(kept);
    sent = countTokens(prompt);
  }
  if (sent > room) {
    throw new ToolError(ExitCode.usage, `a window of ${contextTokens ?? 0} tokens is too small for a note`, {
      hint: `give --context-tokens ${sent + REPLY_TOKENS} or more`,
    });
  }
  return { prompt, omitted: { intended, sent } };
}
