/** `3/16` → which part of a list is this job's. */

/** The `number`th of `count` parts, from 1. */
export interface Shard {
  readonly number: number;
  readonly count: number;
}

/** `3/16`. Undefined where it is none. */
export function parseShard(text: string): Shard | undefined {
  const [, number = '', count = ''] = /^(\d{1,6})\/(\d{1,6})$/u.exec(text.trim()) ?? [];
  const shard = { number: Number(number), count: Number(count) };
  return shard.number >= 1 && shard.number <= shard.count ? shard : undefined;
}

/** Every `count`th of them: the parts differ by one at most, and together are the whole list. */
export function takeShard<Item>(items: readonly Item[], { number, count }: Shard): Item[] {
  return items.filter((_, at) => at % count === number - 1);
}
