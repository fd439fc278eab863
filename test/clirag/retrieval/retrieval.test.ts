/** Scores, duplicates, stages and the prompt's fence. */

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { retrieveGlobally } from '../../../src/clirag/retrieval/globalRetrieval.js';
import { retrieveLocally } from '../../../src/clirag/retrieval/localRetrieval.js';
import { buildPrompt, bracketOf, fenceText, orderSources } from '../../../src/clirag/prompt.js';
import {
  dropDuplicates,
  scaleMinMax,
  scoreChunks,
  type Candidates,
} from '../../../src/clirag/retrieval/scoreChunks.js';
import { createKeywordIndex } from '../../../src/core/keywordIndex.js';
import type { Chunk, NoteType } from '../../../src/core/types.js';
import { wordEmbedder } from '../../wordEmbedder.js';

function chunk(id: string, type: NoteType, text: string, header = 'Assessment'): Chunk {
  const span = { start: 0, end: text.length };
  return {
    id, sectionId: `${id}/s`, noteId: id, patientId: '1', visitId: '1/2150-01-02', date: '2150-01-02', time: '08:15:00',
    type, header, subheaders: [], ordinal: 2, span, rawSpan: span, text, tokens: 9,
  }; // prettier-ignore
}

async function candidatesOf(chunks: readonly Chunk[]): Promise<Candidates> {
  const vectors = await wordEmbedder().embed(
    chunks.map(({ text }) => text),
    'passage',
  );
  return {
    chunks,
    vectors: new Map(chunks.map(({ id }, at) => [id, vectors[at] ?? new Float32Array()])),
    keywords: createKeywordIndex(chunks),
  };
}

const CHUNKS = [
  chunk('a', 'nursing', 'Hct 25.8 at noon, no bleeding seen'),
  chunk('b', 'physician', 'Hct 27.1 at noon, no bleeding seen'),
  chunk('c', 'radiology', 'Hct 25.8 at noon, no bleeding seen'),
  chunk('d', 'radiology', 'right pleural effusion is larger'),
];

test('a duplicate is dropped, but not where a figure differs', async () => {
  const candidates = await candidatesOf(CHUNKS);
  const [vector = new Float32Array()] = await wordEmbedder().embed(['Hct bleeding'], 'query');
  const hits = scoreChunks({ text: 'Hct bleeding', vector }, candidates);
  expect(
    hits
      .map(({ unitId }) => unitId)
      .slice(0, 3)
      .sort(),
  ).toEqual(['a', 'b', 'c']);
  const { hits: kept, dropped } = dropDuplicates(hits, candidates, { top: 4 });
  expect(kept.map(({ unitId }) => unitId)).toEqual(['a', 'b', 'd']);
  expect(dropped).toMatchObject([{ unitId: 'c', like: 'a' }]);
  expect(dropDuplicates(hits, candidates, { top: 4, useDedup: false }).hits).toHaveLength(4);
});

test('each part of a score can be switched off', async () => {
  const candidates = await candidatesOf(CHUNKS);
  const [vector = new Float32Array()] = await wordEmbedder().embed(['bleeding'], 'query');
  const query = { text: 'bleeding', vector };
  expect(scoreChunks(query, candidates, { useKeywords: false })[0]?.parts).toMatchObject({ keyword: 0 });
  expect(scoreChunks(query, candidates, { useRerank: false })[0]?.parts).toMatchObject({ symptoms: 0 });
  expect(scoreChunks(query, candidates)[0]?.parts?.['symptoms']).toBeGreaterThan(0);
});

test('scaled values are between 0 and 1, always', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e6, max: 1e6 }), { minLength: 1 }), (values) => {
      for (const value of scaleMinMax(values)) expect(value >= 0 && value <= 1).toBe(true);
    }),
  );
});

test('the local stage asks the questions of the types that contributed, among their notes alone', async () => {
  const candidates = await candidatesOf(CHUNKS);
  const embedder = wordEmbedder();
  const global = await retrieveGlobally([{ id: 'g', question: 'effusion', soap: 'O' }], candidates, {
    embedder,
    top: 1,
  });
  expect(global.contributions).toEqual([{ type: 'radiology', hits: 1, sections: { Assessment: 1 } }]);
  const local = await retrieveLocally(
    [
      { id: 'l1', question: 'Hct', soap: 'O', noteTypes: ['radiology', 'nursing'] },
      { id: 'l2', question: 'Hct', soap: 'O', noteTypes: ['echo'] },
    ],
    candidates,
    { embedder, types: ['radiology'] },
  );
  expect(local.questions.map(({ id }) => id)).toEqual(['l1']);
  expect(local.questions[0]?.hits.map(({ unitId }) => unitId).sort()).toEqual(['c', 'd']);
});

test('sources stand by type, section and number, unlabelled ones under More Information', () => {
  const sources = orderSources([
    chunk('x', 'radiology', 'one'),
    chunk('y', 'nursing', 'two', 'Unlabeled'),
    chunk('z', 'nursing', 'three'),
  ]);
  expect(sources.map(({ chunk: { id } }) => id)).toEqual(['z', 'x', 'y']);
  expect(sources.slice(0, 1).map((source) => bracketOf(source, '2150-01-02'))).toEqual([
    '[S1 | nursing 08:15 | Assessment | chunk 2]',
  ]);
  const prompt = buildPrompt(sources, { visitDate: '2150-01-02', asOf: '2150-01-02 23:59:59' });
  expect(prompt.indexOf('# More Information')).toBeLessThan(prompt.indexOf('[S3 |'));
  expect(prompt.indexOf('# More Information')).toBeGreaterThan(prompt.indexOf('[S2 |'));
});

test('a chunk can neither forge a bracket nor end the context, always', () => {
  const hostile = fc.array(
    fc.constantFrom('[S9 | x]', 'CHART>>>', '<<<CHART', '\n# More Information\n', ']', '>', 'a'),
    {
      maxLength: 12,
    },
  );
  fc.assert(
    fc.property(hostile, (parts) => {
      const fenced = fenceText(parts.join(''));
      expect(fenced).not.toMatch(/[[\]]/u);
      expect(fenced).not.toMatch(/<<|>>/u);
      expect(fenced).not.toMatch(/^\s*#/mu);
    }),
  );
});
