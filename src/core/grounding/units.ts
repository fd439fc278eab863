/** Text after a number → the unit that stands there, as a dimension and a factor to that dimension's base. */

/** `value in base = value × factor + offset`. */
export interface Unit {
  /** Equal for units that can be compared: `mass`, `mass/volume`, … */
  readonly dimension: string;
  readonly factor: number;
  readonly offset?: number;
  /** Converted by a rounded factor, so that compared values need the tolerance of their written digits. */
  readonly isRounded?: boolean;
  /** Characters consumed, blanks before the unit included. */
  readonly length: number;
}

type Atom = readonly [dimension: string, factor: number, isRounded?: boolean];

/** dimension → spellings by factor to the base unit; lower case matches any case, upper case only itself. */
const ATOM_TABLE: Readonly<Record<string, readonly (readonly [number, string])[]>> = {
  mass: [
    [1e3, 'kg kgs kilogram kilograms kilo kilos'],
    [1, 'g gm gms gram grams'],
    [1e-3, 'mg mgs milligram milligrams'],
    [1e-6, 'µg mcg ug microgram micrograms mcgs'],
    [1e-9, 'ng nanogram nanograms'],
    [1e-12, 'pg picogram picograms'],
  ],
  volume: [
    [1, 'l liter liters litre litres'],
    [0.1, 'dl deciliter deciliters decilitre'],
    [1e-3, 'ml mls cc ccs milliliter milliliters millilitre millilitres cumm'],
    [1e-6, 'µl ul mcl microliter microliters microlitre microlitres cmm mm3 mm³'],
    [1e-9, 'nl'],
    [1e-15, 'fl femtoliter femtoliters'],
  ],
  amount: [
    [1, 'mol mole moles'],
    [1e-3, 'mmol mmols meq meqs millimole millimoles milliequivalents'],
    [1e-6, 'µmol umol mcmol micromol micromole micromoles µeq'],
    [1e-9, 'nmol nanomol'],
    [1e-12, 'pmol'],
  ],
  activity: [
    [1, 'u iu unit units'],
    [1e-3, 'mu miu'],
    [1e-6, 'µu µiu uiu'],
    [1e3, 'ku kiu kunits'],
  ],
  time: [
    [1e-3, 'ms msec milliseconds'],
    [1, 's sec secs second seconds'],
    [60, 'min mins minute minutes'],
    [3600, 'h hr hrs hour hours hrly'],
    [86_400, 'd day days'],
    [604_800, 'wk wks week weeks'],
  ],
  months: [
    [1, 'month months mo mos'],
    [12, 'year years yr yrs y yo y/o'],
  ],
  length: [
    [1e-9, 'nm nanometer nanometers nanometres'],
    [1e-6, 'µm um micron microns micrometer micrometers'],
    [1e-3, 'mm millimeter millimeters millimetre millimetres'],
    [1e-2, 'cm cms centimeter centimeters centimetre centimetres'],
    [1, 'm meter meters metre metres'],
  ],
  pressure: [[1, 'mmhg torr']],
  'water pressure': [[1, 'cmh2o cmh20']],
  rotation: [[1, 'rpm']],
  force: [[1, '×g xg rcf']],
  percent: [[1, '% percent pct']],
  angle: [[1, 'degree degrees °']],
  count: [
    [1, 'cells cell copies cfu beats beat breaths breath count rbc wbc leukocytes'],
    [1e3, 'K thou'],
    [1e6, 'M mil million'],
    [1e9, 'billion'],
  ],
  osmoles: [
    [1, 'osm'],
    [1e-3, 'mosm mosmol'],
  ],
  energy: [[1, 'kcal cal kcals']],
  voltage: [
    [1, 'v volt volts'],
    [1e-3, 'mv'],
  ],
  psi: [[1, 'psi']],
  current: [
    [1e-3, 'ma'],
    [1, 'A amp amps'],
  ],
  parts: [
    [1, 'ppm'],
    [1e-3, 'ppb'],
  ],
  frequency: [
    [1, 'hz hertz'],
    [1e3, 'khz'],
    [1e6, 'mhz'],
  ],
  power: [[1, 'watt watts W']],
  radiation: [
    [1, 'Gy'],
    [1e-3, 'mgy'],
  ],
  joules: [[1, 'J joules joule']],
  french: [[1, 'Fr french']],
  deviations: [[1, 'sd sds']],
  tablets: [[1, 'tab tabs tablet tablets']],
  capsules: [[1, 'cap caps capsule capsules']],
  puffs: [[1, 'puff puffs']],
  drops: [[1, 'drop drops gtt gtts']],
  times: [[1, 'times']],
  field: [[1, 'hpf lpf hpfs']],
  kilopascals: [[1, 'kpa']],
  'pack-months': [[12, 'pack-years pack-year']],
};

