/** `completion SHELL` of both programs. */

import { Argument, type Command } from 'commander';
import { exampleLines, type Run } from './program.js';

export function addCompletion(program: Command, run: Run): void {
  const name = program.name();
  program
    .command('completion')
    .addArgument(
      new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish', 'powershell'] as const),
    )
    .allowExcessArguments(false)
    .description(`Print the script that lets your shell complete ${name}'s commands, options and choices.`)
    .addHelpText(
      'after',
      exampleLines(
        `source <(${name} completion bash)`,
        `${name} completion zsh > ~/.zfunc/_${name}`,
        `${name} completion fish > ~/.config/fish/completions/${name}.fish`,
        `${name} completion powershell | Out-String | Invoke-Expression`,
      ),
    )
    .action(run(async () => (await import('./completionCommands.js')).scriptCommand(program)));
  program
    .command('completion-server', { hidden: true })
    .argument('[words...]')
    .action(run(async () => (await import('./completionCommands.js')).serverCommand(program)));
}
