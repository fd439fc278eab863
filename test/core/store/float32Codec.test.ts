import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { float32Codec } from '../../../src/core/store/float32Codec.js';

const indexes = fc.integer({ min: 1, max: 9 }).chain((dims) =>
  fc.array(
    fc.record({
      id: fc.string({ unit: 'binary' }),
      hash: fc.string(),
      vector: fc.array(fc.float({ noNaN: true }), { minLength: dims, maxLength: dims }),
    }),
    { maxLength: 12 },
  ),
);

function encode(items: { id: string; hash: string; vector: number[] }[]): Buffer {
  return float32Codec.serializeIndex({
    version: 1,
    metadata_config: {},
    items: items.map(({ id, hash, vector }) => ({ id, metadata: { hash }, vector, norm: 1 })),
  });
}

test('what is written is read again, wherever the bytes lie in memory', () => {
  fc.assert(
    fc.property(indexes, fc.integer({ min: 0, max: 3 }), (items, offset) => {
      const encoded = encode(items);
      const moved = Buffer.concat([Buffer.alloc(offset), encoded]).subarray(offset);
      const read = float32Codec.deserializeIndex(moved);
      expect(
        read.items.map(({ id, metadata, vector }) => ({
          id,
          hash: metadata['hash'],
          vector: Array.from(vector),
        })),
      ).toEqual(items.map(({ id, hash, vector }) => ({ id, hash, vector: vector.map(Math.fround) })));
    }),
  );
});

test('a file cut anywhere is refused', () => {
  const whole = encode([
    { id: 'a', hash: 'x', vector: [1, 0, 0] },
    { id: 'b', hash: 'y', vector: [0, 1, 0] },
  ]);
  for (let length = 0; length < whole.length; length++) {
    expect(() => float32Codec.deserializeIndex(whole.subarray(0, length))).toThrow(/float32 index file/u);
  }
  expect(() => float32Codec.deserializeIndex(Buffer.concat([whole, Buffer.alloc(1)]))).toThrow(
    'another length',
  );
});

test('vectors of different lengths are refused', () => {
  expect(() =>
    encode([
      { id: 'a', hash: '', vector: [1] },
      { id: 'b', hash: '', vector: [1, 2] },
    ]),
  ).toThrow('vector of b has 2 values, not 1');
});
