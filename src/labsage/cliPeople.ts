/** The commands that look after labsage itself: mcp, doctor, config, completion. */

import type { Command } from 'commander';
import { addCompletion } from '../core/cliCompletion.js';
import { addConfig } from '../core/cliConfig.js';
import { exampleLines, type Run } from '../core/program.js';
import { withStoreOptions } from '../core/storeAccess.js';
import { common } from './cliOptions.js';

export function addPeopleCommands(program: Command, run: Run): void {
  withStoreOptions(program.command('mcp'))
    .option('--index <folder>', 'folder of the index (default: $LABSAGE_INDEX or .labsage)')
    .option('--verbose', 'say on stderr what is read and done')
    .allowExcessArguments(false)
    .description(
      'Serve search, ask, list and show to a Model Context Protocol client on stdin and stdout, for this one index.',
    )
    .addHelpText('after', exampleLines('labsage mcp --index /srv/sops/.labsage'))
    .action(run(async () => (await import('./commands/mcp.js')).mcpCommand));
  common(program.command('doctor'))
    .description(
      'Look for what is wrong: versions, settings, models and their reference vectors, the index, a configured endpoint, permissions. Each fault comes with what mends it; exit 5 if there is one.',
    )
    .option('--fast', 'models: only whether their files are complete, no checksums and reference vectors')
    .addHelpText('after', exampleLines('labsage doctor', 'labsage doctor --json | jq .ok'))
    .action(run(async () => (await import('./commands/doctor.js')).doctorCommand));
  addConfig(program, { run, program: 'labsage' });
  addCompletion(program, run);
}
