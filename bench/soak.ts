/** `npm run soak [-- QUESTIONS [PROCESSES]]`: many questions in one process, many processes, questions during an index run, an index that moved. */

import { spawn } from 'node:child_process';
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/core/config.js';
import { nameEmbedder } from '../src/core/models/provenEmbedder.js';
import { sha256Hex } from '../src/core/text.js';
import { readQuestions } from '../src/labsage/evaluation/questions.js';
import { answerAsked } from '../src/labsage/lists/corpusAnswer.js';
import { openSopIndex } from '../src/labsage/sopIndex.js';

const MODEL = 'minilm';
const QUESTIONS = 10_000;
/** How often each question is asked in the one process, at least. */
const TIMES_EACH = 20;
const COLD_PROCESSES = 50;
const SIDE_BY_SIDE = 8;
/** Memory is looked at so many times; the first fifth is warming up. */
const SAMPLES = 20;
/** What the last samples may lie above the first ones after warming up. */
const GROWTH_MB = 8;
const TODAY = '2026-01-01';

/** Exit 1 if anything is not as it should be. */
export async function runSoak([
  count = String(QUESTIONS),
  processes = String(COLD_PROCESSES),
]: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'labsage-soak-'));
  const checks: [string, boolean, string][] = [];
  const check = (name: string, isGood: boolean, found: string): void => {
    checks.push([name, isGood, found]);
    console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${name}: ${found}`);
  };
  try {
    const sops = join(folder, 'sops');
    await cp(join(packageRoot, 'corpora', 'sops'), sops, { recursive: true });
    const index = join(folder, 'index');
    const indexed = await labsage(['index', sops, '--index', index, '--embedder', MODEL, '--quiet']);
    if (indexed.code !== 0) throw new Error(indexed.err);
    const file = join(packageRoot, 'queries', 'sops', 'questions.jsonl');
    const questions = (await readQuestions(file)).map(({ question }) => question);
    // Each is asked often enough to differ from itself.
    const often = questions.slice(0, Math.max(1, Math.floor(Number(count) / TIMES_EACH)));
    await askManyTimes(index, { questions: often, count: Number(count), check });
    await askInColdProcesses(index, { questions, count: Number(processes), check });
    await askDuringIndex({ sops, index, question: questions[0] ?? '', check });
    await askAfterMove({ folder, index, question: questions[1] ?? '', check });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  if (checks.some(([, isGood]) => !isGood)) process.exitCode = 1;
}

type Check = (name: string, isGood: boolean, found: string) => void;

/** An answer but for the time that it took. */
function wordsOf(answer: object): string {
  const { timingsMs: _timings, auditId: _audit, ...rest } = answer as Record<string, unknown>;
  return sha256Hex(JSON.stringify(rest));
}

async function askManyTimes(
  folder: string,
  { questions, count, check }: { questions: readonly string[]; count: number; check: Check },
): Promise<void> {
  const named = await nameEmbedder(MODEL, { env: process.env });
  const index = await openSopIndex(folder);
  const source = { index, embedder: await named.open() };
  const first = new Map<string, string>();
  const memory: { rssMb: number; heapMb: number }[] = [];
  const { gc } = globalThis as { gc?: () => void };
  let handles = new Map<string, number>();
  let files = 0;
  let others = 0;
  const startMs = performance.now();
  for (let asked = 0; asked < count; asked++) {
    const question = questions[asked % questions.length] ?? '';
    const words = wordsOf((await answerAsked(question, source, { today: TODAY })).answer);
    if (first.has(question)) others += first.get(question) === words ? 0 : 1;
    else first.set(question, words);
    if (asked === Math.floor(count / SAMPLES)) [handles, files] = [openHandles(), await openFiles()];
    if ((asked + 1) % Math.floor(count / SAMPLES) === 0) {
      gc?.();
      const { rss, heapUsed } = process.memoryUsage();
      memory.push({ rssMb: rss / 2 ** 20, heapMb: heapUsed / 2 ** 20 });
    }
  }
  const perQuestionMs = (performance.now() - startMs) / count;
  const grown = ['rssMb', 'heapMb'].map((name) => growth(memory.map((one) => one[name as 'rssMb'])));
  const shown = memory.map(({ rssMb, heapMb }) => `${rssMb.toFixed(0)}/${heapMb.toFixed(0)}`).join(' ');
  check(
    `${count} questions in one process, ${first.size} different: no answer differs from the first`,
    others === 0,
    `${others} differ, ${perQuestionMs.toFixed(1)} ms a question`,
  );
  check(
    'memory is flat',
    grown.every((mb) => mb < GROWTH_MB),
    `${grown.map((mb) => mb.toFixed(1)).join(' and ')} MB more resident and in the heap at the end${gc === undefined ? ' (without --expose-gc)' : ''}; ${shown}`,
  );
  const after = openHandles();
  const leaked = [...after].filter(([kind, number]) => number > (handles.get(kind) ?? 0));
  const filesAfter = await openFiles();
  check(
    'no handle is leaked',
    leaked.length === 0 && filesAfter <= files,
    `${leaked.map(([kind, number]) => `${kind} ${number}`).join(', ') || 'none'}; ${files} files open before, ${filesAfter} after`,
  );
  await index.close();
  await named.close();
}

/** Median of the last fifth less that of the second fifth. */
function growth(values: readonly number[]): number {
  const fifth = Math.floor(values.length / 5);
  const median = (some: readonly number[]): number =>
    [...some].sort((a, b) => a - b)[Math.floor(some.length / 2)] ?? NaN;
  return median(values.slice(-fifth)) - median(values.slice(fifth, 2 * fifth));
}

function openHandles(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** 0 where the system does not say. */
async function openFiles(): Promise<number> {
  return (await readdir('/proc/self/fd').catch(() => [])).length;
}

async function askInColdProcesses(
  index: string,
  { questions, count, check }: { questions: readonly string[]; count: number; check: Check },
): Promise<void> {
  const asked = questions.slice(0, 5);
  const first = new Map<string, string>();
  let others = 0;
  const startMs = performance.now();
  for (let run = 0; run < count; run++) {
    const question = asked[run % asked.length] ?? '';
    const words = await askOnce(index, question);
    if (words === undefined || (first.get(question) ?? words) !== words) others++;
    else first.set(question, words);
  }
  check(
    `${count} cold processes in turn`,
    others === 0,
    `${others} failed or differ, ${((performance.now() - startMs) / count).toFixed(0)} ms each`,
  );
}

async function askDuringIndex({
  sops,
  index,
  question,
  check,
}: {
  sops: string;
  index: string;
  question: string;
  check: Check;
}): Promise<void> {
  const before = await askOnce(index, question);
  const added = Array.from(
    { length: 60 },
    (_, at) => `## ${at + 1}. Part ${at}\n\nMix the plasma ${at} times and read it at ${at} nm.\n`,
  );
  await writeFile(join(sops, 'zz-999.md'), `# ZZ-999 Soak\n\n${added.join('\n')}`);
  let isRunning = true;
  const run = labsage(['index', sops, '--index', index, '--quiet']).finally(() => (isRunning = false));
  const seen: (string | undefined)[] = [];
  await Promise.all(
    Array.from({ length: SIDE_BY_SIDE }, async () => {
      do seen.push(await askOnce(index, question));
      while (isRunning);
    }),
  );
  const { code, err } = await run;
  const after = await askOnce(index, question);
  const wrong = seen.filter((words) => words === undefined || (words !== before && words !== after));
  check(
    `${SIDE_BY_SIDE} ask at once during an index`,
    code === 0 && wrong.length === 0 && before !== undefined && after !== undefined,
    `${seen.length} answers, ${wrong.length} neither the old index's nor the new one's; index ended with ${code ?? 'a signal'} ${err}`,
  );
}

async function askAfterMove({
  folder,
  index,
  question,
  check,
}: {
  folder: string;
  index: string;
  question: string;
  check: Check;
}): Promise<void> {
  const before = await askOnce(index, question);
  const copy = join(folder, 'another path', 'ünïcode');
  await cp(index, copy, { recursive: true });
  await rm(index, { recursive: true });
  const after = await askOnce(copy, question);
  const { code } = await labsage(['verify', '--index', copy]);
  check(
    'an index copied to another path',
    before !== undefined && before === after && code === 0,
    before === after ? 'the same answer' : 'another answer',
  );
}

/** Undefined where the command failed. */
async function askOnce(index: string, question: string): Promise<string | undefined> {
  const { code, out, err } = await labsage(['ask', question, '--index', index, '--json']);
  if (code === 0) return wordsOf(JSON.parse(out) as object);
  console.log(err.trim());
  return undefined;
}

function labsage(args: readonly string[]): Promise<{ code: number | null; out: string; err: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(packageRoot, 'bin', 'labsage.js'), ...args]);
    let [out, err] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (err += text));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, out, err }));
  });
}
