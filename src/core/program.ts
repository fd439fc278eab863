/** What both command lines are made of: the program itself, the way from a parsed line to its handler, shared option types. */

import { Command, InvalidArgumentError } from 'commander';
import type { ExitCode } from './errors.js';
import { createOutput, type Io, type Output } from './output.js';
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

export function createRun(io: Io, finish: (code: ExitCode) => void): Run {
  return <Options extends object>(load: () => Promise<Handler<Options>>) =>
    async (...parsed) => {
      const command = parsed.at(-1) as Command;
      const options = command.opts<Options & { quiet?: boolean }>();
      const output = createOutput(io, { quiet: options.quiet === true });
      finish(await (await load())(command.args, options, { io, output }));
    };
}

/** The options of every command. */
export function withOutputOptions(command: Command): Command {
  return command
    .option('--json', 'machine-readable output')
    .option('--quiet', 'no progress on stderr')
    .allowExcessArguments(false);
}

/** The part of a command's help that shows it at work. */
export function exampleLines(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

export function positiveInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
}
