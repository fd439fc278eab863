/** argv → the labsage command line: every command with its options and examples; the work is imported when it runs. */

import { Option, type Command } from 'commander';
import type { ExitCode } from '../core/errors.js';
import { MODEL_FORMS } from '../core/generator/forms.js';
import type { Io } from '../core/output.js';
import {
  createRun,
  exampleLines,
  newProgram,
  positiveInteger,
  shard,
  share,
  withThreads,
  type SettingUse,
} from '../core/program.js';
import { withStoreOptions } from '../core/storeAccess.js';
import { addControlCommands } from './cliControl.js';
import { addEvaluationCommands } from './cliEvaluation.js';
import { common, interval, retrieval } from './cliOptions.js';
import { addPeopleCommands } from './cliPeople.js';

/** An index is asked with the embedder that it was made with: the setting is for new ones (commands/index.ts). */
const SETTING_USES: SettingUse = {
  embedder: ['embed'],
  k: ['ask', 'search'],
  generator: ['ask'],
  threads: ['index', 'embed', 'eval', 'impact', 'revalidate'],
  store: ['index'],
};

export function createProgram(io: Io, finish: (code: ExitCode) => void): Command {
  const program = newProgram('labsage', {
    description:
      "Answers questions from a laboratory's SOPs and proves every answer from the SOP's own words.",
    io,
    examples: ['labsage index corpora/sops', 'labsage ask "How long is plasma ammonia stable on ice?"'],
  });
  const run = createRun(io, finish, { program: 'labsage', uses: SETTING_USES });

  withThreads(withStoreOptions(common(program.command('index'))))
    .argument(
      '[paths...]',
      'folders or files with SOPs (.md .txt .html .docx .pdf), or - for JSON lines from labsage chunk --json',
    )
    .description(
      'Make the index equal to these SOPs. Only what changed is embedded; SOPs that are gone leave the index.',
    )
    .option('--check', 'only compare: exit 5 and name the SOPs if the index is stale')
    .addOption(new Option('--preset <name>', 'how units are embedded').choices(['labsage', 'paper']))
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .option(
      '--shard <part>',
      'with a store on a server: embed only this part, such as 3/16; then run it once without',
      shard,
    )
    .option('--strict', 'exit 5 if a file had to be skipped')
    .addHelpText(
      'after',
      exampleLines(
        'labsage index corpora/sops',
        'labsage index sops --embedder minilm --index /tmp/sops',
        'labsage index --check',
        'labsage chunk sops/*.md --json | labsage index -',
        'labsage index sops --store chroma:http://127.0.0.1:8000/sops',
      ),
    )
    .action(run(async () => (await import('./commands/index.js')).indexCommand));

  common(program.command('status'))
    .description(
      'What the index holds: documents with version, status and review date, what is overdue first; the last revalidation and when the next is due; embedder, units, size.',
    )
    .option('--every <interval>', 'how often to revalidate (default: as recorded, else 12 months)', interval)
    .option('--fail-overdue', 'exit 5 if a review or the revalidation is overdue')
    .addHelpText(
      'after',
      exampleLines(
        'labsage status',
        'labsage status --fail-overdue',
        'labsage status --json | jq .documents',
      ),
    )
    .action(run(async () => (await import('./commands/status.js')).statusCommand));

  withStoreOptions(common(program.command('verify')))
    .description(
      'Prove the index: checksums, every word of every document in exactly one context unit, every unit under one section (ψ), every vector of length 1. Exit 5 if anything fails.',
    )
    .addHelpText('after', exampleLines('labsage verify', 'labsage verify --index /srv/sops'))
    .action(run(async () => (await import('./commands/verify.js')).verifyCommand));

  withStoreOptions(retrieval(common(program.command('ask'))), { allowRemote: false })
    .argument('[question...]', 'the question, in your own words')
    .description('Answer from the SOPs, quoted word for word with document, version, section and lines.')
    .option(
      '--questions <file>',
      'a file of questions, or - for stdin: one a line, or JSON lines with a field "question"',
    )
    .option('--full', 'also show the complete sections that were read')
    .option('--explain', 'show terms, scores and confidence')
    .option(
      '--min-confidence <share>',
      'refuse an answer of less confidence, 0 to 1 (a refusal exits 5 with --fail-unanswered)',
      share,
    )
    .option('--html <file>', 'also write a page with each sentence beside the words that prove it')
    .option('--force', 'replace the file of --html')
    .option('--fail-unanswered', 'exit 5 if a question is not answered')
    .option('--generator <name>', `extractive (default), or a language model: ${MODEL_FORMS}`)
    .option(
      '--allow-remote',
      'send the text of SOPs to a generator, or vectors to a store, on another machine',
    )
    .option('--timeout <seconds>', 'longest wait for one reply of the generator', positiveInteger)
    .option(
      '--context-tokens <n>',
      "window of the model, its reply included: the last sections that don't fit are left out whole",
      positiveInteger,
    )
    .option(
      '--strict',
      'leave out what a generator wrote and the sections do not say; exit 5 if that, or a part of the prompt, was left out',
    )
    .addHelpText(
      'after',
      exampleLines(
        'labsage ask "Factor IX is 8 %, is that critical?"',
        'labsage ask "min volume for ammonia" --json | jq -r .text',
        'labsage ask "How long is plasma ammonia stable on ice?" --html answer.html',
        'labsage ask --questions night-shift.txt --json > answers.jsonl',
        'labsage ask "How is a clotted tube handled?" --generator ollama:llama3.2 --strict',
      ),
    )
    .action(run(async () => (await import('./commands/ask.js')).askCommand));

  withStoreOptions(retrieval(common(program.command('search'))))
    .argument('<text...>', 'what to look for')
    .description('Rank the sections that fit a text.')
    .option('--explain', 'show every part of each score')
    .option('--fail-empty', 'exit 5 if nothing is found')
    .addHelpText(
      'after',
      exampleLines(
        'labsage search "hemolyzed specimen" -k 5',
        'labsage search "QC failure" --folder hematology --explain',
        'labsage search "calcium chloride" --mode keyword --json',
      ),
    )
    .action(run(async () => (await import('./commands/search.js')).searchCommand));

  common(program.command('show'))
    .argument('<id>', 'a unit id, document id, path or document number')
    .description('Show a section or a whole document as the index holds it.')
    .addHelpText(
      'after',
      exampleLines('labsage show CH-014', 'labsage show "ch-014-plasma-ammonia#5-quality-control"'),
    )
    .action(run(async () => (await import('./commands/show.js')).showCommand));

  common(program.command('chunk'), { index: false })
    .argument('<files...>', 'SOP files or folders')
    .description('Cut SOPs into context units and search units, without an index.')
    .addOption(new Option('--preset <name>', 'how units are embedded').choices(['labsage', 'paper']))
    .option('--strict', 'exit 5 if a file had to be skipped')
    .addHelpText(
      'after',
      exampleLines('labsage chunk corpora/sops/chemistry', 'labsage chunk sop.md --json | labsage index -'),
    )
    .action(run(async () => (await import('./commands/chunk.js')).chunkCommand));

  withThreads(common(program.command('embed'), { index: false }))
    .argument('[text...]', 'a text; without one, lines or JSON lines with a field "text" from stdin')
    .description('Embed texts: JSON lines with the vector out.')
    .option('--embedder <name>', 'embedding model (mpnet, minilm, or one you imported)')
    .addOption(
      new Option('--role <role>', 'what the text is').choices(['query', 'passage']).default('passage'),
    )
    .addHelpText(
      'after',
      exampleLines('labsage embed "ammonia on ice"', 'cut -f2 phrases.tsv | labsage embed > vectors.jsonl'),
    )
    .action(run(async () => (await import('./commands/embed.js')).embedCommand));

  addControlCommands(program, run);
  addEvaluationCommands(program, run);
  addPeopleCommands(program, run);
  return program;
}
