/** The commands that look after labsage itself: mcp, doctor, config. */

import type { Command } from 'commander';
import { addConfig } from '../core/cliConfig.js';
import { exampleLines, type Run } from '../core/program.js';

export function addPeopleCommands(program: Command, run: Run): void {
  program
    .command('mcp')
    .option('--index <folder>', 'folder of the index (default: $LABSAGE_INDEX or .labsage)')
    .allowExcessArguments(false)
    .description(
      'Serve search, ask, list and show to a Model Context Protocol client on stdin and stdout, for this one index.',
    )
    .addHelpText('after', exampleLines('labsage mcp --index /srv/sops/.labsage'))
    .action(run(async () => (await import('./commands/mcp.js')).mcpCommand));
  addConfig(program, { run, program: 'labsage' });
}
