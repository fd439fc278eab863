/** A program → the same with the commands that judge notes and that hand data on: check, eval, export. */

import type { Command } from 'commander';
import { exampleLines, positiveInteger, withOutputOptions, type Run } from '../core/program.js';

export function addChecks(program: Command, run: Run): void {
  addCheck(program, run);
  addExport(program, run);
}

function addExport(program: Command, run: Run): void {
  withOutputOptions(program.command('export'))
    .requiredOption('--out <folder>', 'where chunks.jsonl and vectors.npy go')
    .option('--index <folder>', 'folder of the store (default: $CLIRAG_INDEX or .clirag)')
    .option('--patient <id>', 'this patient alone')
    .option('--patients <file>', 'the patients of this list, ids one a line (default: all)')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option('--threads <n>', 'sessions of the model side by side', positiveInteger)
    .description(
      'Write chunks as JSON lines and their vectors as one .npy array of float32, row by line. Notes that were not embedded yet are embedded now.',
    )
    .addHelpText(
      'after',
      exampleLines(
        'clirag export --out export',
        'clirag export --patient 40001 --out export --embedder minilm',
        `python3 -c "import numpy; print(numpy.load('export/vectors.npy', mmap_mode='r').shape)"`,
      ),
    )
    .action(run(async () => (await import('./commands/export.js')).exportCommand));
}

function addCheck(program: Command, run: Run): void {
  withOutputOptions(program.command('check'))
    .argument('[note]', 'a note as Markdown or plain text, or a folder of them; - or nothing is stdin')
    .description(
      'Compare any note, from any tool or person, with the chart, statement by statement: supported, contradicted, stale or not found, with what the chart says and when.',
    )
    .option('--index <folder>', 'folder of the store (default: $CLIRAG_INDEX or .clirag)')
    .option('--patient <id>', 'whose note it is (default: what its header says)')
    .option('--visit <visit>', 'a date, #N, or an admission id (default: what its header says)')
    .option('--as-of <time>', "what was charted and stored by then (default: the header, or the visit's end)")
    .option('--map <file>', 'CSV or JSON lines with file, patient and visit, for notes without a header')
    .option('--with-progress-notes', "also the visit's own progress notes as proof")
    .option('--faults', 'show only what is not supported')
    .option('--html <file>', 'also write a page')
    .option('--strict', 'exit 5 if a statement is not supported')
    .addHelpText(
      'after',
      exampleLines(
        'clirag note --patient 40001 --visit 2154-03-03 --out note.md && clirag check note.md --strict',
        'echo "Creatinine 3.1, off norepinephrine." | clirag check --patient 40001 --visit 2154-03-03',
        'clirag check notes/ --map notes.csv --faults --html check.html',
        'clirag check notes/ --json | jq -r \'.statements[] | select(.verdict != "supported") | .text\'',
      ),
    )
    .action(run(async () => (await import('./commands/check.js')).checkCommand));
}
