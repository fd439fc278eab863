/** A program and a half-typed line → what can stand next: commands, options, their choices, or names of files. */

import type { Argument, Command, Option } from 'commander';

export interface Suggestion {
  readonly name: string;
  readonly description: string;
}

/** `files`: the shell's own completion of paths. */
export type Suggestions = readonly Suggestion[] | 'files';

/** What is called so takes a path. */
const PATHS = /file|folder|path|sops|notes?$|old|new/iu;

/** `line` up to the cursor, the program's name first. Words in quotes are one word each. */
export function suggestNext(program: Command, line: string): Suggestions {
  const words = splitWords(line);
  const current = words.at(-1) ?? '';
  const place = walk(program, words.slice(1, -1));
  if (place.option !== undefined) return valuesOf(place.option, current);
  if (current.startsWith('-')) return optionsFor(place.command, current);
  const { commands } = place.command;
  if (commands.length > 0 && place.position === 0) {
    return place.command
      .createHelp()
      .visibleCommands(place.command)
      .map((command) => ({ name: command.name(), description: command.description() }))
      .filter(({ name }) => name.startsWith(current));
  }
  const { registeredArguments: all } = place.command;
  const argument = all[place.position] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined);
  return argument === undefined ? [] : valuesOf(argument, current);
}

interface Place {
  readonly command: Command;
  /** Arguments that stand before. */
  readonly position: number;
  /** The option whose value comes next. */
  readonly option: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Place {
  let command = program;
  let position = 0;
  let option: Option | undefined;
  for (const word of words) {
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const found = command.options.find(({ long, short }) => word === long || word === short);
      option = found !== undefined && takesValue(found) ? found : undefined;
      continue;
    }
    const next = position === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    if (next === undefined) position++;
    else command = next;
  }
  return { command, position, option };
}

function takesValue({ required, optional }: Option): boolean {
  return required || optional;
}

function optionsFor(command: Command, current: string): Suggestions {
  const [name = '', value] = current.split('=');
  if (value !== undefined) {
    const option = command.options.find(({ long }) => long === name);
    const values = option === undefined ? [] : valuesOf(option, value);
    return values === 'files' ? values : values.map((one) => ({ ...one, name: `${name}=${one.name}` }));
  }
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) =>
      typeof long === 'string' && long.startsWith(current) ? [{ name: long, description }] : [],
    );
}

function valuesOf(taker: Argument | Option, current: string): Suggestions {
  const { argChoices } = taker;
  if (argChoices !== undefined)
    return argChoices.filter((name) => name.startsWith(current)).map((name) => ({ name, description: '' }));
  const named = 'flags' in taker ? (/[<[](.+?)(?:\.\.\.)?[\]>]/u.exec(taker.flags)?.[1] ?? '') : taker.name();
  return PATHS.test(named) ? 'files' : [];
}

/** The last word is the one being typed, empty after a blank. */
function splitWords(line: string): string[] {
  const words = [...line.matchAll(/"([^"]*)(?:"|$)|'([^']*)(?:'|$)|\S+/gu)].map(
    ([whole, double, single]) => double ?? single ?? whole,
  );
  return /\s$/u.test(line) || line === '' ? [...words, ''] : words;
}
