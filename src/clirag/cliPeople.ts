/** The commands that look after clirag itself: mcp, doctor, config, completion. */

import type { Command } from 'commander';
import { exampleLines, withOutputOptions, type Run } from '../core/program.js';
import { withStoreOptions } from '../core/storeAccess.js';
import { addCompletion } from '../core/cliCompletion.js';
import { addConfig } from '../core/cliConfig.js';

export function addPeopleCommands(program: Command, run: Run): void {
  withStoreOptions(stored(program.command('mcp')))
    .option('--patient <id>', 'serve this patient alone')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option('--verbose', 'say on stderr what is read and done')
    .allowExcessArguments(false)
    .description(
      'Serve list, show, retrieve, note and check to a Model Context Protocol client on stdin and stdout, for this one store. What a client does with the chart is up to it: a client that sends its conversation to a remote model sends the chart too.',
    )
    .addHelpText('after', exampleLines('clirag mcp --index /data/mimic/.clirag --patient 40001'))
    .action(run(async () => (await import('./commands/mcp.js')).mcpCommand));
  stored(withOutputOptions(program.command('doctor')))
    .description(
      'Look for what is wrong: versions, settings, models and their reference vectors, the store, a configured endpoint, permissions. Each fault comes with what mends it; exit 5 if there is one.',
    )
    .option('--fast', 'models: only whether their files are complete, no checksums and reference vectors')
    .addHelpText('after', exampleLines('clirag doctor', 'clirag doctor --json | jq .ok'))
    .action(run(async () => (await import('./commands/doctor.js')).doctorCommand));
  addConfig(program, { run, program: 'clirag' });
  addCompletion(program, run);
}

function stored(command: Command): Command {
  return command.option('--index <folder>', 'folder of the store (default: $CLIRAG_INDEX or .clirag)');
}
