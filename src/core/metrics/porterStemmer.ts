/**
 * English word → its Porter stem, as NLTK's PorterStemmer gives it in its default mode (NLTK_EXTENSIONS).
 *
 * npm's `stemmer` 2 (which the keyword index uses, where only sameness matters) is Porter's original algorithm: 36 of
 * the 1,127 golden stems differ ("days" → "dai" for "day", "dying" → "dy" for "die", "dry" → "dry" for "dri"), and
 * ROUGE scores made with it would not compare with published ones.
 *
 * M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980; step names are the paper's.
 */

/** What is tried in order; the first rule whose suffix fits decides, even where its condition then fails. */
interface Rule {
  readonly suffix: string;
  readonly replacement: string;
}

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ['sky', 'sky'],
  ['skies', 'sky'],
  ['dying', 'die'],
  ['lying', 'lie'],
  ['tying', 'tie'],
  ['news', 'news'],
  ['inning', 'inning'],
  ['innings', 'inning'],
  ['outing', 'outing'],
  ['outings', 'outing'],
  ['canning', 'canning'],
  ['cannings', 'canning'],
  ['howe', 'howe'],
  ['proceed', 'proceed'],
  ['exceed', 'exceed'],
  ['succeed', 'succeed'],
]);

const STEP_1A = toRules('sses:ss ies:i ss:ss s:');
const STEP_2 = toRules(
  'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize ' +
    'ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful',
);
const STEP_3 = toRules('icate:ic ative: alize:al iciti:ic ical:ic ful: ness:');
const STEP_4 = toRules(
  'al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:',
);

/** Any word; lower-cased first. Words of one or two letters stay as they are. */
export function porterStem(word: string): string {
  const lower = word.toLowerCase();
  const irregular = IRREGULAR.get(lower);
  if (irregular !== undefined) return irregular;
  if (lower.length <= 2) return lower;
  return step5(step4(step3(step2(step1c(step1b(step1a(lower)))))));
}

/** Plurals. */
function step1a(word: string): string {
  if (word.length === 4 && word.endsWith('ies')) return word.slice(0, -1);
  return replaceSuffix(word, STEP_1A, () => true);
}

/** Past tenses and gerunds; what remains is given back its `e` or loses a doubled consonant. */
function step1b(word: string): string {
  if (word.endsWith('ied')) return word.slice(0, word.length === 4 ? -1 : -2);
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const stem = word.endsWith('ed') ? word.slice(0, -2) : word.endsWith('ing') ? word.slice(0, -3) : undefined;
  if (stem === undefined || !hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/u.test(stem)) return `${stem}e`;
  if (endsWithDoubleConsonant(stem)) return /[lsz]$/u.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsWithShortSyllable(stem) ? `${stem}e` : stem;
}

/** `y` after a consonant that does not begin the word becomes `i`: "dry" → "dri", but "by" and "day" stay. */
function step1c(word: string): string {
  const stem = word.slice(0, -1);
  return word.endsWith('y') && stem.length > 1 && toConsonants(stem).at(-1) === true ? `${stem}i` : word;
}

function step2(word: string): string {
  if (word.endsWith('alli') && measure(word.slice(0, -4)) > 0) return step2(word.slice(0, -2));
  if (word.endsWith('logi')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  return replaceSuffix(word, STEP_2, (stem) => measure(stem) > 0);
}

function step3(word: string): string {
  return replaceSuffix(word, STEP_3, (stem) => measure(stem) > 0);
}

function step4(word: string): string {
  return replaceSuffix(
    word,
    STEP_4,
    (stem, suffix) => measure(stem) > 1 && (suffix !== 'ion' || /[st]$/u.test(stem)),
  );
}

/** A final `e`, then one of two final `l`. */
function step5(word: string): string {
  let reduced = word;
  if (word.endsWith('e')) {
    const stem = word.slice(0, -1);
    const syllables = measure(stem);
    if (syllables > 1 || (syllables === 1 && !endsWithShortSyllable(stem))) reduced = stem;
  }
  return reduced.endsWith('ll') && measure(reduced.slice(0, -1)) > 1 ? reduced.slice(0, -1) : reduced;
}

function toRules(list: string): Rule[] {
  return list.split(' ').map((rule) => {
    const colon = rule.indexOf(':');
    return { suffix: rule.slice(0, colon), replacement: rule.slice(colon + 1) };
  });
}

function replaceSuffix(
  word: string,
  rules: readonly Rule[],
  condition: (stem: string, suffix: string) => boolean,
): string {
  const rule = rules.find(({ suffix }) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const stem = word.slice(0, word.length - rule.suffix.length);
  return condition(stem, rule.suffix) ? stem + rule.replacement : word;
}

/** For each letter whether it is a consonant; `y` is one at the start of a word and after a vowel. */
function toConsonants(word: string): boolean[] {
  const consonants: boolean[] = [];
  for (let at = 0; at < word.length; at++) {
    const letter = word.charAt(at);
    consonants.push(letter === 'y' ? consonants[at - 1] !== true : !'aeiou'.includes(letter));
  }
  return consonants;
}

/** The paper's m: how often a vowel is followed by a consonant. */
function measure(stem: string): number {
  const consonants = toConsonants(stem);
  return consonants.filter((consonant, at) => consonant && consonants[at - 1] === false).length;
}

function hasVowel(stem: string): boolean {
  return toConsonants(stem).includes(false);
}

function endsWithDoubleConsonant(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && toConsonants(word).at(-1) === true;
}

/** The paper's *o: consonant, vowel, consonant other than w, x, y; by NLTK's extension also vowel, consonant alone. */
function endsWithShortSyllable(word: string): boolean {
  const [first, second, third] = toConsonants(word).slice(-3);
  if (word.length === 2) return first === false && second === true;
  return first === true && second === false && third === true && !/[wxy]$/u.test(word);
}