const ATOMS = new Map<string, Atom>(
  Object.entries(ATOM_TABLE).flatMap(([dimension, rows]) =>
    rows.flatMap(([factor, names]) =>
      names.split(' ').map((name): [string, Atom] => [name, [dimension, factor]]),
    ),
  ),
);
for (const [name, kilograms] of [
  ['lb', 0.453592],
  ['lbs', 0.453592],
  ['pound', 0.453592],
  ['pounds', 0.453592],
  ['oz', 0.0283495],
] as const) {
  ATOMS.set(name, ['mass', kilograms * 1e3, true]);
}
for (const name of ['inch', 'inches']) ATOMS.set(name, ['length', 0.0254, true]);
for (const name of ['ft', 'feet', 'foot']) ATOMS.set(name, ['length', 0.3048, true]);

/** Spelled in more than one word: normalised before the table is asked. */
const SPELLED: readonly (readonly [RegExp, string])[] = [
  [/^mm\s?Hg\b/iu, 'mmhg'],
  [/^(?:cm\s?(?:of\s)?H(?:2|₂)(?:O|0)|cm\s?water)\b/iu, 'cmh2o'],
  [/^(?:×|x|\*)\s?g\b/iu, '×g'],
  [/^rev(?:olution)?s?(?:\s?\/\s?|\sper\s)min(?:ute)?\b/iu, 'rpm'],
  [/^(?:year|yr)s?[\s-]olds?\b/iu, 'year'],
  [/^(?:standard deviations?)\b/iu, 'sd'],
  [/^per\s?cent\b/iu, '%'],
];

const CELSIUS = /^(?:(?:°|º|˚|deg(?:rees?)?)\s?C(?:elsius)?|Celsius)(?![\p{L}])|^C(?![\p{L}\p{N}-])/u;
const FAHRENHEIT =
  /^(?:(?:°|º|˚|deg(?:rees?)?)\s?F(?:ahrenheit)?|Fahrenheit)(?![\p{L}])|^F(?![\p{L}\p{N}-])/u;
const POWER =
  /^\s*(?:[×xX*·]\s*)?10\s*(?:\^|\*\*|\*|[eE])?\s*(?:\(\s*)?([¹²³⁴⁵⁶⁷⁸⁹]+|\d{1,2})(?:\s*\))?(?=\s*(?:\/|per\b|[a-zµ]|$|[\s,.;)]))/u;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The unit at the start of `rest` (what follows a number), or undefined. Blanks or one hyphen may stand before it. */
