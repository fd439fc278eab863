/** A program → the same with the commands of a controlled-document library: list, audit, review, impact, revalidate. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { exampleLines, positiveInteger, withThreads, type Run } from '../core/program.js';
import { withStoreOptions } from '../core/storeAccess.js';
import { common, interval, retrieval } from './cliOptions.js';
import { LISTED_STATUSES } from './lists/listedStatuses.js';
import { VERDICTS } from './records/verdicts.js';

export function addControlCommands(program: Command, run: Run): void {
  addList(program, run);
  addAudit(program, run);
  addReview(program, run);
  addImpact(program, run);
  addRevalidate(program, run);
}

function addList(program: Command, run: Run): void {
  common(program.command('list'))
    .argument('[terms...]', 'words, "phrases", AND, OR, NOT and parentheses; without any, all documents')
    .description(
      'List every document that mentions the terms, with lines and counts. Reads the whole index. Words side by side must stand close together; a "phrase" must stand as it is; AND joins within a document.',
    )
    .option('--exact', 'words as written, not stemmed (case makes no difference)')
    .addOption(new Option('--status <status...>', 'only documents of this standing').choices(LISTED_STATUSES))
    .option('--owner <name>', 'only documents of this owner')
    .option('--effective-after <date>', 'effective on this day or later')
    .option('--effective-before <date>', 'effective before this day')
    .option('--review-after <date>', 'review due on this day or later')
    .option('--review-before <date>', 'review due before this day')
    .addOption(
      new Option('--missing <field>', 'only documents that do not state this').choices([
        'number',
        'version',
        'effective',
        'review',
        'owner',
        'approvedBy',
      ]),
    )
    .option('--folder <path...>', 'only documents in these folders')
    .option('--document <name...>', 'only these documents (number, id or path)')
    .option('--all-versions', 'superseded, withdrawn, draft and not yet effective versions too')
    .option('--lines <n>', 'lines shown of each document, or all (default: 3); 0 gives a table', lineCount)
    .option('--csv', 'one row a line, for a spreadsheet')
    .option('--fail-empty', 'exit 5 if no document is found')
    .addHelpText(
      'after',
      exampleLines(
        'labsage list calcium chloride',
        `labsage list '"lupus anticoagulant" AND (aPTT OR INR) NOT Eastgate' --lines all`,
        'labsage list CS-5100 --csv > cs-5100.csv',
        'labsage list --owner Lindqvist --review-before 2027-12-31',
        'labsage list --status superseded withdrawn --json',
      ),
    )
    .action(run(async () => (await import('./commands/list.js')).listCommand));
}

function addAudit(program: Command, run: Run): void {
  const audit = program
    .command('audit')
    .description(
      'Read and prove the log in which every answer is recorded, each record chained to the one before.',
    )
    .addHelpText(
      'after',
      exampleLines(
        'labsage audit list --last 20',
        'labsage audit show 3f2a91c0',
        'labsage audit head',
        'labsage audit verify --head HASH',
        'labsage audit replay 3f2a91c0',
        'labsage audit export --csv > answers.csv',
      ),
    );
  const withLog = (command: Command): Command =>
    common(command).addOption(
      new Option('--log <name>', 'which log (default: audit)').choices(['audit', 'revalidations']),
    );
  withLog(audit.command('list'))
    .description('List the records, oldest first.')
    .option('--last <n>', 'only the last so many', positiveInteger)
    .option('--since <date>', 'only from this day on')
    .action(run(async () => (await import('./commands/audit.js')).auditListCommand));
  withLog(audit.command('show'))
    .argument('<id>', "a record's id, or its beginning")
    .description('Show all that a record says.')
    .action(run(async () => (await import('./commands/audit.js')).auditShowCommand));
  withLog(audit.command('verify'))
    .description(
      'Prove that no record was changed, moved, put in or taken out. A head that was recorded elsewhere also shows that none is missing at the end. Exit 5 if anything fails.',
    )
    .option('--head <hash>', 'a head that was recorded elsewhere')
    .action(run(async () => (await import('./commands/audit.js')).auditVerifyCommand));
  withLog(audit.command('head'))
    .description('Print the hash of the last record, to be kept elsewhere.')
    .action(run(async () => (await import('./commands/audit.js')).auditHeadCommand));
  withLog(audit.command('export'))
    .description('Write all records for a spreadsheet (--csv, the default) or as JSON lines (--json).')
    .option('--csv', 'comma-separated values')
    .action(run(async () => (await import('./commands/audit.js')).auditExportCommand));
  common(audit.command('replay'))
    .argument('<id>', "an answer's id, or its beginning")
    .description(
      'Ask a recorded question again as it was asked. Exit 5, naming each document, model and setting that differs, if another answer comes out.',
    )
    .action(run(async () => (await import('./commands/audit.js')).auditReplayCommand));
}

function addReview(program: Command, run: Run): void {
  const review = program
    .command('review')
    .description(
      'The answers of low confidence that wait for a person, and what reviewers found: each verdict joins the audit log.',
    )
    .addHelpText(
      'after',
      exampleLines(
        'labsage review list',
        'labsage review show 3f2a91c0',
        'labsage review record 3f2a91c0 --verdict incomplete --note "step 4 is missing"',
      ),
    );
  common(review.command('list'))
    .description('List the answers that are open, oldest first.')
    .option('--all', 'also those that were reviewed')
    .action(run(async () => (await import('./commands/review.js')).reviewListCommand));
  common(review.command('show'))
    .argument('<id>', "an answer's id, or its beginning")
    .description('Show an answer with what was found of it.')
    .action(run(async () => (await import('./commands/review.js')).reviewShowCommand));
  common(review.command('record'))
    .argument('<id>', "an answer's id, or its beginning; any answer can be reviewed")
    .addOption(new Option('--verdict <verdict>', 'what you found').choices(VERDICTS).makeOptionMandatory())
    .option('--note <text>', 'why')
    .option('--operator <name>', 'who reviewed it (default: who is logged in)')
    .description('Record a verdict. Nothing is taken back: a later verdict stands beside an earlier one.')
    .action(run(async () => (await import('./commands/review.js')).reviewRecordCommand));
}

function addImpact(program: Command, run: Run): void {
  withThreads(common(program.command('impact')))
    .argument('[old]', 'file or folder as it was; with --base the only path')
    .argument('[new]', 'file or folder as it is to be')
    .description(
      'Show what a revision changes: sections changed, added and removed, word by word, and which saved questions are now answered differently, side by side. A draft or future version is read as if it were in force.',
    )
    .option('--base <ref>', 'compare with this path as it was at a git commit, branch or tag')
    .option('--questions <file>', 'saved questions: one a line, or JSON lines with a field "question"')
    .option('--audit', "the questions of the index's audit log")
    .option('--embedder <name>', "embedding model (default: the index's, else mpnet)")
    .option('-k <n>', 'sections to read for an answer', positiveInteger)
    .option(
      '--fail-changed',
      'exit 5 if a question is answered differently (without questions: if anything differs)',
    )
    .addHelpText(
      'after',
      exampleLines(
        'labsage impact CH-014-v4.2.md CH-014-v5-draft.md --questions night-shift.txt',
        'labsage impact approved/ proposed/ --audit',
        'labsage impact --base main sops --questions questions.jsonl --fail-changed',
      ),
    )
    .action(run(async () => (await import('./commands/impact.js')).impactCommand));
}

function addRevalidate(program: Command, run: Run): void {
  withThreads(withStoreOptions(retrieval(common(program.command('revalidate')))))
    .argument('<questions>', 'a file of questions: one a line, or JSON lines with a field "question"')
    .description(
      'Ask saved questions again and record who, when, of which index, with which model and settings, and what came out. labsage status shows the last time and when the next is due.',
    )
    .option('--every <interval>', 'how often, as "6 months" or 6m (default: 12 months)', interval)
    .option('--fail-changed', 'exit 5 if a question is answered differently than last time')
    .addHelpText(
      'after',
      exampleLines(
        'labsage revalidate queries/sops/questions.jsonl',
        'labsage revalidate night-shift.txt --every "6 months" --fail-changed',
      ),
    )
    .action(run(async () => (await import('./commands/revalidate.js')).revalidateCommand));
}

function lineCount(text: string): number {
  const value = text === 'all' ? Infinity : Number(text);
  if (!(value >= 0) || (value !== Infinity && !Number.isSafeInteger(value)))
    throw new InvalidArgumentError('It must be a whole number, or all.');
  return value;
}
