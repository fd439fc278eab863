/** `config get|set|unset|path` of both programs. */

import type { Command } from 'commander';
import { exampleLines, withOutputOptions, type Run } from './program.js';
import { SETTINGS, SETTING_NAMES, type ProgramName } from './settings.js';

export function addConfig(parent: Command, { run, program }: { run: Run; program: ProgramName }): void {
  const config = parent
    .command('config')
    .description(
      `Settings that stand in for options: your own file, then .${program}.json of the project, then $${program.toUpperCase()}_…, then the command line; what comes later wins.`,
    )
    .addHelpText(
      'after',
      `\nSettings:\n${SETTING_NAMES.map((name) => `  ${name.padEnd(10)} ${SETTINGS[name].says}`).join('\n')}\n${exampleLines(
        `${program} config set embedder minilm`,
        `${program} config set index /srv/index --project`,
        `${program} config get`,
      )}`,
    );
  withOutputOptions(config.command('get'))
    .argument('[name]', 'one setting; all of them by default')
    .description('Show what is set and where.')
    .action(run(async () => (await import('./configCommands.js')).getCommand(program)));
  withOutputOptions(config.command('set'))
    .argument('<name>', SETTING_NAMES.join(', '))
    .argument('<value>', 'a folder counts from here')
    .option('--project', "write the project's file")
    .description('Set a value in your own file.')
    .action(run(async () => (await import('./configCommands.js')).setCommand(program)));
  withOutputOptions(config.command('unset'))
    .argument('<name>', SETTING_NAMES.join(', '))
    .option('--project', "change the project's file")
    .description('Take a setting out of your own file.')
    .action(run(async () => (await import('./configCommands.js')).unsetCommand(program)));
  withOutputOptions(config.command('path'))
    .description('Where the files of settings are, or would be.')
    .action(run(async () => (await import('./configCommands.js')).pathCommand(program)));
}
