/** Sentences of a chart → which drugs they start, stop, hold or continue, and which orders of a day contradict each other. */

import { DRUGS } from '../../core/grounding/drugs.js';

export type DrugAction = 'given' | 'withheld';

export interface DrugOrder {
  /** The first name of its row in the table of drugs. */
  readonly drug: string;
  readonly action: DrugAction;
  /** That an infusion is stopped says nothing of the tablets that replace it. */
  readonly form?: 'infusion' | 'doses';
  /** It speaks of what was before: given again, not against another order. */
  readonly isResumed?: boolean;
}

/** Of one drug, the one withheld and the other given, unless they speak of different forms of it. */
export function contradicts(a: DrugOrder, b: DrugOrder): boolean {
  if (a.drug !== b.drug || a.action === b.action) return false;
  return a.form === undefined || b.form === undefined || a.form === b.form;
}

const NAMES = DRUGS.flatMap((row) => {
  const names = row.split('|').map((name) => name.trim());
  return names.filter((name) => name.length > 2).map((name) => [name, names[0] ?? name] as const);
}).concat([
  ['levo', 'norepinephrine'],
  ['vanco', 'vancomycin'],
  ['amio', 'amiodarone'],
  ['dobut', 'dobutamine'],
  ['dilt', 'diltiazem'],
  ['norepi', 'norepinephrine'],
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
const FEEDING =
  /\b(?:NPO|(?:gavage|tube|enteral|oral|PO) feed(?:s|ings?)?|feeds|diet|clear liquids|clears|full liquids)\b/iu;

/** Says when, of another thing: `stop the infusion two hours after glargine`. */
const WHEN = /\b(?:after|before)\b.*/iu;

/** Conditions and aims order nothing now. */
const NOT_YET =
  /\b(?:goal|tomorrow|if|when|once|consider|may|possible|unless|do not|don't|avoid|no need)\b/iu;

/** Among orders a name with its route or purpose is one: `Heparin SC for prophylaxis`. */
const NAMED = /^\W*[\p{L}-]+(?:\s[\p{L}-]+)?\s(?:PO|IV|SC|SQ|for)\b/iu;

const RESUMED = /\b(?:resum\w+|re-?start\w*)\b/iu;

const REFERS_BACK = /^\s*(?:both|all|these|they|it)\b/iu;

/** In text order, each with its place. */
export function findDrugs(text: string): { drug: string; start: number; end: number }[] {
  return [...text.matchAll(NAME)].map(({ 0: name, index }) => ({
    drug: CANONICAL.get(name.toLowerCase()) ?? name.toLowerCase(),
    start: index,
    end: index + name.length,
  }));
}

export function drugsIn(text: string): string[] {
  return [...new Set(findDrugs(text).map(({ drug }) => drug))];
}

const INFUSION = /\b(?:gtt|drip|infusion|mcg\/kg\/min|mcg\/min|IV amio\w*)\b/iu;
const DOSES =
  /\b(?:PO|orally?|by mouth|SC|SQ|subq|subcut\w*|tablets?|daily|BID|TID|QID|qhs|nightly|sliding scale|q ?\d+ ?h)\b/iu;

function formOf(clause: string): Pick<DrugOrder, 'form'> {
  if (INFUSION.test(clause)) return { form: 'infusion' };
  return DOSES.test(clause) ? { form: 'doses' } : {};
}

/** Read clause by clause, so that `start glargine; metformin: keep holding` gives two different orders. `isPlan`: it stands among orders. */
export function findOrders(sentence: string, { isPlan = false }: { isPlan?: boolean } = {}): DrugOrder[] {
  const orders: DrugOrder[] = [];
  /** Named without an order of their own: `vancomycin and cefepime 4/11, both stopped`. */
  let waiting: string[] = [];
  for (const clause of sentence.split(/[;,.](?=\s)|\s→\s|\s->\s|\band\b/u)) {
    const ordered = clause.replace(WHEN, '');
    const drugs = [...drugsIn(ordered), ...(FEEDING.test(ordered) ? ['feeding'] : [])];
    const withheld = WITHHELD.test(clause);
    const given = GIVEN.test(clause) || DOSED.test(clause) || (isPlan && !withheld && NAMED.test(clause));
    if (NOT_YET.test(clause)) waiting = [];
    else if (withheld ? GIVEN.test(clause) : !given) waiting.push(...drugs);
    else {
      const meant = drugs.length === 0 && REFERS_BACK.test(clause) ? waiting : drugs;
      for (const drug of meant)
        orders.push({
          drug,
          action: withheld ? 'withheld' : 'given',
          ...formOf(clause),
          ...(!withheld && RESUMED.test(clause) ? { isResumed: true } : {}),
        });
      waiting = [];
    }
  }
  return orders;
}
