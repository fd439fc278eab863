/** Results → stdout, and progress, warnings and errors → stderr: tables, colours, JSON lines, and nothing mixed. */

import { Chalk, type ChalkInstance } from 'chalk';

/** What a command may touch of the outside; tests pass their own. */
export interface Io {
  readonly stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  readonly stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Aborted when the user interrupts. */
  readonly signal: AbortSignal;
}

export interface Output {
  readonly io: Io;
  readonly color: ChalkInstance;
  readonly errorColor: ChalkInstance;
  readonly quiet: boolean;
  /** A line of the result. */
  readonly print: (line?: string) => void;
  readonly printJson: (value: unknown, options?: { indent?: number }) => void;
  /** A line on stderr that is not suppressed by --quiet. */
  readonly warn: (line: string) => void;
  /** A line on stderr, suppressed by --quiet. */
  readonly note: (line: string) => void;
  table(head: readonly string[], rows: readonly (readonly string[])[], options?: TableOptions): Promise<void>;
  progress(label: string, total?: number): Progress;
}

export interface TableOptions {
  /** Characters; words are wrapped to fit. */
  readonly columnWidths?: readonly number[];
}

export interface Progress {
  /** `done` of `total`, in the unit that the label names. */
  update(done: number, total?: number): void;
  stop(line?: string): void;
}

export interface OutputOptions {
  readonly quiet?: boolean;
  /** Milliseconds by phase so far, which every object of JSON then carries. */
  readonly phasesMs?: Readonly<Record<string, number>>;
}

export function createOutput(io: Io, options: OutputOptions = {}): Output {
  const color = new Chalk({ level: wantsColor(io, io.stdout) ? 1 : 0 });
  const errorColor = new Chalk({ level: wantsColor(io, io.stderr) ? 1 : 0 });
  const quiet = options.quiet === true;
  const print = (line = ''): void => void io.stdout.write(`${line}\n`);
  return {
    io,
    color,
    errorColor,
    quiet,
    print,
    printJson: (value, { indent } = {}) =>
      print(JSON.stringify(withPhases(value, options.phasesMs), null, indent)),
    warn: (line) => void io.stderr.write(`${errorColor.yellow('warning:')} ${line}\n`),
    note: (line) => {
      if (!quiet) io.stderr.write(`${line}\n`);
    },
    table: async (head, rows, { columnWidths } = {}) => {
      const { default: Table } = await import('cli-table3');
      const table = new Table({
        head: head.map((cell) => color.bold(cell)),
        style: { head: [], border: [], compact: columnWidths === undefined },
        ...(columnWidths === undefined ? {} : { colWidths: [...columnWidths], wordWrap: true }),
        ...(io.stdout.isTTY === true ? {} : { chars: PLAIN_CHARS }),
      });
      table.push(...rows.map((row) => [...row]));
      print(table.toString());
    },
    progress: (label, total) =>
      startProgress(io, { label, quiet, ...(total === undefined ? {} : { total }) }),
  };
}

/** Beside those times that the object states itself. */
function withPhases(value: unknown, phasesMs: OutputOptions['phasesMs']): unknown {
  if (phasesMs === undefined || typeof value !== 'object' || value === null || Array.isArray(value))
    return value;
  const { timingsMs } = value as { timingsMs?: object };
  return { ...value, timingsMs: { ...phasesMs, ...timingsMs } };
}

/** Without a terminal a table is columns and blanks: easy for `cut` and `awk`, no box characters. */
const PLAIN_CHARS = Object.fromEntries(
  ['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right', 'left']
    .concat(['left-mid', 'mid', 'mid-mid', 'right', 'right-mid'])
    .map((name) => [name, ''])
    .concat([['middle', '  ']]),
) as Record<string, string>;

function wantsColor(io: Io, stream: Io['stdout']): boolean {
  if (io.env['NO_COLOR'] !== undefined && io.env['NO_COLOR'] !== '') return false;
  if (io.env['FORCE_COLOR'] !== undefined && io.env['FORCE_COLOR'] !== '0') return true;
  return stream.isTTY === true && io.env['TERM'] !== 'dumb';
}

/** Shortest time between two progress lines where stderr is no terminal. */
const PLAIN_PROGRESS_MS = 5000;
const TERMINAL_PROGRESS_MS = 100;

function startProgress(io: Io, options: { label: string; total?: number; quiet: boolean }): Progress {
  if (options.quiet) return { update: () => undefined, stop: () => undefined };
  const terminal = io.stderr.isTTY === true && io.env['TERM'] !== 'dumb';
  const startMs = Date.now();
  let lastMs = terminal ? 0 : startMs;
  let spinner: { text: string; stop(): unknown } | undefined;
  let stopped = false;
  if (terminal) {
    void import('ora').then(({ default: ora }) => {
      if (!stopped)
        spinner = ora({
          text: options.label,
          stream: io.stderr,
          discardStdin: false,
        }).start();
    });
  }
  return {
    update(done, total = options.total) {
      const nowMs = Date.now();
      if (nowMs - lastMs < (terminal ? TERMINAL_PROGRESS_MS : PLAIN_PROGRESS_MS)) return;
      lastMs = nowMs;
      const line = progressLine(options.label, done, {
        elapsedMs: nowMs - startMs,
        ...(total === undefined ? {} : { total }),
      });
      if (spinner !== undefined) spinner.text = line;
      else if (!terminal) io.stderr.write(`${line}\n`);
    },
    stop(line) {
      stopped = true;
      spinner?.stop();
      if (line !== undefined) io.stderr.write(`${line}\n`);
    },
  };
}

/** `Embedding 120 of 400 units, 42/s, 7 s left`. */
export function progressLine(
  label: string,
  done: number,
  options: { total?: number; elapsedMs: number },
): string {
  const rate = options.elapsedMs > 0 ? done / (options.elapsedMs / 1000) : 0;
  const count = options.total === undefined ? `${done}` : `${done} of ${options.total}`;
  const left =
    options.total !== undefined && rate > 0 ? `, ${formatDuration((options.total - done) / rate)} left` : '';
  return `${label} ${count}, ${rate < 10 ? rate.toFixed(1) : Math.round(rate).toString()}/s${left}`;
}

export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.max(0, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return `${(seconds / 3600).toFixed(1)} h`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${unit === 0 ? value.toString() : value.toFixed(1)} ${units[unit] ?? ''}`;
}
