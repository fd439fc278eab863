/** Data: words that exclude one another. Within a group any two poles contradict. No logic. */

export interface OppositeGroup {
  /** Names the group in code and tests. */
  readonly name: string;
  /** Each pole: words or phrases of one meaning, ` | ` between them; matched by stems. */
  readonly poles: readonly string[];
  /** Two poles where the negation of one is the other ("not accept" = "reject"). */
  readonly isComplementary?: boolean;
}

export const OPPOSITES: readonly OppositeGroup[] = [
  {
    name: 'accept',
    poles: ['accept | acceptable', 'reject | unacceptable | refuse | rejection'],
    isComplementary: true,
  },
  { name: 'hold', poles: ['hold | on hold', 'continue | resume | restart | reinitiate | restarted'] },
  {
    name: 'start',
    poles: [
      'start | begin | initiate | commence | restart | resume | reinitiate',
      'stop | discontinue | d/c | dc | cease | terminate | hold | on hold',
    ],
  },
  { name: 'continue', poles: ['continue | maintain', 'stop | discontinue | d/c | dc | cease | complete'] },
  {
    name: 'trend',
    poles: [
      'increase | rise | elevate | uptrend | uptrending | go up | went up | trending up | climb | up from | raise',
      'decrease | fall | drop | decline | downtrend | downtrending | reduce | go down | went down | trending down | lower | down from',
      'unchanged',
    ],
  },
  { name: 'moisture', poles: ['dry', 'wet | saturated | soaked | moist'] },
  { name: 'prefix', poles: ['pre', 'post'] },
  { name: 'length', poles: ['lengthen | prolong | widen', 'shorten | narrow'] },
  {
    name: 'course',
    poles: [
      'improve | improvement | better',
      'worsen | deteriorate | worse | deterioration | progression of',
      'unchanged | no change | no significant change | stable',
    ],
  },
  {
    name: 'resolution',
    poles: [
      'resolve | resolution | subside | go away | disappear',
      'persist | persistent | ongoing | worsen | recur',
    ],
  },
  { name: 'intubation', poles: ['intubate | reintubate', 'extubate | extubation'] },
  {
    name: 'level',
    poles: [
      'high | hyper | elevated | raised',
      'low | depressed | reduced',
      'normal | within normal limits | wnl | unremarkable',
    ],
  },
  { name: 'sign', poles: ['positive | pos', 'negative | neg'], isComplementary: true },
  { name: 'presence', poles: ['present | presence', 'absent | absence'], isComplementary: true },
  {
    name: 'limits',
    poles: [
      'maximum | max | longest | highest | most | largest',
      'minimum | shortest | lowest | least | smallest',
    ],
  },
  { name: 'vertical', poles: ['upper', 'lower', 'middle'] },
  { name: 'front', poles: ['anterior', 'posterior'] },
  { name: 'distance', poles: ['proximal', 'distal'] },
  { name: 'midline', poles: ['medial', 'lateral'] },
  { name: 'base', poles: ['apical | apex | apices', 'basilar | basal | base | bases | bibasilar'] },
  { name: 'door', poles: ['open', 'close'] },
  { name: 'opened', poles: ['opened', 'unopened | sealed'] },
  { name: 'switch', poles: ['turn on | switch on | power on', 'turn off | switch off | power off'] },
  { name: 'cap', poles: ['capped', 'uncapped | decapped | open'] },
  { name: 'heat', poles: ['cold | cool | chilled', 'warm | hot | heated'] },
  { name: 'storage', poles: ['refrigerate', 'freeze', 'room temperature'] },
  { name: 'thaw', poles: ['freeze', 'thaw'] },
  { name: 'direction', poles: ['clockwise', 'counterclockwise | anticlockwise'] },
  { name: 'duration', poles: ['acute', 'chronic | old | longstanding'] },
  { name: 'severity', poles: ['mild | minimal | slight | trace', 'moderate', 'severe | massive | marked'] },
  { name: 'size', poles: ['small', 'large'] },
  { name: 'admission', poles: ['admit | admission', 'discharge'] },
  { name: 'placement', poles: ['insert | place | apply | put on', 'remove | pull | take out | removal'] },
  {
    name: 'pendency',
    poles: [
      'pending | await | planned | scheduled | to be done | outstanding',
      'complete | done | performed | resulted | finalized | final',
    ],
  },
  {
    name: 'consciousness',
    poles: ['alert | awake | oriented', 'unresponsive | obtunded | comatose | lethargic | sedated'],
  },
  { name: 'stability', poles: ['stable', 'unstable'] },
  { name: 'symmetry', poles: ['symmetric | equal', 'asymmetric | unequal'] },
  { name: 'meal', poles: ['preprandial | before meals | ac', 'postprandial | after meals | pc'] },
  { name: 'operation', poles: ['preoperative | preop | pre-op', 'postoperative | postop | post-op'] },
  {
    name: 'day',
    poles: [
      'same day',
      'today | this morning | this afternoon | this evening | tonight',
      'yesterday | last night',
      'tomorrow',
    ],
  },
  { name: 'daytime', poles: ['morning | am shift', 'afternoon', 'evening', 'overnight | night'] },
  { name: 'shift', poles: ['day shift | days', 'night shift | nights', 'evening shift'] },
  { name: 'pass', poles: ['pass', 'fail | failure | failed'], isComplementary: true },
  { name: 'release', poles: ['release', 'withhold | hold | suppress | quarantine'] },
  { name: 'necessity', poles: ['required | mandatory', 'optional'] },
  { name: 'breath', poles: ['inspiratory', 'expiratory'] },
  { name: 'number of', poles: ['single', 'duplicate | in duplicate', 'triplicate | in triplicate'] },
  {
    name: 'ordinal',
    poles: ['1st | first', '2nd | second', '3rd | third', '4th | fourth', '5th | fifth', '6th | sixth'],
  },
  { name: 'air', poles: ['aerobic', 'anaerobic'] },
  { name: 'ends', poles: ['start | begin | beginning', 'end | finish'] },
  {
    name: 'when',
    poles: ['now | currently | current', 'peak | previous | previously | initially | earlier'],
  },
  { name: 'sequence', poles: ['first', 'last'] },
  { name: 'supine', poles: ['supine | lying', 'prone', 'upright | sitting | seated', 'standing'] },
  { name: 'gender', poles: ['male | man | gentleman', 'female | woman | lady'] },
  { name: 'gain', poles: ['gain | gained', 'loss | lost'] },
  { name: 'inside', poles: ['internal', 'external'] },
  { name: 'reversibility', poles: ['reversible', 'irreversible'] },
  { name: 'contrast', poles: ['with contrast', 'without contrast | noncontrast | non-contrast'] },
  { name: 'quantity', poles: ['more', 'less | fewer'] },
  { name: 'whole', poles: ['all | every', 'none'] },
];
