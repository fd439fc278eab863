import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { byScore, groupRanked } from '../../src/core/rank.js';

const items = fc.array(
  fc.record({ id: fc.string({ maxLength: 3 }), score: fc.constantFrom(0, 0.5, 1, -1) }),
  { maxLength: 30 },
);

test('a ranking does not depend on the order that the items came in', () => {
  fc.assert(
    fc.property(items, fc.infiniteStream(fc.integer()), (list, keys) => {
      const shuffled = list
        .map((item) => ({ item, key: keys.next().value }))
        .sort((a, b) => a.key - b.key)
        .map(({ item }) => item);
      expect([...shuffled].sort(byScore)).toEqual([...list].sort(byScore));
    }),
  );
});

test('groups come in the order of their best item and lose none', () => {
  fc.assert(
    fc.property(items, (list) => {
      const ranked = [...list].sort(byScore);
      const groups = groupRanked(ranked, ({ id }) => id.slice(0, 1));
      expect([...groups.values()].flat().sort(byScore)).toEqual(ranked);
      const best = [...groups.values()].map((members) => members[0]?.score ?? 0);
      expect(best).toEqual([...best].sort((a, b) => b - a));
    }),
  );
});
