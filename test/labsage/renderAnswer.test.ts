import { expect, test } from '@jest/globals';
import { Chalk } from 'chalk';
import type { Citation, Quote } from '../../src/core/types.js';
import { citationLines } from '../../src/labsage/renderAnswer.js';

const color = new Chalk({ level: 0 });

function quote(text: string, line: number, subheadings?: readonly string[]): Quote {
  return {
    text,
    span: { start: line, end: line + 1 },
    location: { file: 'a.md', lines: [line, line] },
    ...(subheadings === undefined ? {} : { subheadings }),
  };
}

test.each<[string, readonly Quote[], readonly string[]]>([
  ['one line', [quote('Use a tube.', 3)], ['  Use a tube.', '  a.md, line 3']],
  [
    'a sub-heading once over what stands under it',
    [
      quote('Draw it cold.', 3, ['Collection']),
      quote('Invert it.', 4, ['Collection']),
      quote('- capillary blood', 9, ['Rejection', 'Always']),
      quote('End.', 12),
    ],
    [
      '  Collection',
      '  Draw it cold.',
      '  Invert it.',
      '  Rejection › Always',
      '  - capillary blood',
      '  End.',
      '  a.md, lines 3-12',
    ],
  ],
])('%s', (_name, quotes, expected) => {
  const citation: Citation = {
    key: 'S1',
    unitId: 'a#specimen',
    document: { id: 'a', path: 'a.md', title: 'Lactate', number: 'CH-1', version: '2' },
    headingPath: ['Specimen'],
    quotes,
  };
  expect(citationLines(citation, color)).toEqual([
    '[S1] CH-1 Lactate, version 2 › Specimen',
    ...expected,
    '',
  ]);
});
