/** `labsage ask`: one question or many → quoted answers with citations, each written to the audit log. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { appendAudit, type AuditRecord } from '../../core/auditLog.js';
import { resolvePaths } from '../../core/config.js';
import { ExitCode, ToolError, systemCode } from '../../core/errors.js';
import { openShownGenerator, type GeneratorFlags } from '../../core/generator/shownText.js';
import { parseObject, readLines } from '../../core/lines.js';
import type { Io } from '../../core/output.js';
import { refuseOverwriting } from '../../core/reportFiles.js';
import { timed } from '../../core/trace.js';
import { writeFileAtomic } from '../../core/store/atomicFiles.js';
import type { Answer } from '../../core/types.js';
import type { AnswerOptions, ExplainedAnswer } from '../answer.js';
import { auditEntryOf } from '../records/auditEntry.js';
import type { CommandContext } from '../../core/program.js';
import { answerAsked, type AskedAnswer } from '../lists/corpusAnswer.js';
import { renderAsked } from '../lists/renderList.js';
import { keepManifest } from '../index/keptManifest.js';
import type { SopIndex } from '../sopIndex.js';
import { reasonOf } from '../documents/sopFiles.js';
import { unsearchedVersions } from '../lists/versionAnswer.js';
import { unmatchedFilters } from '../retrieve.js';
import { writeAnswer, type Writing } from '../writtenAnswer.js';
import { openSearch, retrieveOptions, type SearchFlags } from './openSearch.js';

interface AskFlags extends SearchFlags, GeneratorFlags {
  readonly questions?: string;
  readonly full?: boolean;
  readonly explain?: boolean;
  /** 0 to 1. */
  readonly minConfidence?: number;
  readonly failUnanswered?: boolean;
  readonly html?: string;
  readonly force?: boolean;
  readonly contextTokens?: number;
  readonly strict?: boolean;
  readonly json?: boolean;
}

export async function askCommand(
  args: readonly string[],
  flags: AskFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const questions = await questionSource(args, flags, io);
  const page = flags.html === undefined ? undefined : resolve(io.cwd, flags.html);
  if (page !== undefined && flags.force !== true) await refuseOverwriting(page, '--html');
  const model = openShownGenerator(flags, output);
  const search = await openSearch(flags, io);
  // Answers on the same terminal are their own progress.
  const isHidden = flags.questions === undefined || io.stdout.isTTY === true;
  const progress = isHidden ? undefined : output.progress('Answering question');
  try {
    const { index, embedder } = search;
    const options: AnswerOptions = {
      ...retrieveOptions(flags, index),
      ...(flags.minConfidence === undefined ? {} : { minConfidence: flags.minConfidence }),
    };
    unsearchedVersions(index, options).forEach(output.warn);
    unmatchedFilters(index.documents, options.filters ?? {}).forEach(output.warn);
    const writing: Writing | undefined = model && {
      model,
      contextTokens: flags.contextTokens,
      strict: flags.strict === true,
      allowRemote: flags.allowRemote === true,
      today: options.today,
    };
    let fallsShort = false;
    let unanswered = 0;
    let done = 0;
    const answers: Answer[] = [];
    for await (const { question, id } of questions) {
      io.signal.throwIfAborted();
      const quoted = await timed('answer', () => answerAsked(question, { index, embedder }, options));
      const asked = await write(quoted, writing);
      fallsShort ||= asked.explained?.written?.fallsShort === true;
      const record = await timed('record', () =>
        audit(asked, { index, options, writing, env: io.env, warn: output.warn }),
      );
      const answer: Answer = { ...asked.answer, ...(record === undefined ? {} : { auditId: record.id }) };
      if (!answer.answered) unanswered++;
      if (page !== undefined) answers.push(answer);
      if (flags.json === true)
        output.printJson({
          ...(id === undefined ? {} : { id }),
          ...answer,
          ...withheldPart(asked),
          ...(flags.explain === true && asked.explained !== undefined ? explainParts(asked.explained) : {}),
        });
      else {
        if (done > 0) output.print();
        output.print(
          renderAsked(withRecord(asked, answer), {
            color: output.color,
            full: flags.full === true,
            explain: flags.explain === true,
            showQuestion: flags.questions !== undefined,
          }),
        );
      }
      done++;
      progress?.update(done);
    }
    if (done === 0)
      throw new ToolError(ExitCode.input, 'no question was given', {
        hint: 'labsage ask "How long is plasma ammonia stable on ice?"',
      });
    if (page !== undefined) {
      const { renderAnswerPage } = await import('../lists/answerPage.js');
      await writeFileAtomic(page, renderAnswerPage(answers));
      output.note(`Wrote ${flags.html ?? page}.`);
    }
    if (flags.strict === true && fallsShort) return ExitCode.shortfall;
    return flags.failUnanswered === true && unanswered > 0 ? ExitCode.shortfall : ExitCode.done;
  } finally {
    progress?.stop();
    await search.close();
    await model?.close?.();
  }
}

