/** The options and texts that several commands share. */

import { InvalidArgumentError, Option, type Command } from 'commander';
import { parseInterval, type Interval } from './documents/calendar.js';
import { positiveInteger, withOutputOptions } from '../core/program.js';

export function common(command: Command, options: { index?: boolean } = {}): Command {
  if (options.index !== false) {
    command.option('--index <folder>', 'folder of the index (default: $LABSAGE_INDEX or .labsage)');
  }
  return withOutputOptions(command);
}

export function retrieval(command: Command): Command {
  return command
    .option('-k <n>', 'sections to read (paper preset: search units)', positiveInteger)
    .addOption(new Option('--mode <mode>', 'how sections are found').choices(['hybrid', 'dense', 'keyword']))
    .addOption(
      new Option('--preset <name>', 'paper: exactly as published, cosine alone').choices([
        'labsage',
        'paper',
      ]),
    )
    .option('--document <name...>', 'only these documents (number, id or path)')
    .option('--folder <path...>', 'only documents in these folders')
    .option('--section <words...>', 'only sections whose heading path contains these words')
    .option('--embedder <name>', 'must be what the index was made with');
}

export function interval(text: string): Interval {
  const value = parseInterval(text);
  if (value === undefined) throw new InvalidArgumentError('It must be like "6 months", 90d or 1y.');
  return value;
}
