/** A program → the same with the commands that measure and that manage models: eval, models. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { MODEL_FORMS } from '../core/generator/forms.js';
import { DTYPE_OF_FILE } from '../core/models/modelFiles.js';
import {
  collectNames,
  exampleLines,
  nameList,
  positiveInteger,
  withThreads,
  type Run,
} from '../core/program.js';
import { common } from './cliOptions.js';
import { metricHelp } from './evaluation/metricNames.js';
import { SYSTEM_NAMES, type SystemName } from './evaluation/systemNames.js';

export function addEvaluationCommands(program: Command, run: Run): void {
  addEval(program, run);
  addModels(program, run);
}

function addModels(program: Command, run: Run): void {
  const models = program
    .command('models')
    .description('Models that embed or write: those of the package and your own.');
  common(models.command('list'), { index: false })
    .description('Name every model that --embedder or --generator takes.')
    .addHelpText('after', exampleLines('labsage models list', 'labsage models list --json'))
    .action(run(async () => (await import('./commands/models.js')).listCommand));
  const named = (command: Command): Command =>
    common(command, { index: false })
      .option('--name <id>', 'what --embedder or --generator calls it (default: from its own name)')
      .option('--alias <name>', 'a short name')
      .addOption(new Option('--pooling <kind>', 'how token vectors become one').choices(['mean', 'cls']))
      .option('--max-tokens <n>', "longest input (default: what the model's files say)", positiveInteger)
      .option('--query-prefix <text>', 'put in front of questions')
      .option('--passage-prefix <text>', 'put in front of passages')
      .option('--origin <text>', 'where it is from, for the record')
      .option('--licence <name>', 'its licence, for the record')
      .option('--replace', 'take the place of a model of that name');
  named(models.command('pull'))
    .argument('<model>', 'OWNER/MODEL on the hub, with ONNX weights')
    .description(
      'Fetch a model from the hub or a mirror into your own model folder, checksums compared. The one command that opens a connection to it; an interrupted one goes on where it stopped.',
    )
    .option('--mirror <url>', 'a mirror of the hub (default: $HF_ENDPOINT, or the hub)')
    .option('--revision <name>', 'branch, tag or commit (default: main)')
    .addOption(
      new Option('--dtype <kind>', 'kind of weights (default: q8 to embed, q4 to write)').choices(
        Object.values(DTYPE_OF_FILE),
      ),
    )
    .addHelpText(
      'after',
      exampleLines(
        'labsage models pull onnx-community/SmolLM2-360M-Instruct-ONNX --name smol',
        'HTTPS_PROXY=http://proxy.example.org:3128 labsage models pull Xenova/bge-small-en-v1.5 --pooling cls',
        'labsage models pull OWNER/MODEL --mirror https://mirror.example.org',
      ),
    )
    .action(run(async () => (await import('./commands/models.js')).pullCommand));
  named(models.command('import'))
    .argument(
      '<folder>',
      'config.json, tokenizer files and ONNX weights, or two folders (query, article) with them',
    )
    .description(
      'Copy a model into your own model folder. A model.json beside it is read, or made; an embedder has reference vectors read or made, a language model is made to write.',
    )
    .addHelpText(
      'after',
      exampleLines(
        'labsage models import medcpt --name medcpt --licence "public domain"',
        'labsage models import /media/usb/bge-small --pooling cls --query-prefix "query: "',
        'labsage models import /media/usb/SmolLM2-135M-Instruct --name smollm2',
      ),
    )
    .action(run(async () => (await import('./commands/models.js')).importCommand));
  common(models.command('export'), { index: false })
    .argument('<name>', 'a model that models list names')
    .argument('<folder>', 'a new folder')
    .description(
      'Copy a model with its checksums into a folder, to be carried to a machine without a network and imported there.',
    )
    .addHelpText('after', exampleLines('labsage models export mpnet /media/usb/mpnet'))
    .action(run(async () => (await import('./commands/models.js')).exportCommand));
  common(models.command('verify'), { index: false })
    .argument('[names...]', 'models; without any, all')
    .description(
      'Hash every file again; compare with the reference vectors, or have it write. Exit 5 if anything differs.',
    )
    .addHelpText('after', exampleLines('labsage models verify', 'labsage models verify mpnet'))
    .action(run(async () => (await import('./commands/models.js')).verifyModelsCommand));
}

function addEval(program: Command, run: Run): void {
  withThreads(common(program.command('eval')))
    .argument('<questions...>', 'question files (JSON lines), or folders with them')
    .description(
      'Measure how well the SOPs are found and answered from: LabSage beside standard RAG and the paper, at equal numbers of contexts and at equal words.',
    )
    .addOption(
      new Option('--systems <names>', `what is compared, of ${SYSTEM_NAMES.join(', ')}`)
        .argParser(systemNames)
        .default(
          ['standard', 'standard+title', 'paper', 'labsage'],
          'all but none, which needs a language model',
        ),
    )
    .addOption(
      new Option('-k <numbers>', 'contexts read')
        .argParser(ascendingNumbers)
        .default([1, 3, 5, 10], '1,3,5,10'),
    )
    .addOption(
      new Option('--words <numbers>', 'words of context')
        .argParser(ascendingNumbers)
        .default([300, 600, 1000, 2000], '300,600,1000,2000'),
    )
    .option('--embedder <names>', "embedding models to compare (default: the index's own)", nameList)
    .addOption(
      new Option('--generator <names>', `extractive, or a language model: ${MODEL_FORMS}`)
        .argParser(nameList)
        .default(['extractive'], 'extractive'),
    )
    .option('--judge <name>', `language model that rates with the RAGAS metrics: ${MODEL_FORMS}`)
    .option('--allow-remote', 'send the text of SOPs to a generator or judge on another machine')
    .option('--timeout <seconds>', 'longest wait for one reply of a model', positiveInteger)
    .option(
      '--sample <n>',
      'only so many questions, at random, and the same share of the unanswerable',
      positiveInteger,
    )
    .addOption(new Option('--seed <n>', 'of sampling and intervals').argParser(positiveInteger).default(1))
    .addOption(new Option('--split <name>', 'only questions of this part').choices(['dev', 'test']))
    .option('--ids <file>', 'only the questions whose ids this file names, one a line')
    .option(
      '--min <gates>',
      'exit 5 if a metric is below: METRIC=VALUE, also METRIC@K=…, METRIC@600w=…, SYSTEM:METRIC=…; repeatable',
      collectNames,
    )
    .option('--max <gates>', 'the same for metrics that are better the lower they are', collectNames)
    .option(
      '--tolerance <share>',
      'what a processor that rounds differently may cost (default: 0.005)',
      share,
    )
    .option('--html <file>', 'write a page with tables, plots and every failed question')
    .option('--junit <file>', 'write the gates as a JUnit file')
    .option(
      '--check-questions',
      'check the question files instead: quotes word for word, no repeats, echo; exit 5 on faults',
    )
    .option('--sops <folder>', 'with --check-questions: the SOPs themselves instead of the index')
    .addHelpText('after', () => `\nMetrics:\n${metricHelp()}\n`)
    .addHelpText(
      'after',
      exampleLines(
        'labsage eval queries/sops --split test --html report.html',
        'labsage eval queries/sops/questions.jsonl --systems labsage --min context-recall=0.95,answer-recall=0.75 --junit gates.xml',
        'labsage eval queries/sops --max false-answers=0.1,false-refusals=0.02',
        'labsage eval questions.jsonl --sample 100 --generator openai:http://127.0.0.1:8080/v1#qwen --judge openai:http://127.0.0.1:8081/v1#judge',
        'labsage eval queries/sops --check-questions --sops corpora/sops',
      ),
    )
    .action(run(async () => (await import('./commands/eval.js')).evalCommand));
}

function systemNames(text: string): SystemName[] {
  const names = nameList(text);
  const isSystem = (name: string): name is SystemName => (SYSTEM_NAMES as readonly string[]).includes(name);
  if (!names.every(isSystem)) throw new InvalidArgumentError(`The systems are ${SYSTEM_NAMES.join(', ')}.`);
  return names.filter(isSystem);
}

function ascendingNumbers(text: string): number[] {
  return [...new Set(nameList(text).map(positiveInteger))].sort((a, b) => a - b);
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value < 1))
    throw new InvalidArgumentError('It must be from 0 to below 1.');
  return value;
}
