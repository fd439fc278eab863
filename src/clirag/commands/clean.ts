/** `clirag clean`: the raw text of notes → clean text, or what each step of the cascade changed. */

import { ExitCode, ToolError } from '../../core/errors.js';
import type { Output } from '../../core/output.js';
import { CLEAN_STEPS, cleanText, type ExplainedStep } from '../clean.js';
import type { CommandContext } from '../../core/program.js';
import { readTexts, type InputFlags } from './readTexts.js';

interface CleanFlags extends InputFlags {
  readonly skip?: readonly string[];
  readonly explain?: boolean;
  readonly json?: boolean;
}

export async function cleanCommand(
  args: readonly string[],
  flags: CleanFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const skip = checkSteps(flags.skip ?? []);
  let count = 0;
  for await (const { text, fields, note } of readTexts(args, flags, io)) {
    io.signal.throwIfAborted();
    const steps: ExplainedStep[] = [];
    const cleaned = cleanText(text, {
      skip,
      ...(flags.explain === true ? { onStep: (step) => steps.push(step) } : {}),
    });
    if (flags.json === true) {
      const known = note === undefined ? {} : { noteId: note.id, patientId: note.patientId, type: note.type };
      output.printJson({
        ...fields,
        ...known,
        text: cleaned.text,
        ...(flags.explain === true ? { steps } : { changes: cleaned.map }),
      });
    } else {
      if (count > 0) output.print();
      if (flags.explain === true) printSteps(steps, output);
      else output.print(cleaned.text);
    }
    count++;
  }
  return ExitCode.done;
}

export function checkSteps(skip: readonly string[]): readonly string[] {
  const names = CLEAN_STEPS.map(({ name }) => name);
  const unknown = skip.find((name) => !names.includes(name));
  if (unknown === undefined) return skip;
  throw new ToolError(ExitCode.usage, `there is no cleaning step ${unknown}`, {
    hint: `the steps are ${names.join(', ')}`,
  });
}

/** Longest piece of text that a line of the explanation shows. */
const SHOWN_CHARACTERS = 60;

function printSteps(steps: readonly ExplainedStep[], output: Output): void {
  const { color } = output;
  for (const { name, does, changes } of steps) {
    output.print(color.bold(`${name}: ${does} (${changes.length})`));
    for (const { raw, before, after } of changes) {
      output.print(`  ${raw.start}-${raw.end}  ${color.red(shown(before))} -> ${color.green(shown(after))}`);
    }
  }
  if (steps.length === 0) output.print('nothing to clean');
}

function shown(text: string): string {
  const json = JSON.stringify(text);
  return json.length <= SHOWN_CHARACTERS
    ? json
    : `${json.slice(0, SHOWN_CHARACTERS / 2)} … ${json.slice(-SHOWN_CHARACTERS / 2)}`;
}
