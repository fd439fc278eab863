/** Sections: what lies in what. */

import { expect, test } from '@jest/globals';
import { cleanText } from '../../src/clirag/clean.js';
import { splitSections } from '../../src/clirag/sections.js';

/** `header` of every section, a sub-heading after its section's header. */
function outline(text: string): string[] {
  const sections = splitSections({ id: '1' }, cleanText(text));
  const headerOf = new Map(sections.map(({ id, header }) => [id, header]));
  return sections.map(({ header, parentId }) =>
    parentId === undefined ? header : `${headerOf.get(parentId) ?? ''} > ${header}`,
  );
}

test('systems lie in an examination', () => {
  expect(outline('PHYSICAL EXAM\nGen: well\nCV: regular\nPLAN\nhome')).toEqual([
    'Physical Exam',
    'Physical Exam > General',
    'Physical Exam > Cardiovascular',
    'Plan',
  ]);
});

test('in a nursing note that goes by systems each is a section, whatever stands before', () => {
  expect(outline('EVENTS:\nFell out of bed.\nNEURO: alert\nCV: regular\nPLAN: bed alarm')).toEqual([
    'Interval Events',
    'Neurological',
    'Cardiovascular',
    'Plan',
  ]);
});

test('the steps of a nursing problem lie in it, also where its name is a system', () => {
  const steps = 'Assessment:\noliguria\nAction:\nfluids\nResponse:\nbetter\nPlan:\nwatch\n';
  expect(outline(`Renal failure, acute\n${steps}Pain control\n${steps}`)).toEqual(
    ['Renal failure, acute', 'Pain'].flatMap((problem) => [
      problem,
      ...['Assessment', 'Action', 'Response', 'Plan'].map((step) => `${problem} > ${step}`),
    ]),
  );
});

test('what stands under no header is Unlabeled', () => {
  expect(outline('Slept well, no complaints.\n\nPLAN:\nhome')).toEqual(['Unlabeled', 'Plan']);
  expect(outline('Sinus rhythm at 88 beats per minute.')).toEqual(['Unlabeled']);
});

test('the same header twice gets ids from what it holds', () => {
  const ids = splitSections({ id: '1' }, cleanText('PLAN:\nhome\nLABS:\nnone\nPLAN:\nrest')).map(
    ({ id }) => id,
  );
  expect(new Set(ids).size).toBe(3);
  expect(ids[0]).toMatch(/^1\/plan-[0-9a-f]{6}$/u);
});