/** The same answer with the id of its record. */
function withRecord(asked: AskedAnswer, answer: Answer): AskedAnswer {
  const { explained } = asked;
  return { ...asked, answer, ...(explained === undefined ? {} : { explained: { ...explained, answer } }) };
}

/** Lists and control data are no prose: only words that were quoted are written anew. */
async function write(quoted: AskedAnswer, writing: Writing | undefined): Promise<AskedAnswer> {
  if (writing === undefined || quoted.explained === undefined) return quoted;
  const { explained: extractive } = quoted;
  const explained = await timed('write', () => writeAnswer(extractive, writing));
  const { contexts } = explained;
  const answer = { ...explained.answer, needsReview: explained.answer.answered && quoted.answer.needsReview };
  return { ...quoted, answer, contexts, explained: { ...explained, answer } };
}

function withheldPart({ explained }: AskedAnswer): object {
  return explained?.written === undefined ? {} : { withheld: explained.written.withheld };
}

interface AskedQuestion {
  readonly question: string;
  readonly id?: string;
}

/** Checked before the model is loaded. */
async function questionSource(
  args: readonly string[],
  flags: AskFlags,
  { stdin, cwd, signal }: Io,
): Promise<AsyncIterable<AskedQuestion> | readonly AskedQuestion[]> {
  const question = args.join(' ').trim();
  const file = flags.questions ?? (question === '-' ? '-' : undefined);
  if (file !== undefined && question !== '' && question !== '-') {
    throw new ToolError(ExitCode.usage, 'give a question or --questions, not both', {
      hint: 'labsage ask --help shows examples',
    });
  }
  if (file === undefined) {
    if (question === '')
      throw new ToolError(ExitCode.usage, 'no question was given', {
        hint: 'labsage ask "How long is plasma ammonia stable on ice?"',
      });
    return [{ question }];
  }
  if (file === '-') return readQuestions(() => stdin, { name: file, signal });
  const path = resolve(cwd, file);
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  if (found.isDirectory()) throw unreadable(file, new Error('it is a folder'));
  return readQuestions(() => createReadStream(path), { name: file, signal });
}

function unreadable(name: string, error: unknown): ToolError {
  return new ToolError(ExitCode.input, `questions ${name} cannot be read: ${reasonOf(error)}`, {
    hint: 'name a file of questions, one a line, or - for stdin',
    cause: error,
  });
}

/** Lines, or JSON lines with `question` and perhaps `id`; blank lines are passed over. */
async function* readQuestions(
  openStream: () => NodeJS.ReadableStream,
  { name, signal }: { name: string; signal: AbortSignal },
): AsyncGenerator<AskedQuestion> {
  let line = 0;
  try {
    for await (const text of readLines(openStream(), { signal })) {
      line++;
      if (text.trim() === '') continue;
      yield text.trimStart().startsWith('{')
        ? parseQuestion(text, { name, line })
        : { question: text.trim() };
    }
  } catch (error) {
    if (systemCode(error) === undefined || signal.aborted) throw error;
    throw unreadable(name, error);
  }
}

function parseQuestion(text: string, { name, line }: { name: string; line: number }): AskedQuestion {
  const fields = parseObject(text);
  const { question, id } = fields ?? {};
  if (typeof question === 'string' && question.trim() !== '') {
    return { question: question.trim(), ...(typeof id === 'string' ? { id } : {}) };
  }
  const why = fields === undefined ? 'it is no JSON object' : 'it has no field "question"';
  throw new ToolError(ExitCode.input, `line ${line} of ${name} is no question: ${why}`, {
    hint: 'write one question a line, or JSON lines with a field "question"',
  });
}

/** Every answer is recorded beside the index; where that can't be written, in the user's state folder. */
async function audit(
  asked: AskedAnswer,
  state: {
    index: SopIndex;
    options: AnswerOptions;
    writing: Writing | undefined;
    env: Readonly<Record<string, string | undefined>>;
    warn: (line: string) => void;
  },
): Promise<AuditRecord | undefined> {
  const { index } = state;
  const entry = auditEntryOf(asked, { index, options: state.options, writing: state.writing });
  try {
    await keepManifest(index.folder, index.manifest);
    return await appendAudit(index.folder, entry);
  } catch (error) {
    const code = systemCode(error);
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EROFS') throw error;
    const { state: folder } = await resolvePaths(state.env);
    state.warn(`${index.folder} can't be written; the audit log is in ${folder}`);
    await keepManifest(folder, index.manifest);
    return appendAudit(folder, entry);
  }
}

function explainParts({ terms, judgement, signals, contexts, scored }: ExplainedAnswer): object {
  return {
    explain: {
      terms,
      confidence: signals,
      answerable: { score: judgement.answerable, ...judgement.features },
      contexts: contexts.map(({ context, score, hits }) => ({ unit: context.id, score, hits })),
      pieces: scored
        .slice(0, 20)
        .map(({ evidence, score, parts }) => ({ text: evidence.text, score, parts })),
    },
  };
}
