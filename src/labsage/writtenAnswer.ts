/** A quoted answer + a language model → the answer as the model writes it, each sentence checked against the sections it cites. */

import { ExitCode, ToolError } from '../core/errors.js';
import type { LanguageModel } from '../core/generator/chat.js';
import { readPromptRoom } from '../core/generator/promptRoom.js';
import { groundText } from '../core/grounding.js';
import { blankCitations } from '../core/grounding/citations.js';
import { blankPlantedText, findPlantedText, isPlanted } from '../core/grounding/plantedText.js';
import type { Answer, Grounding, Omitted, Quote } from '../core/types.js';
import { serverCut, whyUnproved } from '../core/writtenText.js';
import { overdueWarnings, type ExplainedAnswer } from './answer.js';
import { documentReference } from './describe.js';
import { fitSections, isNoAnswer, nameSection, readReply, sectionText } from './sopPrompt.js';

export interface Writing {
  readonly model: LanguageModel;
  /** The model's window, its reply included; undefined: everything is sent. */
  readonly contextTokens: number | undefined;
  /** Leave out what the sections do not say. */
  readonly strict: boolean;
  readonly allowRemote: boolean;
  /** ISO date. */
  readonly today: string;
}

/** A refusal stays as it is: the model is not asked. Throws (exit 4) where the model gives no reply. */
export async function writeAnswer(explained: ExplainedAnswer, writing: Writing): Promise<ExplainedAnswer> {
  const { answer } = explained;
  const { model, strict, contextTokens } = writing;
  if (!answer.answered) return explained;
  const startMs = performance.now();
  const all = listSections(explained);
  const room = await readPromptRoom(model, contextTokens);
  const { prompt, kept, omitted } = fitSections(answer.question, all, room);
  const { text: reply, complete, promptTokens, servedBy } = await model.complete(prompt);
  const output = readReply(reply);
  if (output === '') {
    throw new ToolError(ExitCode.model, `${model.name} wrote no answer`, {
      hint: 'use a model that follows instructions, or leave --generator away for quotes',
    });
  }
  const isRefused = isNoAnswer(output);
  const sections = all.slice(0, kept);
  // What orders the writer to say something is no proof of it.
  const evidence = sections.map((section) => ({
    key: section.key,
    text: blankPlantedText(sectionText(section)),
  }));
  const grounding = isRefused ? { sentences: [] } : withoutOrders(output, groundText(output, evidence));
  const marked = markSentences(output, grounding, strict);
  const counted: Omitted =
    promptTokens === undefined ? omitted : { ...omitted, countedByServer: promptTokens };
  const faults = faultsOf({ marked, omitted: counted, isCut: !complete, servedBy });
  const cited = new Set(
    marked.sentences.flatMap(({ verdict, citations }) => (verdict === 'supported' ? citations : [])),
  );
  const used = sections.filter(({ key }) => cited.has(key));
  const overdue = overdueWarnings(
    used.map(({ ranked }) => ranked.document),
    writing.today,
  );
  return {
    ...explained,
    contexts: sections.map(({ ranked }) => ranked),
    answer: {
      ...answer,
      text: marked.text === '' ? refusalText(isRefused) : marked.text,
      answered: marked.text !== '',
      warnings: [...new Set([...answer.warnings, ...overdue, ...plantedWarnings(sections), ...faults])],
      citations: used.map((section) => citationOf(answer, section)),
      grounding: { sentences: marked.sentences },
      sources: sections.map(({ source }) => source),
      omitted: counted,
      model: { ...answer.model, generator: model.name },
      timingsMs: { ...answer.timingsMs, write: Math.round(performance.now() - startMs) },
    },
    written: { reply, withheld: marked.withheld, fallsShort: faults.length > 0 },
  };
}

function refusalText(isRefused: boolean): string {
  return isRefused
    ? 'The model found no answer in the sections that it was given.'
    : 'Nothing that the model wrote is proved by the sections that it was given.';
}

type Section = ReturnType<typeof listSections>[number];

function listSections({ answer, contexts, governing }: ExplainedAnswer) {
  return answer.sources.flatMap((source) => {
    const ranked = contexts.find(({ context }) => context.id === source.unitId);
    if (ranked === undefined) return [];
    const { key, text } = source;
    const { carried, warnings } = governing(ranked);
    return [
      { key, name: nameSection(ranked.document, ranked.context), carried, text, warnings, source, ranked },
    ];
  });
}

