/** The names under which documents state their control data: data, and the pattern made from it. */

export type ControlField =
  | 'number'
  | 'version'
  | 'effective'
  | 'review'
  | 'owner'
  | 'approval'
  | 'approvedBy'
  | 'status'
  | 'supersedes'
  | 'title'
  | 'other';

const DOCUMENT = '(?:sop|document|doc\\.?|procedure|policy|protocol|method|form)';
const NUMBER = '(?:no\\.?|number|num\\.?|nr\\.?|#|id|identifier|code|ref(?:erence)?(?:\\.|\\s+no\\.?)?)';

/** In the order tried: the more special before the more general. */
export const CONTROL_KEYS: readonly (readonly [ControlField, string])[] = [
  [
    'supersedes',
    '(?:supersedes|replaces)(?:\\s+(?:version|revision|document|sop))?(?:\\s*(?:no\\.?|number))?',
  ],
  [
    'review',
    '(?:next\\s+(?:scheduled\\s+)?review|review[\\s-]+(?:by|due|before)|(?:date\\s+of\\s+)?next\\s+review|due\\s+for\\s+review|review\\s+due)(?:\\s+(?:date|by|due|on))?',
  ],
  [
    'other',
    '(?:last|previous)\\s+review(?:ed)?(?:\\s+(?:date|on|by))?|reviewed(?:\\s+by)?|review\\s+(?:interval|cycle|frequency|period)|prepared\\s+by|written\\s+by|issued?\\s+by|revised\\s+by|distribution|copy(?:\\s+no\\.?)?|pages?|site|location|print(?:ed)?(?:\\s+(?:on|date))?|classification|signature|retention|change\\s+control|specimens?|applies\\s+to|instruments?|analy[sz]er',
  ],
  ['review', 'review(?:\\s+date)?|expir(?:y|es|ation)(?:\\s+date)?'],
  [
    'effective',
    '(?:effective|valid|in\\s+force|in\\s+effect|implementation|implemented)(?:\\s+(?:date|from|as\\s+of|since|on))*|date\\s+(?:effective|of\\s+implementation)|date\\s+in\\s+force',
  ],
  [
    'approvedBy',
    '(?:approved|authori[sz]ed|released)(?:\\s+(?:and\\s+released\\s+)?by)|approver|approval\\s+by|reviewed\\s+and\\s+approved\\s+by',
  ],
  [
    'approval',
    '(?:approval|approved|authori[sz]ation|date\\s+of\\s+approval|date\\s+approved)(?:\\s+(?:date|on))?',
  ],
  [
    'number',
    `${DOCUMENT}\\s*${NUMBER}|identification\\s+no\\.?|sop(?=\\s*[:#]\\s*\\S*\\d)|document(?=\\s*[:#]\\s*\\S*\\d)|procedure(?=\\s*[:#]\\s*[A-Z]{1,5}-?\\d)|(?:no\\.|number|id|doc_?id|sop_?id|document_?id)(?=\\s*:)`,
  ],
  [
    'version',
    '(?:document\\s+|current\\s+|sop\\s+)?(?:version|revision|rev\\.?|ver\\.?|edition|issue)(?:\\s*(?:no\\.?|number|#|level))?',
  ],
  [
    'owner',
    '(?:document\\s+|process\\s+|sop\\s+)?owner|(?:issuing\\s+)?department|dept\\.?|laboratory\\s+section|custodian|responsible\\s+(?:person|department|unit)',
  ],
  ['status', '(?:document\\s+)?status'],
  ['title', `(?:${DOCUMENT}\\s+)?(?:title|name)|subject`],
];

const KEY_LINE = new RegExp(
  `^(?:${CONTROL_KEYS.map(([, key]) => key).join('|')}|date|effective)\\s*(?:[:#=|]|\\.:)`,
  'i',
);

/** A line that states a control datum: `SOP No.: HEM-012`. Its value may be missing. */
export function isKnownKey(text: string): boolean {
  return KEY_LINE.test(text.slice(0, 80).trim());
}
