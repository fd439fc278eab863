/** Data: what a patient has on, in or ordered, of which a chart says that it begins, goes on and ends. No logic. */

export interface StateRow {
  readonly state: string;
  /** Alternatives of a pattern, in any case. */
  readonly names?: string;
  /** The same where small letters mean something else: abbreviations. */
  readonly exact?: string;
  /** Words that themselves say that it has begun, or ended. */
  readonly begun?: string;
  readonly ended?: string;
  /** The name is a predicate: `intubated` says that it is so. */
  readonly isPredicate?: boolean;
  /** That it is so is news enough to end the others of its group. */
  readonly isDecisive?: boolean;
  /** Where one of a group begins the others end. */
  readonly group?: string;
  /** Only a charted end ends it, so that what an earlier day says counts. Else a visit speaks for itself. */
  readonly isLasting: boolean;
}

const LINE = String.raw`(?: (?:central|venous))*(?: (?:lines?|cath(?:eter)?s?|introducer|cordis|TLC|CVL|sheath))?`;

/** In place until it is taken out or off. */
const DEVICES: readonly Omit<StateRow, 'isLasting'>[] = [
  { state: 'urinary catheter', names: 'foley(?: catheter)?|urinary catheter|indwelling catheter|bladder catheter' },
  { state: 'arterial line', names: 'a-?line|art(?:erial)? line' },
  { state: 'jugular line', names: `(?:R|L|right|left)? ?IJ${LINE}|internal jugular${LINE}|cordis` },
  { state: 'subclavian line', names: `subclavian${LINE}` },
  { state: 'femoral line', names: `(?:femoral|fem) (?:lines?|cath(?:eter)?|TLC|sheath)` },
  { state: 'central line', names: 'central (?:venous )?(?:line|catheter)|triple lumen', exact: 'CVL|CVC|TLC' },
  { state: 'tunneled catheter', names: '(?:(?:R|L|right|left) )?(?:(?:IJ|subclavian|femoral) )?tunneled (?:\\w+ )?(?:catheter|cath|line)|(?:HD|dialysis|chest) catheter' },
  { state: 'PICC', names: 'PICC(?: line)?' },
  { state: 'peripheral line', names: 'peripheral IV|(?:hep|saline) ?lock', exact: 'PIV' },
  { state: 'umbilical vein line', exact: 'UVC' },
  { state: 'umbilical artery line', exact: 'UAC' },
  { state: 'pulmonary artery catheter', names: 'swan(?:-ganz)?|PA (?:catheter|line)' },
  { state: 'chest tube', names: 'chest tubes?|pigtail|pleural tubes?|mediastinal tubes?' },
  { state: 'surgical drain', names: 'hemovac|jackson[- ]pratt|blake|(?:surgical|wound) drain', exact: 'JPs?' },
  { state: 'head drain', names: 'ventriculostomy|(?:subdural|lumbar|ventricular) drain', exact: 'EVD' },
  { state: 'nephrostomy', names: '(?:percutaneous )?nephrostomy(?: tube)?', exact: 'PCN' },
  { state: 'gastric tube', names: '(?:NG|OG)T?(?: tube)?|dobhoff|feeding tube' },
  {
    state: 'ventilator',
    names: 'intubated|on (?:the )?vent\\w*|sedated|mechanically ventilated',
    begun: 're-?intubated|intubated (?:at|in|for|by|due|because|overnight)',
    ended: 'extubated|extubation at',
    isPredicate: true,
  },
  { state: 'BiPAP', names: 'bipap|NIPPV', exact: 'NIV' },
  { state: 'CPAP', names: 'CPAP' },
  { state: 'high flow', names: 'high[- ]flow|HHFNC|HFNC|vapotherm' },
  { state: 'restraints', names: 'restraints?|mitts' },
  { state: 'sitter', names: 'sitter|1:1 observer' },
  { state: 'collar', names: '(?:cervical|C-?)\\s?collar' },
  { state: 'wound vacuum', names: 'wound vac' },
  { state: 'parenteral nutrition', names: 'TPN|parenteral nutrition|lipids', exact: 'PN|HAL' },
  { state: 'dialysis machine', names: 'CRRT|CVVH\\w*' },
  { state: 'pacing wires', names: 'pac(?:ing|er) wires?' },
  { state: 'balloon pump', names: 'balloon pump|IABP' },
  { state: 'cooling', names: 'cooling(?: blanket)?|arctic sun' },
  { state: 'isolation', names: '(?:contact|droplet|airborne) (?:precautions|isolation)' },
  { state: 'epidural', names: 'epidural(?: catheter)?' },
  { state: 'PCA', names: '(?:[a-z]+ )?PCA' },
  { state: 'isolette', names: '(?:servo )?isolette' },
  { state: 'phototherapy', names: '(?:(?:single|double|triple) )?photo(?:therapy)?|(?:bili|under(?: (?:single|double|triple))?) ?lights?' },
  { state: 'intravenous fluids', names: 'IVF|IV fluids?|maintenance fluids?|D10W?' },
  { state: 'tube feeds', names: 'tube feed(?:s|ings?)|enteral feeds' },
]; // prettier-ignore

