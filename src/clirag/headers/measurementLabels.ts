/** The names of vital signs and laboratory values as they are charted: data. They are keys of values, never headers. */

/** Short names that are also words or initials: only in exactly this spelling. */
const EXACT =
  'T|P|R|K|Na|Cl|Ca|Mg|Cr|Phos|PO4|CO2|O2|pH|PT|PTT|Hb|Hct|Plt|Gap|AG|TV|VT|Vt|Ve|MV|Wt|Ht|Alb|EF|BG|FS|UO|UOP|WT|HT|HC|CVP|ICP|CPP|SV|CO|CI';
const ANY_CASE =
  'tmax|tcurrent|tmin|tm|tc|temp|temperature|hr|heart rate|pulse|bp|sbp|dbp|nbp|abp|art bp|map|blood pressure|rr|resp rate|respiratory rate|spo2|sao2|o2 sat|o2 sats|sat|sats|o2 saturation|oxygen saturation|fio2|peep|pip|plateau|rsbi|etco2|weight|height|bmi|ibw|ideal body weight|ideal tidal volume|wbc|rbc|hgb|hemoglobin|hct|hematocrit|plts?|platelets?|platelet count|mcv|mch|mchc|rdw|bands|neuts|lymphs|monos|eos|sodium|potassium|chloride|bicarb|bicarbonate|hco3|tco2|bun|urea|creatinine|creat|glucose|gluc|glu|calcium|ionized calcium|ica|magnesium|phosphate|phosphorus|anion gap|ast|alt|sgot|sgpt|alk phos|alkp|ldh|t bili|tbili|total bili|total bilirubin|bilirubin|d bili|direct bili|albumin|total protein|prealbumin|amylase|lipase|ammonia|inr|aptt|fibrinogen|d-dimer|troponin|troponin t|troponin i|trop|tropt|ck|cpk|ck-mb|ckmb|bnp|probnp|nt-probnp|lactate|lactic acid|pco2|paco2|po2|pao2|base excess|a1c|hba1c|tsh|free t4|cortisol|esr|crp|procalcitonin|csf wbc|vanco|vancomycin level|vanco trough|vanco random|digoxin level|tacro|tacrolimus level|uop|urine output|gcs|ciwa|rass|d-stick|dstick|bohb|etoh|osm|osmolality|uric acid|ferritin|iron|tibc|retic|haptoglobin|triglycerides|cholesterol|hdl|ldl|psa|ph';

const labelsByLength = (list: string): string =>
  list
    .split('|')
    .sort((a, b) => b.length - a.length)
    .map((label) => label.replace(/ /gu, '[ ]{1,2}').replace(/-/gu, '[- ]?'))
    .join('|');

/** Sources of regular expressions without groups; the second is to be matched without regard to case. */
export const EXACT_LABELS = labelsByLength(EXACT);
export const ANY_CASE_LABELS = labelsByLength(ANY_CASE);

const WHOLE_EXACT = new RegExp(`^(?:${EXACT_LABELS})$`, 'u');
const WHOLE_ANY_CASE = new RegExp(`^(?:${ANY_CASE_LABELS})$`, 'iu');

/** Also with what narrows it down: `Tmax (24 h)`, `BP left arm`, `HR 05:00`. */
export function isMeasurementLabel(words: string): boolean {
  const bare = words
    .replace(/\([^()]*\)/gu, ' ')
    .replace(/\b(?:today|yesterday|admission|on|at|in|am|pm|this morning|\d[\d:/-]*)\b.*$/iu, '')
    .trim();
  return WHOLE_EXACT.test(bare) || WHOLE_ANY_CASE.test(bare);
}
