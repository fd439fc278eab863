import { expect, test } from '@jest/globals';
import { suggestNext } from '../../src/core/completions.js';
import { createProgram as createClirag } from '../../src/clirag/cli.js';
import { createProgram as createLabsage } from '../../src/labsage/cli.js';
import { memoryIo } from '../memoryIo.js';

const PROGRAMS = {
  labsage: createLabsage(memoryIo(), () => undefined),
  clirag: createClirag(memoryIo(), () => undefined),
};

function names(line: string): readonly string[] | 'files' {
  const program = line.startsWith('clirag') ? PROGRAMS.clirag : PROGRAMS.labsage;
  const found = suggestNext(program, line);
  return found === 'files' ? found : found.map(({ name }) => name);
}

test('commands, each with what it is for; hidden ones are not offered', () => {
  const all = names('labsage ');
  expect(all).toEqual(expect.arrayContaining(['index', 'ask', 'review', 'completion']));
  expect(all).not.toContain('completion-server');
  const found = suggestNext(PROGRAMS.labsage, 'labsage sta');
  expect(found).toEqual([{ name: 'status', description: expect.stringMatching(/^What the index holds/u) }]);
});

test.each<[string, readonly string[] | 'files']>([
  ['labsage rev', ['review', 'revalidate']],
  ['labsage review ', ['list', 'show', 'record', 'help']],
  ['labsage review record 3f2a --verdict ', ['correct', 'wrong', 'incomplete']],
  ['labsage review record 3f2a --verdict=in', ['--verdict=incomplete']],
  ['labsage ask --mode d', ['dense']],
  ['labsage ask "a question" --min', ['--min-confidence']],
  ['labsage ask --min-confidence ', []],
  ['labsage ask --html ', 'files'],
  ['labsage index ', 'files'],
  ['labsage index sops --index ', 'files'],
  ['labsage index sops --index x --thr', ['--threads']],
  ['labsage completion po', ['powershell']],
  ['clirag note --patient 40001 --format ', ['md', 'json', 'html']],
  ['clirag note --prior ge', ['generate']],
  ['clirag check ', 'files'],
  ['clirag config s', ['set']],
  ['clirag nothing --fo', []],
])('%s', (line, expected) => {
  expect(names(line)).toEqual(expected);
});

test('every command of both programs offers its own options', () => {
  for (const program of Object.values(PROGRAMS))
    for (const command of program.commands.filter(({ commands }) => commands.length === 0)) {
      const wanted = command.options.map(({ long }) => long ?? '').filter((long) => long !== '');
      const offered = names(`${program.name()} ${command.name()} --`);
      expect([command.name(), offered]).toEqual([command.name(), expect.arrayContaining(wanted)]);
    }
});
