/** argv → the clirag command line: every command with its options and examples; the work is imported when it runs. */

import { Command, InvalidArgumentError } from 'commander';
import type { ExitCode } from '../core/errors.js';
import { createOutput, type Io, type Output } from '../core/output.js';
import { packageVersion } from '../core/version.js';

/** What every handler gets besides its own arguments. */
export interface CommandContext {
  readonly io: Io;
  readonly output: Output;
}

type Handler<Options> = (
  args: readonly string[],
  options: Options,
  context: CommandContext,
) => Promise<ExitCode>;

export function createProgram(io: Io, finish: (code: ExitCode) => void): Command {
  const program = new Command('clirag')
    .description(
      "Writes SOAP progress notes from a patient's chart and proves every sentence from the chart.",
    )
    .version(packageVersion())
    .showHelpAfterError('(clirag --help lists the commands)')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void io.stdout.write(text),
      writeErr: (text) => void io.stderr.write(text),
    })
    .addHelpText(
      'after',
      examples('clirag index corpora/charts/NOTEEVENTS.csv', 'clirag visits --patient 40001'),
    );

  const run =
    <Options extends object>(load: () => Promise<Handler<Options>>) =>
    async (...parsed: unknown[]): Promise<void> => {
      const command = parsed.at(-1) as Command;
      const options = command.opts<Options & { quiet?: boolean }>();
      const output = createOutput(io, { quiet: options.quiet === true });
      finish(await (await load())(command.args, options, { io, output }));
    };

  stored(common(program.command('index')))
    .argument(
      '[files...]',
      'NOTEEVENTS.csv, MIMIC-IV-Note discharge or radiology, or JSON lines; each may be gzipped; - is stdin',
    )
    .description(
      'Read notes into the store, one folder a patient. What was interrupted goes on where it stopped.',
    )
    .option('--embed', 'also embed every note now, instead of at the first question about its visit')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option('--threads <n>', 'sessions of the model side by side', positiveInteger)
    .option('--strict', 'exit 5 if a row had to be rejected')
    .addHelpText(
      'after',
      examples(
        'clirag index corpora/charts/NOTEEVENTS.csv',
        'clirag index discharge.csv.gz radiology.csv.gz --index /data/mimic4',
        'zcat NOTEEVENTS.csv.gz | clirag index -',
        'clirag index --embed --threads 8',
      ),
    )
    .action(run(async () => (await import('./commands/index.js')).indexCommand));

  stored(common(program.command('patients')))
    .description('Who is in the store: notes, visits, dates and note types of every patient.')
    .addHelpText(
      'after',
      examples('clirag patients', "clirag patients --json | jq -r 'select(.dates >= 10) | .id'"),
    )
    .action(run(async () => (await import('./commands/patients.js')).patientsCommand));

  stored(common(program.command('visits')))
    .requiredOption('--patient <id>', 'whose visits')
    .option('--admissions', 'one line an admission instead of one a date')
    .description(
      'The visits of a patient, with the notes that each has, and those that count as evidence for it.',
    )
    .addHelpText(
      'after',
      examples('clirag visits --patient 40001', 'clirag visits --patient 40001 --admissions --json'),
    )
    .action(run(async () => (await import('./commands/visits.js')).visitsCommand));

  fromStore(common(program.command('clean')))
    .description(
      "Clean a note's text: tokens, symbols, markup, page headers, values, bullets, lines, headers.",
    )
    .option('--skip <step...>', 'leave these steps out')
    .option('--explain', 'show what each step changed instead of the text')
    .addHelpText(
      'after',
      examples(
        'clirag clean note.txt',
        'clirag clean < note.txt | less',
        'clirag clean --patient 40001 --note 2002 --explain',
        'clirag clean notes.jsonl --json > clean.jsonl',
      ),
    )
    .action(run(async () => (await import('./commands/clean.js')).cleanCommand));

  fromStore(common(program.command('chunk')))
    .option('--visit <visit>', 'all notes of a visit: a date, #N or an admission id')
    .option('--skip <step...>', 'leave these cleaning steps out')
    .option('--characters <n>', 'longest chunk', positiveInteger)
    .option('--overlap <n>', 'what a chunk repeats of the one before it', wholeNumber)
    .option('--flat', 'cut the note as if it had no headers')
    .description('Cut notes into sections and chunks.')
    .addHelpText(
      'after',
      examples(
        'clirag chunk note.txt',
        'clirag chunk --patient 40001 --visit 2154-03-02',
        'clirag chunk --patient 40001 --visit "#1" --json | clirag embed > vectors.jsonl',
      ),
    )
    .action(run(async () => (await import('./commands/chunk.js')).chunkCommand));

  common(program.command('embed'))
    .argument('[text...]', 'a text; without one, lines or JSON lines with a field "text" from stdin')
    .description(
      "Embed texts: JSON lines with the vector out. Chunks are embedded under their section's header.",
    )
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option('--query', 'the texts are questions')
    .option('--threads <n>', 'sessions of the model side by side', positiveInteger)
    .addHelpText(
      'after',
      examples(
        'clirag embed "new oxygen requirement"',
        'clirag chunk note.txt --json | clirag embed --embedder minilm',
      ),
    )
    .action(run(async () => (await import('./commands/embed.js')).embedCommand));

  return program;
}

function common(command: Command): Command {
  return command
    .option('--json', 'machine-readable output')
    .option('--quiet', 'no progress on stderr')
    .allowExcessArguments(false);
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

function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

function positiveInteger(text: string): number {
  const value = wholeNumber(text);
  if (value < 1) throw new InvalidArgumentError('It must be a whole number above 0.');
  return value;
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 0) throw new InvalidArgumentError('It must be a whole number.');
  return value;
}
