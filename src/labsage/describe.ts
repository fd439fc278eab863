/** A document, or a section of it with its heading path → one line that a person can find it by. */

import type { Citation, DocumentControl } from '../core/types.js';

/** `CH-014 Ammonia, Plasma, version 4.2 › 5. QUALITY CONTROL › 5.2 Daily QC`. */
export function describeContext(
  document: { readonly title: string; readonly number?: string; readonly version?: string },
  headingPath: readonly string[],
): string {
  const path = headingPath.length === 0 ? ['(before the first section)'] : headingPath;
  return [describeDocument(document), ...path].join(' › ');
}

/** `CH-014 Ammonia, Plasma, version 4.2`; a number that the title has already is not repeated. */
export function describeDocument(document: {
  readonly title: string;
  readonly number?: string;
  readonly version?: string;
}): string {
  const { title, number, version } = document;
  const isInTitle = number !== undefined && title.toLowerCase().includes(number.toLowerCase());
  return `${number === undefined || isInTitle ? '' : `${number} `}${title}${version === undefined ? '' : `, version ${version}`}`;
}

/** As `describeDocument`, from a document of the index. */
export function nameDocument({ title, control }: { title: string; control: DocumentControl }): string {
  return describeDocument({ title, ...statedVersion(control) });
}

/** A document of the index as a citation names it. */
export function documentReference(document: {
  id: string;
  path: string;
  title: string;
  control: DocumentControl;
}): Citation['document'] {
  const { id, path, title, control } = document;
  return { id, path, title, ...statedVersion(control) };
}

/** What the document states of its number and version. */
function statedVersion({ number, version }: DocumentControl): Pick<DocumentControl, 'number' | 'version'> {
  return {
    ...(number === undefined ? {} : { number }),
    ...(version === undefined ? {} : { version }),
  };
}
