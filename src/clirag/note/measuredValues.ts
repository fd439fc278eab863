/** Sentences of a chart → the values that they state, by what was measured: for the latest one, and for changes between visits. */

/** What is measured, with the words for it. Case counts where a word is short. */
// prettier-ignore
const MEASURES: readonly (readonly [name: string, words: string])[] = [
  ['Temperature', 'Tmax|T max|Temp|temperature|Temperature|T'], ['Heart rate', 'HR|heart rate|Heart Rate|Heart rate|P'],
  ['Blood pressure', 'BP|Blood Pressure|Blood pressure|NBP|ABP'], ['MAP', 'MAP'], ['Respiratory rate', 'RR|resp rate|Respiratory Rate|Respiratory rate'],
  ['SpO2', 'SpO2|SPO2|O2 sat|O2 Sat|sats?|Sats?|O2 Saturation|Oxygen saturation'], ['Creatinine', 'Cr|cr|creat|Creat|creatinine|Creatinine|Creat'],
  ['Potassium', 'K|potassium|Potassium'], ['Sodium', 'Na|sodium|Sodium'], ['Hematocrit', 'Hct|HCT|hct|hematocrit|Hematocrit'],
  ['Hemoglobin', 'Hgb|Hb|hemoglobin|Hemoglobin'], ['White cells', 'WBC|wbc|white count|White count'], ['Platelets', 'Plt|plt|PLT|platelets|Platelets|Plts'],
  ['Lactate', 'lactate|Lactate|lact|Lact'], ['INR', 'INR|inr'], ['PTT', 'PTT|ptt'], ['Glucose', 'glucose|Glucose|FS|FSBG|BG|fingerstick|D-stick|gluc'],
  ['AST', 'AST'], ['ALT', 'ALT'], ['Bilirubin', 'bili|Bili|bilirubin|Bilirubin|T bili|Tbili'], ['BUN', 'BUN'], ['Magnesium', 'Mg|magnesium|Magnesium'],
  ['Phosphate', 'Phos|phos|phosphate|Phosphate'], ['Weight', 'Wt|wt|weight|Weight'], ['FiO2', 'FiO2|FIO2'], ['Anion gap', 'gap|Gap|AG'],
  ['Bicarbonate', 'HCO3|bicarb|Bicarb|CO2'], ['Ammonia', 'NH3|ammonia|Ammonia'], ['CRP', 'CRP'], ['Troponin', 'trop|Trop|troponin|Troponin'],
  ['QTc', 'QTc'], ['GCS', 'GCS'], ['CIWA', 'CIWA'], ['pH', 'pH'], ['LVEF', 'LVEF|EF'], ['Chest tube output', 'chest tube|Chest tube|CT output'], ['Albumin', 'albumin|Albumin|alb'], ['A1c', 'A1c|HbA1c'],
];

export interface MeasuredValue {
  readonly name: string;
  /** As written. */
  readonly value: string;
  /** From the name to the end of the value, in the sentence. */
  readonly at: number;
  readonly end: number;
  /** `HH:MM` as the sentence says it for this value. */
  readonly time?: string;
  /** Another day's, marked as earlier (`3.5 yesterday`), or only aimed at. */
  readonly isEarlier: boolean;
}

