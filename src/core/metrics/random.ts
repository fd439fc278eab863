/** Seed → a reproducible stream of random numbers: the same on every machine and in every version of Node. */

/** Numbers that are drawn and thrown away until a small seed has spread over the whole state. */
const WARM_UP = 16;

/** Uniform in [0, 1), 32 bits each. The generator is sfc32 (C. Doty-Humphrey, PractRand), not for secrets. */
export function seededRandom(seed: number): () => number {
  if (!Number.isSafeInteger(seed)) throw new RangeError(`a seed is a whole number, not ${seed}`);
  let a = seed | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let draw = 0; draw < WARM_UP; draw++) next();
  return next;
}
