/** Sentences of a chart → which drugs they start, stop, hold or continue, and which orders of a day contradict each other. */

import { DRUGS } from '../../core/grounding/drugs.js';

export type DrugAction = 'given' | 'withheld';

export interface DrugOrder {
  /** The first name of its row in the table of drugs. */
  readonly drug: string;
  readonly action: DrugAction;
}

const NAMES = DRUGS.flatMap((row) => {
  const names = row.split('|').map((name) => name.trim());
  return names.filter((name) => name.length > 2).map((name) => [name, names[0] ?? name] as const);
}).concat([
  ['levo', 'norepinephrine'],
  ['vanco', 'vancomycin'],
  ['amio', 'amiodarone'],
]);
const CANONICAL = new Map(NAMES);
const NAME = new RegExp(
  String.raw`(?<![\p{L}\p{N}])(?:${[...CANONICAL.keys()]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replace(/[.*+?^${'$'}{}()|[\]\\]/gu, String.raw`\$&`))
    .join('|')})(?![\p{L}\p{N}])`,
  'giu',
);
const WITHHELD =
  /\b(?:NPO|hold|held|holding|on hold|stop|stopped|discontinued?|d\/c(?:'d|ed)?|off|withh[eo]ld|not given|defer(?:red)?|cancel(?:led|ed)?)\b/iu;
const GIVEN =
  /\b(?:start(?:ed)?|continued?|continues|restart(?:ed)?|resumed?|begin|given|running|increase(?:d)?|advance(?:d)?|new start)\b/iu;

/** An amount with a route or how often: an order without a verb. */
const DOSED =
  /\b\d[\d.,]*\s*(?:mg|mcg|g|units?|mEq|gm)\b.*\b(?:q ?\d+ ?h|daily|BID|TID|QID|qhs|nightly|gtt|infusion)\b/iu;
/** What may be eaten is ordered as a drug is. */
const FEEDING = /\b(?:NPO|(?:gavage|tube|enteral|oral|PO) feed(?:s|ings?)?|feeds|diet)\b/iu;

/** Says when, of another thing: `stop the infusion two hours after glargine`. */
const WHEN = /\b(?:after|before)\b.*/iu;

/** Conditions and aims order nothing now. */
const NOT_YET =
  /\b(?:goal|tomorrow|if|when|once|consider|may|possible|unless|do not|don't|avoid|no need)\b/iu;

const REFERS_BACK = /^\s*(?:both|all|these|they|it)\b/iu;

export function drugsIn(text: string): string[] {
  return [
    ...new Set(
      [...text.matchAll(NAME)].map(([name]) => CANONICAL.get(name.toLowerCase()) ?? name.toLowerCase()),
    ),
  ];
}

/** Read clause by clause, so that `start glargine; metformin: keep holding` gives two different orders. */
export function findOrders(sentence: string): DrugOrder[] {
  const orders: DrugOrder[] = [];
  /** Named without an order of their own: `vancomycin and cefepime 4/11, both stopped`. */
  let waiting: string[] = [];
  for (const clause of sentence.split(/[;,.](?=\s)|\s→\s|\s->\s|\band\b/u)) {
    const ordered = clause.replace(WHEN, '');
    const drugs = [...drugsIn(ordered), ...(FEEDING.test(ordered) ? ['feeding'] : [])];
    const withheld = WITHHELD.test(clause);
    const given = GIVEN.test(clause) || DOSED.test(clause);
    if (NOT_YET.test(clause)) waiting = [];
    else if (withheld ? GIVEN.test(clause) : !given) waiting.push(...drugs);
    else {
      const meant = drugs.length === 0 && REFERS_BACK.test(clause) ? waiting : drugs;
      for (const drug of meant) orders.push({ drug, action: withheld ? 'withheld' : 'given' });
      waiting = [];
    }
  }
  return orders;
}
