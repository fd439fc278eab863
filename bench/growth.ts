/** `npm run bench -- growth [MOST_UNITS]`: index and search at 1k, 10k, 100k units, an update among them, and the scan beside peers. */

import { spawnSync } from 'node:child_process';
import { open, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { cpus, loadavg, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { packageRoot } from '../src/core/config.js';
import { encodeVectraFile, type VectorItem } from '../src/core/store/vectorStore.js';
import { packageVersion } from '../src/core/version.js';
import { madeVector } from './madeUnits.js';

const SIZES = [1_000, 10_000, 100_000];
/** The chunks of the winner of the 2025 LabDocs challenge (its own report). */
const SCAN_ROWS = 105_520;
const SCAN_DIMS = [384, 768];
const FIGURES = join(packageRoot, 'bench', 'figures', 'growth.json');

type Figures = Readonly<Record<string, number | boolean>>;

/** `--scan`: the scan alone; `--chroma`: also Chroma's persistent client, which takes minutes. Peers need `LABSAGE_PYTHON` with numpy and chromadb. */
export async function benchGrowth(args: readonly string[]): Promise<void> {
  const most = Number(args.find((arg) => /^\d+$/u.test(arg)) ?? SIZES.at(-1));
  const folder = await mkdtemp(join(tmpdir(), 'labsage-growth-'));
  try {
    if (!args.includes('--scan')) {
      const sizes = SIZES.filter((size) => size <= most);
      await keepFigures({ growth: await measureGrowth(folder, sizes) });
    }
    for (const dims of SCAN_DIMS) {
      const scan = await measureScan(folder, { dims, withChroma: args.includes('--chroma') });
      await keepFigures({ [`scan${dims}`]: scan });
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureGrowth(folder: string, sizes: readonly number[]): Promise<object> {
  const empty = join(folder, 'empty');
  step('index', empty, 1);
  const baseMb = numberOf(step('search', empty), 'rssMb');
  const rows: Figures[] = [];
  for (const size of sizes) {
    const at = join(folder, String(size));
    const made = step('index', at, size);
    const found = step('search', at);
    const row = {
      units: numberOf(made, 'units'),
      indexMs: numberOf(made, 'ms'),
      indexCpuMs: numberOf(made, 'cpuMs'),
      indexPeakRssMb: numberOf(made, 'peakRssMb'),
      bytes: numberOf(made, 'bytes'),
      coldMs: numberOf(found, 'coldMs'),
      warmMs: numberOf(found, 'warmMs'),
      searchMbOverEmpty: numberOf(found, 'rssMb') - baseMb,
    };
    rows.push(row);
    console.log(JSON.stringify(row));
    if (size !== sizes.at(-1)) await rm(at, { recursive: true });
  }
  const last = sizes.at(-1) ?? 0;
  const at = join(folder, String(last));
  const update = step('update', at, last);
  const fresh = join(folder, 'fresh');
  step('update', fresh, last);
  const isSame = step('same', at, fresh);
  console.log(`one document among ${last} units: ${JSON.stringify({ ...update, ...isSame })}`);
  await Promise.all([at, fresh].map((one) => rm(one, { recursive: true })));
  const exponents = Object.fromEntries(
    ['indexMs', 'indexCpuMs', 'bytes', 'coldMs', 'warmMs', 'searchMbOverEmpty'].map((name) => [
      name,
      exponent(rows, name),
    ]),
  );
  console.log(`exponents: ${JSON.stringify(exponents)}`);
  const made = 'the bundled SOPs, repeated under new ids; vectors made from hashes, 384 dimensions';
  return { made, rows, exponents, update: { ...update, sameAsFresh: isSame['isSame'] } };
}

/** Each part beside those that were measured before, with the machine that it was measured on. */
async function keepFigures(parts: Readonly<Record<string, object>>): Promise<void> {
  const before = await readFile(FIGURES, 'utf8').catch(() => '{}');
  const machine = {
    program: packageVersion(),
    node: process.versions.node,
    machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB`,
    loadAverage: loadavg()[1],
  };
  const added = Object.entries(parts).map(([name, part]) => [name, { ...machine, ...part }] as const);
  const figures = { ...(JSON.parse(before) as object), ...Object.fromEntries(added) };
  await mkdir(join(FIGURES, '..'), { recursive: true });
  await writeFile(FIGURES, `${JSON.stringify(figures, null, 2)}\n`);
}

async function measureScan(
  folder: string,
  { dims, withChroma }: { dims: number; withChroma: boolean },
): Promise<object> {
  const python = process.env['LABSAGE_PYTHON'];
  const [file, few, raw] = ['rows.f32', 'few.f32', 'raw.bin'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeRows({ file, few, raw }, dims);
  const ours = step('scan', file, dims);
  const base = step('scan', few, dims);
  const peers = python === undefined ? undefined : peersOf(python, { raw, dims, folder, withChroma });
  // In one run, one after the other: ours again, so that a change of the machine's load shows.
  const again = step('scan', file, dims);
  const vectorsMb = (SCAN_ROWS * dims * 4) / 2 ** 20;
  const found = {
    rows: SCAN_ROWS,
    dims,
    ours,
    again,
    memoryOverEmptyInVectors: (numberOf(ours, 'rssMb') - numberOf(base, 'rssMb')) / vectorsMb,
    ...(peers === undefined
      ? { peers: 'not measured: LABSAGE_PYTHON is not set' }
      : {
          peers,
          cpuRatioToDot: mean(ours, again, 'cpuMs') / cpuOf(peers['dot']),
          cpuRatioToDotAndTop: mean(ours, again, 'cpuMs') / cpuOf(peers['dotAndTop2000']),
        }),
  };
  console.log(JSON.stringify(found));
  return found;
}

function peersOf(
  python: string,
  { raw, dims, folder, withChroma }: { raw: string; dims: number; folder: string; withChroma: boolean },
): Readonly<Record<string, unknown>> {
  const args = [
    join(packageRoot, 'bench', 'vectorPeers.py'),
    raw,
    String(dims),
    join(folder, `chroma-${dims}`),
  ];
  const { status, stdout, stderr } = spawnSync(python, withChroma ? [...args, '--chroma'] : args, {
    encoding: 'utf8',
    env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
  });
  if (status !== 0) throw new Error(`vectorPeers.py ended with ${status ?? 'a signal'}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Readonly<Record<string, unknown>>;
}

function cpuOf(figures: unknown): number {
  return (figures as { cpuMs: number }).cpuMs;
}

function mean(a: Figures, b: Figures, name: string): number {
  return (numberOf(a, name) + numberOf(b, name)) / 2;
}

/** Many near each other, as the units of one SOP are. */
async function writeRows(
  { file, few, raw }: { file: string; few: string; raw: string },
  dims: number,
): Promise<void> {
  const items: VectorItem[] = Array.from({ length: SCAN_ROWS }, (_, row) => ({
    id: `sop-${row >> 6}#section-${row & 63}`,
    vector: madeVector(`section ${row % 1000}\n${row}`, dims),
    metadata: { hash: row.toString(16).padStart(32, '0'), group: `sop-${row >> 6}` },
  }));
  await writeFile(file, encodeVectraFile(items));
  await writeFile(few, encodeVectraFile(items.slice(0, 1)));
  const handle = await open(raw, 'w');
  for (const { vector } of items) await handle.write(new Uint8Array(vector.buffer));
  await handle.close();
}

function step(name: string, ...args: readonly (string | number)[]): Figures {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [
      '--max-old-space-size=8192',
      join(packageRoot, 'dist', 'bench', 'growthStep.js'),
      name,
      ...args.map(String),
    ],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`${name} ended with ${status ?? 'a signal'}: ${stderr}`);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Figures;
}

function numberOf(figures: Figures, name: string): number {
  return Number(figures[name]);
}

/** Of the power law through all sizes, by least squares of the logarithms. */
function exponent(rows: readonly Figures[], name: string): number {
  const points = rows.map(
    (row) => [Math.log(numberOf(row, 'units')), Math.log(numberOf(row, name))] as const,
  );
  const meanOf = (at: 0 | 1): number => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [x, y] = [meanOf(0), meanOf(1)];
  const over = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const under = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return over / under;
}
