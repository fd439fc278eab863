/** A section's document and heading path → one line that a person can find it by. */

/** `CH-014 Ammonia, Plasma, version 4.2 › 5. QUALITY CONTROL › 5.2 Daily QC`. */
export function describeContext(
  document: { readonly title: string; readonly number?: string; readonly version?: string },
  headingPath: readonly string[],
): string {
  const { title, number, version } = document;
  const isInTitle = number !== undefined && title.toLowerCase().includes(number.toLowerCase());
  const name = `${number === undefined || isInTitle ? '' : `${number} `}${title}${version === undefined ? '' : `, version ${version}`}`;
  return [name, ...(headingPath.length === 0 ? ['(before the first section)'] : headingPath)].join(' › ');
}