/** Either or: the later one holds. */
const CHOICES: readonly Omit<StateRow, 'isLasting'>[] = [
  { state: 'nasal oxygen', group: 'oxygen', names: 'nasal cannula|face ?mask|supplemental (?:oxygen|O2)', exact: 'NC' },
  { state: 'room air', group: 'oxygen', names: 'room air', exact: 'RA' },
  { state: 'suction', group: 'drainage', names: 'to suction|(?:to|on|at) -20' },
  { state: 'water seal', group: 'drainage', names: 'water seal' },
  { state: 'nothing by mouth', group: 'diet', names: 'nothing by mouth|nil by mouth', exact: 'NPO', begun: 'made NPO', isPredicate: true },
  {
    state: 'eating', group: 'diet', isPredicate: true,
    names: 'clears|clear liquids?|full liquids?|(?:regular|cardiac|diabetic|renal|soft|house|low[- ]fat|puree\\w*) (?:diet|consistency)',
    begun: '(?:took|ate|eating|eats|tolerat(?:ed|ing)) (?:\\S+ ){0,4}(?:breakfast|lunch|dinner|meals?|diet|clears|liquids|puree\\w*|jello|supper|solids)',
  },
  { state: 'bed rest', group: 'activity', names: "(?:strict |flat )?bed ?rest|(?:buck'?s )?traction", isPredicate: true },
  { state: 'out of bed', group: 'activity', names: 'out of bed', exact: 'OOB', begun: '(?:walked|ambulated|ambulating|OOB|out of bed|up to chair)', isPredicate: true },
]; // prettier-ignore

export const STATE_ROWS: readonly StateRow[] = [
  ...DEVICES.map((row) => ({ ...row, isLasting: true })),
  ...CHOICES.map((row) => ({ ...row, isLasting: false })),
  {
    state: 'full code',
    group: 'code',
    names: String.raw`full code|code(?: status)?\W{1,2}full`,
    isPredicate: true,
    isLasting: true,
  },
  {
    state: 'limited code',
    group: 'code',
    names: 'comfort (?:measures|care)(?: only)?',
    exact: 'DN[RI](?:\\s?/\\s?DN[RI])?|CMO',
    begun: String.raw`(?:changed to|made|now|is|are) (?:DN[RI]|CMO|comfort)`,
    isPredicate: true,
    isDecisive: true,
    isLasting: true,
  },
];

/** Given as an infusion and in no other way, so that its name alone tells of one. */
export const ALWAYS_INFUSED = new Set([
  'norepinephrine',
  'vasopressin',
  'phenylephrine',
  'epinephrine',
  'dobutamine',
  'dopamine',
  'milrinone',
  'nicardipine',
  'esmolol',
  'propofol',
  'dexmedetomidine',
  'cisatracurium',
]);
