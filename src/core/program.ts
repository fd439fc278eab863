/** What both command lines are made of: the program itself, the way from a parsed line to its handler, shared option types. */

import { Command, InvalidArgumentError, Option } from 'commander';
import type { ExitCode } from './errors.js';
import { createOutput, type Io, type Output } from './output.js';
import { newTrace, printTimings, withTrace } from './trace.js';
import { readSettings, SETTING_NAMES, type ProgramName, type SettingName } from './settings.js';
import { parseShard, type Shard } from './shard.js';
import { packageVersion } from './version.js';

/** What every handler gets besides its own arguments. */
export interface CommandContext {
  readonly io: Io;
  readonly output: Output;
}

export type Handler<Options> = (
  args: readonly string[],
  options: Options,
  context: CommandContext,
) => Promise<ExitCode>;

/** Turns a handler, loaded when it runs, into a commander action. */
export type Run = <Options extends object>(
  load: () => Promise<Handler<Options>>,
) => (...parsed: unknown[]) => Promise<void>;

/** A program without commands; it throws instead of ending the process and writes to `io` alone. */
export function newProgram(
  name: string,
  { description, io, examples }: { description: string; io: Io; examples: readonly string[] },
): Command {
  return new Command(name)
    .description(description)
    .version(packageVersion())
    .showHelpAfterError(`(${name} --help lists the commands)`)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
      outputError: (text, write) => write(`${text.replace(/\s*\n\s*/gu, ' ').trim()}\n`),
    })
    .addHelpText('after', exampleLines(...examples));
}

/** For each setting the commands that take it as the option of that name where none was given; `index` is every command's. */
export type SettingUse = Readonly<Partial<Record<SettingName, readonly string[]>>>;

export function createRun(
  io: Io,
  finish: (code: ExitCode) => void,
  { program, uses }: { program: ProgramName; uses: SettingUse },
): Run {
  return <Options extends object>(load: () => Promise<Handler<Options>>) =>
    async (...parsed) => {
      const command = parsed.at(-1) as Command;
      const given = await fillOptions(command, { program, uses, io });
      const options = command.opts<Options & OutputFlags>();
      const trace = newTrace((line) => {
        if (options.verbose === true) output.note(output.errorColor.dim(line));
      });
      const output = createOutput(io, {
        quiet: options.quiet === true,
        ...(options.timings === true ? { phasesMs: trace.phasesMs } : {}),
      });
      if (options.showConfig === true) {
        finish(await showConfig(given, output));
        return;
      }
      for (const { name, value, from } of given)
        if (value !== null) trace.tell(`${name}: ${value} (${from})`);
      trace.add('start', performance.now());
      try {
        const code = await withTrace(trace, async () =>
          (await load())(command.args, options, { io, output }),
        );
        finish(code);
      } finally {
        trace.add('total', performance.now());
        if (options.timings === true) printTimings(trace, output);
      }
    };
}

interface OutputFlags {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly timings?: boolean;
  readonly showConfig?: boolean;
}

/** Puts settings where no flag was given. Returns where each option came from. */
async function fillOptions(
  command: Command,
  { program, uses, io }: { program: ProgramName; uses: SettingUse; io: Io },
): Promise<ShownOption[]> {
  const wanted = SETTING_NAMES.filter(
    (name) =>
      (name === 'index' || uses[name]?.includes(command.name()) === true) &&
      command.options.some((option) => option.attributeName() === name),
  );
  const settings = wanted.length === 0 ? {} : await readSettings(program, io);
  return wanted.map((name) => {
    const flag = command.getOptionValue(name) as string | number | undefined;
    if (flag !== undefined) return { name, value: flag, from: 'command line' };
    const setting = settings[name];
    if (setting === undefined) return { name, value: null, from: 'default' };
    command.setOptionValueWithSource(name, setting.value, 'config');
    return { name, ...setting };
  });
}

interface ShownOption {
  readonly name: SettingName;
  /** Null where the program's own default is used. */
  readonly value: string | number | null;
  readonly from: string;
}

async function showConfig(shown: readonly ShownOption[], output: Output): Promise<ExitCode> {
  const rows = shown.map(({ name, value, from }) => [name, String(value ?? '-'), from]);
  await output.table(['setting', 'value', 'from'], rows);
  return 0;
}

/** The options of every command. */
export function withOutputOptions(command: Command): Command {
  return command
    .option('--json', 'machine-readable output')
    .option('--quiet', 'no progress on stderr')
    .addOption(new Option('--verbose', 'say on stderr what is read and done').conflicts('quiet'))
    .option('--timings', 'say on stderr, and in JSON, how long each phase took')
    .option('--show-config', 'show the settings that the command would use and where each came from')
    .allowExcessArguments(false);
}

/** Of a command that embeds much. */
export function withThreads(command: Command): Command {
  return command.option(
    '--threads <n>',
    'sessions of the model side by side, a core each (default: one session on all cores)',
    positiveInteger,
  );
}

/** The part of a command's help that shows it at work. */
export function exampleLines(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

/** An option's names with commas between, each once. */
export function nameList(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.includes('')) throw new InvalidArgumentError('It must be names with commas between.');
  return [...new Set(names)];
}

/** `nameList` of an option that may come again. */
export function collectNames(text: string, before: readonly string[] = []): string[] {
  return [...before, ...nameList(text)];
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
}

export function shard(text: string): Shard {
  const part = parseShard(text);
  if (part === undefined) throw new InvalidArgumentError('It must be like 3/16, the third of sixteen parts.');
  return part;
}

/** A number from 0 to 1. */
export function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return value;
}