/** `24,500` is one number; `9.5, 9.1` are two. */
const NUMBER = String.raw`(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?`;
/** Never the hours of a time (`PTT 10:00`). */
const VALUE = String.raw`[<>~]?\s?${NUMBER}(?!\d|:\d|\.\d|,\d{3}(?!\d))(?:\s?\/\s?${NUMBER})?(?:\s?-\s?${NUMBER})?%?`;
/** When it was measured, between the name and the value: `Hct 14:00 26.3`, `glucose at 0325 came back 57`. */
const TIME_BETWEEN = String.raw`(?:(?:@|at|\()?\s?(\d{1,2}:\d{2}|(?<=(?:at|@)\s?)\d{4}|(?:[01]\d|2[0-3])[0-5]\d(?=\s+[<>~]?\d))\)?:?\s+)?`;
const FILLERS = String.raw`(?:(?:was|is|of|at|now|still|up|down|to|repeat|random|level|back|came|peak|max)\s+){0,3}`;
/** Between the steps of a course: `3.0 (peak 10-6) -> 1.3`. */
const ASIDE = String.raw`(?:\s?\([^()]{1,24}\))?`;
const PATTERNS = MEASURES.map(
  ([name, words]) =>
    [
      name,
      new RegExp(
        String.raw`(?<![\p{L}\p{N}-])(?:${words})(?![\p{L}\p{N}])[\s:=]*${TIME_BETWEEN}${FILLERS}(${VALUE})(?:${ASIDE}\s*(?:->|→|to|>)\s*(${VALUE}))*`,
        'gu',
      ),
    ] as const,
);
/** An amount that is given (`Mg 2 g IV`), and no concentration (`glucose 271 mg/dL`). */
const GIVEN_AMOUNT = /^\s?(?:g|gm|grams?|mEq|mmol|mg|mcg|units?|u|mL|cc|L|amps?|tabs?)\b(?!\s?\/)/iu;
const MEASURED_AS_AMOUNT = new Set(['Weight', 'Chest tube output']);
/** The time of all that a sentence tells: `18:00 bili 11.9`, `ABG 0510 7.36`, `Sample 04:45 (venous): Hct 26.4`. */
const TIME_AHEAD =
  /^(?:\W|\p{L}+\s){0,3}(?:([01]?\d|2[0-3]):([0-5]\d)|(?<=(?:gas|at|@|labs?|[AV]BG)\s?)([01]\d|2[0-3])([0-5]\d))(?![\d:/.-])/iu;
const EARLIER =
  /^[^;,.]{0,14}\b(?:yesterday|baseline|prior|previous|at home|on admission|on arrival|at admission|last)\b/iu;
/** The depth of a passing event is no latest value. */
const EXTREME = /\b(?:spells?|desats?|desaturat\w*|nadir|lowest|highest|as (?:high|low) as)\b/iu;
/** Of another fluid than blood. */
const OTHER_FLUID =
  /\b(?:CSF|LP|lumbar puncture|cisternal tap|opening pressure|(?:pleural|ascitic|peritoneal|synovial|joint|pericardial|spinal) fluid|(?:para|thora)centesis|BAL|lavage|urinalysis)\b/iu;
/** What is aimed at or a condition is no value either. */
const AIMED = /\b(?:goal|target|until|if|for|wean\w*|keep|when|once)\s+(?:[\p{L}-]+\s+){0,2}$/iu;
const TIME_AFTER = /^\s*(?:%|C|mmol\/L|mg\/dL)?\s*(?:\(|@|at\s)\s*(\d{2}):?(\d{2})\b/u;

/** In text order. Of `5.8 -> 3.9` the last counts. Lists such as `Cr 3.4, 3.1` give the first. */
export function findValues(sentence: string): MeasuredValue[] {
  const found: MeasuredValue[] = [];
  const ahead = TIME_AHEAD.exec(sentence);
  for (const [name, pattern] of PATTERNS) {
    for (const match of sentence.matchAll(pattern)) {
      const [whole, between, first = '', last] = match;
      const rest = sentence.slice(match.index + whole.length);
      const value = (last ?? first).replace(/\s/gu, '');
      if (!MEASURED_AS_AMOUNT.has(name) && GIVEN_AMOUNT.test(rest)) continue;
      if (CLOCK_ALONE.test(value) && !MEASURED_AS_AMOUNT.has(name)) continue;
      const time = timeOf([TIME_AFTER.exec(rest), CLOCK.exec(between ?? ''), ahead]);
      found.push({
        name,
        value,
        at: match.index,
        end: match.index + whole.length,
        ...(time === undefined ? {} : { time }),
        isEarlier:
          EXTREME.test(sentence) ||
          OTHER_FLUID.test(/[^;.]*$/u.exec(sentence.slice(0, match.index))?.[0] ?? '') ||
          EARLIER.test(rest) ||
          AIMED.test(sentence.slice(Math.max(0, match.index - 24), match.index)),
      });
    }
  }
  return found.sort((a, b) => a.at - b.at);
}

/** `glucose at 0325` gives no value. */
const CLOCK_ALONE = /^(?:[01]\d|2[0-3])[0-5]\d$/u;
const CLOCK = /(\d{1,2}):?(\d{2})/u;

function timeOf(found: readonly (RegExpExecArray | null)[]): string | undefined {
  const match = found.find((one) => one !== null);
  return match == null
    ? undefined
    : `${(match[1] ?? match[3] ?? '').padStart(2, '0')}:${match[2] ?? match[4] ?? ''}`;
}