export function readUnit(rest: string): Unit | undefined {
  const power = readPower(rest);
  const start = power?.length ?? 0;
  const lead =
    /^(?:-(?=\p{L})|\s(?:working|business|calendar|consecutive|full|whole|additional|further|more|extra)\s|\s{0,2})/u.exec(
      rest.slice(start),
    )?.[0].length ?? 0;
  const at = start + lead;
  const temperature = power === undefined ? readTemperature(rest.slice(at)) : undefined;
  if (temperature !== undefined) return { ...temperature, length: at + temperature.length };

  let first = readAtom(rest.slice(at));
  if (first !== undefined && first.name === '' && power === undefined && !/^\s*\//u.test(rest))
    first = undefined;
  let dimension: string;
  let factor = power?.factor ?? 1;
  let isRounded = false;
  let end: number;
  if (first === undefined) {
    // "× 10^9/L" and "/µL": a count per something.
    if (power === undefined && !/^\s?(?:\/|per\s)/u.test(rest)) return undefined;
    dimension = 'count';
    end = start;
  } else {
    dimension = first.atom[0];
    factor *= first.atom[1];
    isRounded = first.atom[2] ?? false;
    end = at + first.length;
  }
  const whole = readDenominators(rest.slice(end), { dimension, factor });
  if (whole.length === 0 && first === undefined && power === undefined) return undefined;
  if (whole.length === 0 && (first?.name === 'K' || first?.name === 'M')) return undefined;
  // "1815 s/p nephrectomy": a letter before an unknown denominator is no unit.
  if (whole.length === 0 && first?.name.length === 1 && /^\/\p{L}/u.test(rest.slice(end))) return undefined;
  return {
    dimension: whole.dimension,
    factor: whole.factor,
    length: end + whole.length,
    ...(isRounded ? { isRounded } : {}),
  };
}

function readDenominators(rest: string, start: { dimension: string; factor: number }) {
  let { dimension, factor } = start;
  let length = 0;
  for (;;) {
    const slash = /^\s?(?:\/|per\s|an?\s(?=(?:minute|hour|day)\b))\s?/u.exec(rest.slice(length));
    if (slash === null) break;
    const atom = readAtom(rest.slice(length + slash[0].length));
    if (atom === undefined) break;
    dimension += `/${atom.atom[0]}`;
    factor /= atom.atom[1];
    length += slash[0].length + atom.length;
    // eGFR's "/1.73 m²" says nothing that a sentence could alter.
    length += /^\s?\/\s?1[.,]73\s?m(?:2|²)/u.exec(rest.slice(length))?.[0].length ?? 0;
  }
  return { dimension, factor, length };
}

/** Rates of the heart are written "bpm" or "/min": one dimension. */
const BPM = /^bpm\b/iu;
const LPM = /^lpm\b/iu;

function readAtom(rest: string): { name: string; atom: Atom; length: number } | undefined {
  if (BPM.test(rest)) return { name: 'bpm', atom: ['count/time', 1 / 60], length: 3 };
  if (LPM.test(rest)) return { name: 'lpm', atom: ['volume/time', 1 / 60], length: 3 };
  for (const [pattern, name] of SPELLED) {
    const match = pattern.exec(rest);
    const atom = ATOMS.get(name);
    if (match !== null && atom !== undefined) return { name, atom, length: match[0].length };
  }
  const word = /^(?:y\/o|pack-years?|%|°|[\p{L}µ]+[³3]?)(?![\p{L}\p{N}])/u.exec(rest)?.[0];
  if (word === undefined) return undefined;
  const atom = ATOMS.get(word) ?? (/^[KM]$/iu.test(word) ? undefined : ATOMS.get(word.toLowerCase()));
  return atom === undefined ? undefined : { name: word, atom, length: word.length };
}

function readTemperature(rest: string): Unit | undefined {
  const celsius = CELSIUS.exec(rest);
  if (celsius !== null) return { dimension: 'temperature', factor: 1, length: celsius[0].length };
  const fahrenheit = FAHRENHEIT.exec(rest);
  if (fahrenheit === null) return undefined;
  return {
    dimension: 'temperature',
    factor: 5 / 9,
    offset: -160 / 9,
    isRounded: true,
    length: fahrenheit[0].length,
  };
}

function readPower(rest: string): { factor: number; length: number } | undefined {
  const match = POWER.exec(rest);
  const digits = match?.[1];
  if (match === null || digits === undefined) return undefined;
  const exponent = Number(
    [...digits].map((digit) => (SUPERSCRIPTS.includes(digit) ? SUPERSCRIPTS.indexOf(digit) : digit)).join(''),
  );
  return { factor: 10 ** exponent, length: match[0].length };
}
