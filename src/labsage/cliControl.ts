/** A program → the same with the commands of a controlled-document library: list, audit, impact, revalidate. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { EXAMPLES, common, type Run } from './cliOptions.js';

export function addControlCommands(program: Command, run: Run): void {
  addList(program, run);
}

function addList(program: Command, run: Run): void {
  common(program.command('list'))
    .argument('[terms...]', 'words, "phrases", AND, OR, NOT and parentheses; without any, all documents')
    .description(
      'List every document that mentions the terms, with lines and counts. Reads the whole index. Words side by side must stand close together; a "phrase" must stand as it is; AND joins within a document.',
    )
    .option('--exact', 'words as written, not stemmed (case makes no difference)')
    .addOption(
      new Option('--status <status...>', 'only documents of this standing').choices([
        'current',
        'overdue',
        'not-yet-effective',
        'superseded',
        'withdrawn',
        'draft',
      ]),
    )
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
      EXAMPLES(
        'labsage list calcium chloride',
        `labsage list '"lupus anticoagulant" AND (aPTT OR INR) NOT Eastgate' --lines all`,
        'labsage list CS-5100 --csv > cs-5100.csv',
        'labsage list --owner Lindqvist --review-before 2027-12-31',
        'labsage list --status superseded withdrawn --json',
      ),
    )
    .action(run(async () => (await import('./commands/list.js')).listCommand));
}

function lineCount(text: string): number {
  const value = text === 'all' ? Infinity : Number(text);
  if (!(value >= 0) || (value !== Infinity && !Number.isSafeInteger(value)))
    throw new InvalidArgumentError('It must be a whole number, or all.');
  return value;
}
