/** Two texts → lines of two columns, each wrapped at words. */

/** Narrowest column that is still read, in characters. */
const MIN_COLUMN = 24;

/** `columns` is the width of the terminal. */
export function sideBySide(left: string, right: string, { columns }: { columns: number }): string[] {
  const width = Math.max(MIN_COLUMN, Math.floor((columns - 3) / 2));
  const a = wrapLines(left, width);
  const b = wrapLines(right, width);
  return Array.from({ length: Math.max(a.length, b.length) }, (_, at) =>
    `${(a[at] ?? '').padEnd(width)} | ${b[at] ?? ''}`.trimEnd(),
  );
}

/** Keeps the lines' indentation; words longer than a line are cut. */
export function wrapLines(text: string, width: number): string[] {
  return text.split('\n').flatMap((line) => {
    const indent = (/^\s*/u.exec(line)?.[0] ?? '').slice(0, width - 1);
    const lines: string[] = [];
    let current = indent;
    for (const word of line
      .trim()
      .split(/\s+/u)
      .flatMap((whole) => cutWord(whole, width - indent.length))) {
      const joined = current.trim() === '' ? `${indent}${word}` : `${current} ${word}`;
      if (joined.length <= width) current = joined;
      else {
        lines.push(current);
        current = `${indent}${word}`;
      }
    }
    return [...lines, current.trimEnd()];
  });
}

function cutWord(word: string, width: number): string[] {
  if (word.length <= width) return [word];
  return word.match(new RegExp(`.{1,${width}}`, 'gsu')) ?? [word];
}