/** With the words that the extractive answer quotes from the section, if it quotes any, and the warnings that govern it. */
function citationOf(
  answer: Answer,
  { key, ranked, warnings }: Pick<Section, 'key' | 'ranked' | 'warnings'>,
): Answer['citations'][number] {
  const { document, context } = ranked;
  const quoted = answer.citations.find((citation) => citation.key === key)?.quotes ?? [];
  const isQuoted = ({ span }: Quote): boolean =>
    quoted.some((quote) => quote.span.start <= span.start && span.end <= quote.span.end);
  return {
    key,
    unitId: context.id,
    document: documentReference(document),
    headingPath: context.headingPath,
    quotes: [...warnings.filter((warning) => !isQuoted(warning)), ...quoted].sort(
      (a, b) => a.span.start - b.span.start,
    ),
  };
}

/** A sentence that hands on an order to the writer is never proved, whatever a section says. */
function withoutOrders(output: string, { sentences }: Grounding): Grounding {
  return {
    sentences: sentences.map((sentence) =>
      isPlanted(blankCitations(output.slice(sentence.span.start, sentence.span.end)))
        ? { ...sentence, verdict: 'not-found', reasons: ['it repeats an order to the writer'] }
        : sentence,
    ),
  };
}

/** Ends many documents, and orders nothing. */
const END_LINE = /^\W*end of (?:the )?document\W*$/iu;

function plantedWarnings(sections: readonly Section[]): string[] {
  const speaking = sections.filter((section) => {
    const text = sectionText(section);
    return findPlantedText(text).some(({ start, end }) => !END_LINE.test(text.slice(start, end)));
  });
  return speaking.map(
    ({ key, name }) =>
      `[${key}] ${name} has words that give orders to a language model: they prove nothing here. Have its owner look at it.`,
  );
}

interface Marked {
  readonly text: string;
  /** Spans of `text`, without the marks. */
  readonly sentences: Grounding['sentences'];
  readonly withheld: readonly string[];
}

/** Each sentence that is not proved is followed by a mark that says why, or left out. */
function markSentences(output: string, grounding: Grounding, strict: boolean): Marked {
  const sentences: Grounding['sentences'][number][] = [];
  const withheld: string[] = [];
  let text = '';
  let end = 0;
  for (const sentence of grounding.sentences) {
    const { span, verdict } = sentence;
    const own = output.slice(span.start, span.end).trim();
    const gap = output.slice(end, span.start).includes('\n') ? '\n' : ' ';
    end = span.end;
    if (!/[\p{L}\p{N}]/u.test(blankCitations(own))) continue;
    if (verdict !== 'supported' && strict) {
      withheld.push(own);
      continue;
    }
    const start = text === '' ? 0 : text.length + 1;
    text = text === '' ? own : `${text}${gap}${own}`;
    sentences.push({ ...sentence, span: { start, end: text.length } });
    if (verdict !== 'supported') {
      text += ` (⚠ not proved: ${whyUnproved(sentence).join('; ')})`;
    }
  }
  return { text, sentences, withheld };
}

function faultsOf({
  marked: { sentences, withheld },
  omitted,
  isCut,
  servedBy,
}: {
  marked: Marked;
  omitted: Omitted;
  isCut: boolean;
  servedBy: string | undefined;
}): string[] {
  const unproved = sentences.filter(({ verdict }) => verdict !== 'supported').length;
  const { intended, sent } = omitted;
  const unread = serverCut(omitted);
  return [
    unproved === 0 ? '' : `Sentences marked ⚠, not proved by their sources: ${unproved}.`,
    withheld.length === 0 ? '' : `Sentences left out, not proved by their sources: ${withheld.length}.`,
    sent === intended ? '' : `${intended - sent} of ${intended} tokens of the prompt did not fit.`,
    isCut ? 'The model stopped at the limit of its reply.' : '',
    servedBy === undefined ? '' : `The server says that the model ${servedBy} wrote this.`,
    unread === undefined ? '' : `${unread.charAt(0).toUpperCase()}${unread.slice(1)}.`,
  ].filter((fault) => fault !== '');
}
