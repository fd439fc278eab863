/** argv → the clirag command line: every command with its options and examples; the work is imported when it runs. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { MODEL_FORMS } from '../core/generator/forms.js';
import type { ExitCode } from '../core/errors.js';
import type { Io } from '../core/output.js';
import { addChecks } from './cliChecks.js';
import { addPeopleCommands } from './cliPeople.js';
import { withStoreOptions } from '../core/storeAccess.js';
import {
  createRun,
  exampleLines,
  newProgram,
  positiveInteger,
  shard,
  share,
  withOutputOptions,
  withThreads,
  type SettingUse,
} from '../core/program.js';

const SETTING_USES: SettingUse = {
  embedder: ['index', 'embed', 'retrieve', 'prompt', 'note', 'mcp'],
  generator: ['note'],
  threads: ['index', 'embed', 'retrieve', 'prompt', 'note', 'eval', 'export'],
  store: ['index', 'retrieve', 'prompt', 'note', 'export', 'mcp'],
};

export function createProgram(io: Io, finish: (code: ExitCode) => void): Command {
  const program = newProgram('clirag', {
    description:
      "Writes SOAP progress notes from a patient's chart and proves every sentence from the chart.",
    io,
    examples: ['clirag index corpora/charts/NOTEEVENTS.csv', 'clirag visits --patient 40001'],
  });
  const run = createRun(io, finish, { program: 'clirag', uses: SETTING_USES });

  withThreads(withStoreOptions(stored(withOutputOptions(program.command('index')))))
    .argument(
      '[files...]',
      'NOTEEVENTS.csv, MIMIC-IV-Note discharge or radiology, or JSON lines; each may be gzipped; - is stdin',
    )
    .description(
      'Read notes into the store, one folder a patient. What was interrupted goes on where it stopped.',
    )
    .option('--embed', 'also embed every note now, instead of at the first question about its visit')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option(
      '--shard <part>',
      'with --embed and a store on a server: only this part of the patients, such as 3/16',
      shard,
    )
    .option('--strict', 'exit 5 if a row had to be rejected')
    .addHelpText(
      'after',
      exampleLines(
        'clirag index corpora/charts/NOTEEVENTS.csv',
        'clirag index discharge.csv.gz radiology.csv.gz --index /data/mimic4',
        'zcat NOTEEVENTS.csv.gz | clirag index -',
        'clirag index --embed --threads 8',
        'clirag index --embed --store chroma:http://127.0.0.1:8000/notes --shard 2/16',
      ),
    )
    .action(run(async () => (await import('./commands/index.js')).indexCommand));

  stored(withOutputOptions(program.command('patients')))
    .description('Who is in the store: notes, visits, dates and note types of every patient.')
    .addHelpText(
      'after',
      exampleLines('clirag patients', "clirag patients --json | jq -r 'select(.dates >= 5) | .id'"),
    )
    .action(run(async () => (await import('./commands/patients.js')).patientsCommand));

  stored(withOutputOptions(program.command('visits')))
    .requiredOption('--patient <id>', 'whose visits')
    .option('--admissions', 'one line an admission instead of one a date')
    .description(
      'The visits of a patient, with the notes that each has, and those that count as evidence for it.',
    )
    .addHelpText(
      'after',
      exampleLines('clirag visits --patient 40001', 'clirag visits --patient 40001 --admissions --json'),
    )
    .action(run(async () => (await import('./commands/visits.js')).visitsCommand));

  fromStore(withOutputOptions(program.command('clean')))
    .description(
      "Clean a note's text: tokens, symbols, markup, page headers, values, bullets, lines, headers.",
    )
    .option('--skip <step...>', 'leave these steps out')
    .option('--explain', 'show what each step changed instead of the text')
    .addHelpText(
      'after',
      exampleLines(
        'clirag clean note.txt',
        'clirag clean < note.txt | less',
        'clirag clean --patient 40001 --note 2002 --explain',
        'clirag clean notes.jsonl --json > clean.jsonl',
      ),
    )
    .action(run(async () => (await import('./commands/clean.js')).cleanCommand));

  fromStore(withOutputOptions(program.command('chunk')))
    .option('--visit <visit>', 'all notes of a visit: a date, #N or an admission id')
    .option('--skip <step...>', 'leave these cleaning steps out')
    .option('--characters <n>', 'longest chunk', positiveInteger)
    .option('--overlap <n>', 'what a chunk repeats of the one before it', wholeNumber)
    .option('--flat', 'cut the note as if it had no headers')
    .description('Cut notes into sections and chunks.')
    .addHelpText(
      'after',
      exampleLines(
        'clirag chunk note.txt',
        'clirag chunk --patient 40001 --visit 2154-03-02',
        'clirag chunk --patient 40001 --visit "#1" --json | clirag embed > vectors.jsonl',
      ),
    )
    .action(run(async () => (await import('./commands/chunk.js')).chunkCommand));

  withThreads(withOutputOptions(program.command('embed')))
    .argument('[text...]', 'a text; without one, lines or JSON lines with a field "text" from stdin')
    .description(
      "Embed texts: JSON lines with the vector out. Chunks are embedded under their section's header.",
    )
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option('--query', 'the texts are questions')
    .addHelpText(
      'after',
      exampleLines(
        'clirag embed "new oxygen requirement"',
        'clirag chunk note.txt --json | clirag embed --embedder minilm',
      ),
    )
    .action(run(async () => (await import('./commands/embed.js')).embedCommand));

  withStoreOptions(ofVisit(withOutputOptions(program.command('retrieve'))))
    .requiredOption('--visit <visit>', VISIT_HELP)
    .description('What both stages of retrieval find for a visit: questions, chunks, parts of their scores.')
    .addHelpText(
      'after',
      exampleLines(
        'clirag retrieve --patient 40001 --visit 2154-03-03',
        'clirag retrieve --visit 150001 --no-local --json',
      ),
    )
    .action(run(async () => (await import('./commands/retrieve.js')).retrieveCommand));

  withStoreOptions(ofCohort(withPrior(ofVisit(withOutputOptions(program.command('prompt'))))))
    .option('--visit <visit>', VISIT_HELP)
    .option('--all-visits', 'with --patients: a prompt for every visit')
    .option('--out <folder>', 'with --patients: where the files go')
    .option('--strict', 'exit 5 if a part of the prompt, or a patient, was left out')
    .description('The exact prompt for a visit, for any model. Nothing is sent anywhere.')
    .addHelpText(
      'after',
      exampleLines(
        'clirag prompt --patient 40001 --visit 2154-03-03 > prompt.txt',
        'clirag prompt --patient 40001 --visit "#2" --prior none',
        'clirag prompt --patients patients.txt --all-visits --out prompts --shard 1/4',
      ),
    )
    .action(run(async () => (await import('./commands/prompt.js')).promptCommand));

  withStoreOptions(ofCohort(withPrior(ofVisit(withOutputOptions(program.command('note'))))), {
    allowRemote: false,
  })
    .option('--visit <visit>', VISIT_HELP)
    .option('--all-visits', 'a note for every visit, each with the one before as its prior')
    .addOption(new Option('--format <format>', 'default md').choices(['md', 'json', 'html']))
    .option('--out <file>', 'write there instead of stdout; with --patients, the folder of the notes')
    .option('--force', 'replace the file of --out')
    .option('--generator <name>', `extractive (default), or a language model: ${MODEL_FORMS}`)
    .option(
      '--allow-remote',
      'send the text of the chart to a generator, or vectors to a store, on another machine',
    )
    .option('--timeout <seconds>', 'longest wait for one reply of the generator', positiveInteger)
    .option(
      '--strict',
      'leave out what a generator wrote and the chart does not say; exit 5 if that, or a part of the prompt, was left out',
    )
    .description('Write the progress note of a visit: every sentence quoted, with its source.')
    .addHelpText(
      'after',
      exampleLines(
        'clirag note --patient 40001 --visit 2154-03-03',
        'clirag note --patient 40001 --visit "#2" --as-of "2154-03-03 12:00"',
        'clirag note --patient 40001 --visit 2154-03-03 --format html --out note.html',
        'clirag note --patient 40001 --all-visits --json > course.jsonl',
        'clirag note --patients patients.txt --all-visits --out notes --shard 2/16 --threads 4',
        'clirag note --patient 40001 --visit "#1" --generator openai:http://127.0.0.1:8080/v1#llama',
        'clirag note --patient 40001 --visit "#1" --generator ollama:llama3.2 --strict',
      ),
    )
    .action(run(async () => (await import('./commands/note.js')).noteCommand));

  addChecks(program, run);
  addPeopleCommands(program, run);
  return program;
}

const VISIT_HELP = 'a date, #N, or an admission id (which needs no --patient)';

function ofVisit(command: Command): Command {
  return stored(command)
    .option('--patient <id>', 'a patient of the store')
    .option(
      '--as-of <time>',
      "what was charted and stored by then (default: the end of the visit's last day)",
    )
    .option('--with-progress-notes', 'also the progress notes of other services')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option(
      '--threads <n>',
      'sessions of the model side by side, a core each (default: $SLURM_CPUS_PER_TASK, or one session on all cores)',
      positiveInteger,
    )
    .option('--weight <share>', 'share of the cosine in a score, 0 to 1', share)
    .option('--global-questions <file>', 'your own in place of queries/charts/global.json')
    .option('--local-questions <file>', 'your own in place of queries/charts/local.json')
    .option('--no-local', 'the global stage alone')
    .option('--no-bm25', 'cosine alone')
    .option('--no-rerank', 'without the symptom rerank')
    .option('--no-dedup', 'keep near-duplicates');
}

/** Many patients: what was written is kept, and an interrupted run goes on where it stopped. */
function ofCohort(command: Command): Command {
  return command
    .option(
      '--patients <file>',
      'patient ids, one a line: with --all-visits, a file for every visit in --out',
    )
    .option('--shard <part>', 'with --patients: only this part of them, such as 3/16', shard);
}

function withPrior(command: Command): Command {
  return command
    .option(
      '--context-tokens <n>',
      "window of the model, its reply included: the least relevant chunks that don't fit are left out",
      positiveInteger,
    )
    .addOption(
      new Option(
        '--prior <mode>',
        'summary of the visit before (default: its stored note, else one generated)',
      ).choices(['stored', 'generate', 'gold', 'none']),
    );
}

function stored(command: Command): Command {
  return command.option('--index <folder>', 'folder of the store (default: $CLIRAG_INDEX or .clirag)');
}

function fromStore(command: Command): Command {
  return stored(command)
    .argument('[file]', 'a text file, or JSON lines with a field "text"; default stdin')
    .option('--patient <id>', 'a patient of the store')
    .option('--note <id>', 'one of its notes');
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}
