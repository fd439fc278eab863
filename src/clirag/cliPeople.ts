/** The commands that look after clirag itself: mcp, doctor, config. */

import type { Command } from 'commander';
import { exampleLines, type Run } from '../core/program.js';
import { addConfig } from '../core/cliConfig.js';

export function addPeopleCommands(program: Command, run: Run): void {
  stored(program.command('mcp'))
    .option('--patient <id>', 'serve this patient alone')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .allowExcessArguments(false)
    .description(
      'Serve list, show, retrieve, note and check to a Model Context Protocol client on stdin and stdout, for this one store. What a client does with the chart is up to it: a client that sends its conversation to a remote model sends the chart too.',
    )
    .addHelpText('after', exampleLines('clirag mcp --index /data/mimic/.clirag --patient 40001'))
    .action(run(async () => (await import('./commands/mcp.js')).mcpCommand));
  addConfig(program, { run, program: 'clirag' });
}

function stored(command: Command): Command {
  return command.option('--index <folder>', 'folder of the store (default: $CLIRAG_INDEX or .clirag)');
}
