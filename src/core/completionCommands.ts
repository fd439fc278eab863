/** `completion SHELL` → the script that a shell sources, and what that script asks the program for at every Tab. */

import type { Command } from 'commander';
import { suggestNext } from './completions.js';
import { ExitCode } from './errors.js';
import type { Handler } from './program.js';

/** As tabtab calls them. */
const TABTAB_NAMES = { bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'pwsh' } as const;
type Shell = keyof typeof TABTAB_NAMES;

export function scriptCommand(program: Command): Handler<object> {
  return async ([shell], _options, { output }) => {
    const { default: tabtab } = await import('@pnpm/tabtab');
    const name = program.name();
    const script = await tabtab.getCompletionScript({
      name,
      completer: name,
      shell: TABTAB_NAMES[shell as Shell],
    });
    output.print(script.trimEnd());
    return ExitCode.done;
  };
}

/** The line is in the environment that the script sets. */
export function serverCommand(program: Command): Handler<object> {
  return async (_words, _options, { io, output }) => {
    const { default: tabtab } = await import('@pnpm/tabtab');
    const env = { ...io.env };
    const { partial } = tabtab.parseEnv(env);
    const shell = tabtab.getShellFromEnv(env);
    const found = suggestNext(program, partial);
    if (found !== 'files') tabtab.log([...found], shell, output.print);
    // Bash falls back to files by itself where nothing is said.
    else if (shell !== 'bash') output.print(FILES);
    return ExitCode.done;
  };
}

/** What tabtab's scripts take for "the shell's own completion". */
const FILES = '__tabtab_complete_files__';
