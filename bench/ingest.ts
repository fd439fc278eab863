/** `npm run bench -- ingest [MEGABYTES]`: a file of that size made of the synthetic charts under new ids → how fast and in how much memory it is read in, and what its first notes cost. */

import { spawn, spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { parse } from 'csv-parse/sync';
import { packageRoot, resolvePaths } from '../src/core/config.js';
import { formatCsvRow } from '../src/core/csv.js';
import { walkFiles } from './folderSize.js';
import { findModel } from '../src/core/models/modelFiles.js';
import { median, pairedRuns, run, spread, type Command } from './timing.js';

const MEGABYTE = 1024 * 1024;
/** Iterates the records, and does nothing with them: the least that reading a CSV file costs in Python. */
const PYTHON =
  "import csv,sys\ncsv.field_size_limit(10**9)\nfor r in csv.reader(open(sys.argv[1],newline='',encoding='utf-8')): pass";
/** The patient whose one visit has 20 notes. */
const BUSY = { patient: '99999999', visit: '88888888', notes: 20 } as const;

export async function benchIngest([size = '2000', model = 'minilm']: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'clirag-ingest-'));
  try {
    const file = join(folder, 'NOTEEVENTS.csv');
    const store = join(folder, 'store');
    const patients = await repeatCharts(file, Number(size) * MEGABYTE);
    const { size: bytes } = await stat(file);
    console.log(
      `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}; ${(bytes / MEGABYTE).toFixed(0)} MB, ${patients} patients, rows of a patient far apart`,
    );
    const python: Command = ['python3', ['-c', PYTHON, file]];
    const hasPython = spawnSync('python3', ['--version']).status === 0;
    const rate = (ms: number): number => bytes / MEGABYTE / (ms / 1000);
    const before = hasPython ? rate(run(python)) : undefined;
    const ours = await measured(['bin/clirag.js', 'index', file, '--index', store, '--quiet']);
    const after = hasPython ? rate(run(python)) : undefined;
    console.log(
      `ingest ${rate(ours.ms).toFixed(1)} MB/s, at most ${(ours.peakBytes / MEGABYTE).toFixed(0)} MB resident`,
    );
    if (before !== undefined && after !== undefined)
      console.log(
        `python csv.reader ${before.toFixed(1)} MB/s before, ${after.toFixed(1)} after: ours is ${((2 * rate(ours.ms)) / (before + after)).toFixed(2)} of it`,
      );
    const { files, bytes: stored } = await walkFiles(store);
    console.log(
      `store: ${files} files (${(files / patients).toFixed(2)} a patient), ${(stored / MEGABYTE).toFixed(0)} MB (${(stored / patients / 1024).toFixed(1)} kB a patient)`,
    );
    await firstNotes(store, model);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first note of a visit of 20 notes embeds them; the next ones find the vectors. */
async function firstNotes(store: string, model: string): Promise<void> {
  const { folder } = await findModel(model, await resolvePaths(process.env));
  const note: Command = [
    process.execPath,
    ['bin/clirag.js', 'note', '--visit', BUSY.visit, '--index', store, '--embedder', model],
  ];
  console.log(`first note of a visit of ${BUSY.notes} notes: ${(run(note) / 1000).toFixed(2)} s (${model})`);
  const pairs = pairedRuns([process.execPath, ['dist/bench/bareLoad.js', folder, store]], note);
  console.log(
    `the same once embedded: ${median(pairs).toFixed(2)} × (Node start + bare import and load of the model) (${spread(pairs)})`,
  );
  const opened = openedFiles(note, store);
  if (opened !== undefined) console.log(`files of the store that it opened (strace): ${opened.join(', ')}`);
}

/** Undefined where strace is absent. */
function openedFiles([command, args]: Command, store: string): string[] | undefined {
  const { status, stderr } = spawnSync('strace', ['-f', '-qq', '-e', 'trace=open,openat', command, ...args], {
    cwd: packageRoot,
    encoding: 'utf8',
    maxBuffer: 1024 * MEGABYTE,
  });
  if (status !== 0) return undefined;
  const names = [...stderr.matchAll(/"([^"]+)"[^\n]*= \d+$/gmu)].map((match) => match[1] ?? '');
  return [
    ...new Set(names.filter((name) => name.startsWith(store)).map((name) => name.slice(store.length + 1))),
  ];
}

/** @returns how many patients the file has: each charted patient anew until the size is reached, category by category. */
async function repeatCharts(file: string, bytes: number): Promise<number> {
  const source = await readFile(join(packageRoot, 'corpora', 'charts', 'NOTEEVENTS.csv'), 'utf8');
  const [header = [], ...rows] = parse(source, { relax_column_count: true });
  const templates = rows
    .sort((a, b) => (a[6] ?? '').localeCompare(b[6] ?? ''))
    .map((row) => ({ patient: Number(row[1]), visit: row[2] ?? '', rest: `${formatRest(row)}\r\n` }));
  const share = templates.reduce((sum, { rest }) => sum + Buffer.byteLength(rest) + 24, 0);
  const copies = Math.max(1, Math.ceil(bytes / share));
  const out = createWriteStream(file);
  const write = async (text: string): Promise<void> => {
    if (!out.write(text)) await once(out, 'drain');
  };
  await write(`${formatCsvRow(header)}\r\n`);
  let id = 0;
  for (const { patient, visit, rest } of templates) {
    let block = '';
    for (let copy = 0; copy < copies; copy += 1) {
      id += 1;
      const admission = visit === '' ? '' : String(Number(visit) + copy * 1_000_000);
      block += `${id},${patient + copy * 100_000},${admission},${rest}`;
    }
    await write(block);
  }
  const [first] = rows;
  for (let note = 0; note < BUSY.notes; note += 1) {
    const row = rows[(note * 7) % rows.length] ?? first ?? [];
    const time = `${first?.[3] ?? ''} ${String(note + 1).padStart(2, '0')}:00:00`;
    const isEvidence = !/discharge/iu.test(row[6] ?? '');
    const moved = [...row];
    moved.splice(3, 4, first?.[3] ?? '', time, time, isEvidence ? (row[6] ?? '') : 'Nursing');
    await write(`${id + note + 1},${BUSY.patient},${BUSY.visit},${formatRest(moved)}\r\n`);
  }
  out.end();
  await once(out, 'finish');
  return copies * new Set(templates.map(({ patient }) => patient)).size + 1;
}

/** All fields after the three ids. Not for spreadsheets: nothing is guarded. */
function formatRest(row: readonly string[]): string {
  return row
    .slice(3)
    .map((cell) => (/[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell))
    .join(',');
}

/** Runs a script of ours and watches its memory (Linux: VmHWM). */
async function measured(args: readonly string[]): Promise<{ ms: number; peakBytes: number }> {
  const startMs = performance.now();
  const child = spawn(process.execPath, args, { cwd: packageRoot, stdio: ['ignore', 'ignore', 'inherit'] });
  let peakBytes = 0;
  const look = setInterval(() => {
    readFile(`/proc/${child.pid ?? 0}/status`, 'utf8').then(
      (status) => {
        peakBytes = Math.max(peakBytes, Number(/VmHWM:\s+(\d+)/u.exec(status)?.[1] ?? 0) * 1024);
      },
      () => undefined,
    );
  }, 100);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(look);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code ?? 'a signal'}`);
  return { ms: performance.now() - startMs, peakBytes };
}
