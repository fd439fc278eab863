/** A program → the same with the commands that judge notes and that hand data on: check, eval, export. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { MODEL_FORMS } from '../core/generator/forms.js';
import { metricHelp } from './evaluation/metricNames.js';
import { ABLATIONS, COPY_FORWARD, isAblation, type AblationName } from './evaluation/systems.js';
import {
  collectNames,
  exampleLines,
  nameList,
  positiveInteger,
  withOutputOptions,
  withThreads,
  type Run,
} from '../core/program.js';
import { withStoreOptions } from '../core/storeAccess.js';

export function addChecks(program: Command, run: Run): void {
  addCheck(program, run);
  addEval(program, run);
  addExport(program, run);
}

function addEval(program: Command, run: Run): void {
  withThreads(withOutputOptions(program.command('eval')))
    .description(
      "Measure notes against the clinicians' own: the paper's Table 1 beside the paper's figures, and facts, truth, ablations, consistency.",
    )
    .option('--index <folder>', 'folder of the store (default: $CLIRAG_INDEX or .clirag)')
    .option('--patients <file>', 'only these patients, ids one a line (default: all)')
    .addOption(
      new Option(
        '--generator <names>',
        `extractive, ${COPY_FORWARD} (the first clinician's note at every later visit), or a language model: ${MODEL_FORMS}`,
      )
        .argParser(nameList)
        .default(['extractive'], 'extractive'),
    )
    .option(
      '--notes <folder>',
      'also notes that were written elsewhere, from clirag prompt; repeatable',
      collectNames,
    )
    .option('--map <file>', 'CSV or JSON lines with file, patient and visit, for notes without a header')
    .addOption(
      new Option(
        '--ablate <names>',
        `the first generator without these parts: ${Object.keys(ABLATIONS).join(', ')}, or all`,
      ).argParser(ablations),
    )
    .option('--facts <file>', 'what notes must and must not say, as corpora/charts/facts.jsonl has it')
    .option('--judge <name>', `language model that votes between note and gold note: ${MODEL_FORMS}`)
    .addOption(
      new Option('--prior <mode>', 'summary of the visit before')
        .choices(['generate', 'gold', 'none'])
        .default('generate'),
    )
    .option('--unstemmed', 'ROUGE of words as they are')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option('--context-tokens <n>', 'window of the model, its reply included', positiveInteger)
    .option('--allow-remote', 'send the text of charts to a generator or judge on another machine')
    .option('--timeout <seconds>', 'longest wait for one reply of a model', positiveInteger)
    .addOption(new Option('--seed <n>', 'of the intervals').argParser(positiveInteger).default(1))
    .option(
      '--min <gates>',
      'exit 5 if a metric is below: METRIC=VALUE or SYSTEM:METRIC=VALUE; repeatable',
      collectNames,
    )
    .option('--max <gates>', 'the same for metrics that are better the lower they are', collectNames)
    .option('--html <file>', 'write a page with tables, plots and every unsupported statement')
    .addHelpText('after', () => `\nMetrics:\n${metricHelp()}\n`)
    .addHelpText(
      'after',
      exampleLines(
        'clirag eval --facts corpora/charts/facts.jsonl --html report.html',
        'clirag eval --generator extractive,copy-forward --ablate all --facts corpora/charts/facts.jsonl',
        'clirag eval --patients patients.txt --generator openai:http://127.0.0.1:8080/v1#llama --judge openai:http://127.0.0.1:8081/v1#mistral',
        'clirag eval --notes mine --map prompts/manifest.jsonl --min supported=0.9 --max stale=0.02',
      ),
    )
    .action(run(async () => (await import('./commands/eval.js')).evalCommand));
}

function ablations(text: string): AblationName[] {
  const names = text === 'all' ? Object.keys(ABLATIONS) : nameList(text);
  if (!names.every(isAblation))
    throw new InvalidArgumentError(`It must be of ${Object.keys(ABLATIONS).join(', ')}, or all.`);
  return names.filter(isAblation);
}

function addExport(program: Command, run: Run): void {
  withThreads(withStoreOptions(withOutputOptions(program.command('export'))))
    .requiredOption('--out <folder>', 'where chunks.jsonl and vectors.npy go')
    .option('--index <folder>', 'folder of the store (default: $CLIRAG_INDEX or .clirag)')
    .option('--patient <id>', 'this patient alone')
    .option('--patients <file>', 'the patients of this list, ids one a line (default: all)')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
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
