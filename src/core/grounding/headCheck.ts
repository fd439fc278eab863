/** A claim's sides and other words that tell one part from its counterpart → those that the source has before another part. */

import type { Comparison, Finding } from './comparison.js';
import type { PlacedFacet, Statement } from './statements.js';

/** Kinds whose word stands before what it is said of: "left arm", "anaerobic bottle". */
const HEADED = new Set([
  'side',
  'opposite air',
  'opposite vertical',
  'opposite distance',
  'opposite midline',
  'opposite front',
  'opposite inside',
  'opposite duration',
  'opposite breath',
]);
/** Words of a noun phrase behind such a word. */
const HEAD_WORDS = 3;

/** "Right arm" where the source has a left arm and a right leg. */
export function checkHeads({ claim, evidence, rename }: Comparison): Finding[] {
  return claim.facets.flatMap((facet): Finding[] => {
    if (!HEADED.has(facet.kind) || facet.isDenied) return [];
    const head = headOf(claim, facet).map(rename);
    if (head.length === 0) return [];
    let own = 0;
    let rival: { facet: PlacedFacet; shared: number } | undefined;
    for (const statement of evidence.statements) {
      for (const other of statement.facets) {
        if (other.kind !== facet.kind) continue;
        const theirs = headOf(statement, other);
        const shared = head.filter((term) => theirs.includes(term)).length;
        if (other.value === facet.value) own = Math.max(own, shared);
        else if (shared > (rival?.shared ?? 0)) rival = { facet: other, shared };
      }
    }
    return rival === undefined || rival.shared <= own || rival.facet.value === 'both sides'
      ? []
      : [{ verdict: 'contradicted', reason: `says ${facet.text}, the source ${rival.facet.text}` }];
  });
}

/** The content words of the facet's phrase: its own word where that names a part too (`RUL`), and the next few. */
function headOf({ text, terms, facets }: Statement, { start, end, kind }: PlacedFacet): string[] {
  const head: string[] = [];
  let from = end;
  for (const term of terms) {
    if (term.start < start) continue;
    if (term.start === start && !term.isAlias) continue;
    const gap = text.slice(from, term.start);
    const isOther = facets.some(
      (other) => other.kind === kind && other.start === term.start && other.start > start,
    );
    if (/[^\s-]/u.test(gap) || isOther || head.length === HEAD_WORDS) break;
    if (/^(?:and|or|but|with|at|on|in|of|is|was|were|are|to|from|for|had|has)$/iu.test(term.text)) break;
    if (term.isContent) head.push(term.term);
    from = term.end;
  }
  return head;
}
