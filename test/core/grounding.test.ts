import { test, expect, describe } from '@jest/globals';
import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { groundText } from '../../src/core/grounding.js';
import { splitSentences } from '../../src/core/text.js';
import type { Verdict } from '../../src/core/types.js';

interface Pair {
  readonly id: string;
  readonly source: string;
  readonly sentence: string;
  readonly label: 'supported' | 'altered';
}

function readPairs(name: string): Pair[] {
  const file = new URL(`../../../test/golden/${name}`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Pair);
}

function isSupported(sentence: string, text: string): boolean {
  const { sentences } = groundText(`${sentence} [S1]`, [{ key: 'S1', text }]);
  return sentences.every(({ verdict }) => verdict === 'supported');
}

function verdictOf(sentence: string, text: string): { verdict: Verdict | undefined; reasons: string } {
  const { sentences } = groundText(`${sentence} [S1]`, [{ key: 'S1', text }]);
  return { verdict: sentences[0]?.verdict, reasons: sentences[0]?.reasons.join('; ') ?? '' };
}

describe('one sentence against one source', () => {
  const pipetting =
    'Pipette 5 µL of standard. Spin at 1,500 × g for 10 min. Store at 2–8 °C for at least 24 hours.';
  const ward =
    'No chest pain, dyspnea or fever. Left lower lobe pneumonia. Lisinopril 10 mg daily held. Metoprolol 25 mg BID continued.';
  const rows: [sentence: string, source: string, verdict: Verdict, reason: string][] = [
    ['Pipette 5 mL of standard.', pipetting, 'contradicted', 'says 5 mL, the source 5 µL'],
    ['Use 0.005 mL of standard: pipette 5 mcL.', pipetting, 'supported', ''],
    ['Centrifuge for ten minutes at 1500 g.', pipetting, 'supported', ''],
    ['Store for ≥ 1 day between 2 and 8 °C.', pipetting, 'supported', ''],
    [
      'Store at 2–8 °C for at most 24 hours.',
      pipetting,
      'contradicted',
      'says at most 24 hours, the source at least 24 hours',
    ],
    ['The patient has no fever.', ward, 'supported', ''],
    ['The patient has a fever.', ward, 'contradicted', 'affirms "fever", the source denies it'],
    ['Pneumonia of the right lower lobe.', ward, 'contradicted', 'says right, the source Left'],
    ['LLL pneumonia.', ward, 'supported', ''],
    ['Metoprolol 10 mg daily.', ward, 'contradicted', 'the source'],
    ['Metoprolol held.', ward, 'contradicted', 'says held, the source continued'],
    ['Lisinopril on hold.', ward, 'supported', ''],
    ['Atenolol 25 mg BID continued.', ward, 'contradicted', 'says Atenolol, the source Metoprolol'],
    ['Renal biopsy showed amyloid.', ward, 'not-found', 'the source does not speak of'],
  ];
  test.each(rows)('%s', (sentence, source, verdict, reason) => {
    const found = verdictOf(sentence, source);
    expect(found).toMatchObject({ verdict });
    if (verdict === 'supported') expect(found.reasons).toBe('');
    else expect(found.reasons).toContain(reason);
  });
});

describe('citations', () => {
  const sources = [
    { key: 'S1', text: 'Potassium was 5.9 mmol/L this morning.' },
    { key: 'S2', text: 'Creatinine was 2.1 mg/dL.' },
    { key: 'S3', text: 'The patient walked 40 feet.' },
  ];

  test('marks before and after the full stop belong to their sentence', () => {
    const output = 'Potassium was 5.9 mmol/L [S1]. Creatinine was 2.1 mg/dL. [S2] He walked 40 feet.[S3]';
    const { sentences } = groundText(output, sources);
    expect(sentences.map(({ citations }) => citations)).toEqual([['S1'], ['S2'], ['S3']]);
    expect(sentences.map(({ verdict }) => verdict)).toEqual(['supported', 'supported', 'supported']);
    expect(output.slice(sentences[1]?.span.start, sentences[1]?.span.end)).toBe(
      'Creatinine was 2.1 mg/dL. [S2]',
    );
  });

  test.each([
    ['K 5.9, creatinine 2.1 [S1, S2].', ['S1', 'S2']],
    ['K 5.9, creatinine 2.1 [S1][S2].', ['S1', 'S2']],
    ['K 5.9, creatinine 2.1, walked 40 feet [S1-S3].', ['S1', 'S2', 'S3']],
    ['K 5.9, creatinine 2.1 [s1; S2].', ['S1', 'S2']],
  ])('%s is read together', (output, citations) => {
    expect(groundText(output, sources).sentences).toMatchObject([{ citations, verdict: 'supported' }]);
  });

  test('an invented key is named, whatever the other sources say', () => {
    const [sentence] = groundText('Potassium was 5.9 mmol/L [S1][S9].', sources).sentences;
    expect(sentence).toMatchObject({ verdict: 'not-found', reasons: ['cites S9, which does not exist'] });
  });

  test('the cited source decides, not another', () => {
    expect(groundText('Potassium was 5.9 mmol/L [S2].', sources).sentences[0]?.verdict).not.toBe('supported');
  });

  test('without citation: uncited, or searched for', () => {
    const output = 'Creatinine was 2.1 mg/dL. Creatinine was 3.1 mg/dL. A fox crossed the road.';
    expect(groundText(output, sources).sentences.map(({ verdict }) => verdict)).toEqual([
      'uncited',
      'uncited',
      'uncited',
    ]);
    const searched = groundText(output, sources, { searchAll: true }).sentences;
    expect(searched.map(({ verdict }) => verdict)).toEqual(['supported', 'contradicted', 'not-found']);
    expect(searched.map(({ citations }) => citations)).toEqual([['S2'], ['S2'], []]);
    expect(searched[1]?.reasons).toEqual(['says 3.1, the source 2.1']);
  });

  test('a search names the sources that say it together, and only these', () => {
    const [sentence] = groundText('K 5.9, creatinine 2.1.', sources, { searchAll: true }).sentences;
    expect(sentence).toMatchObject({ verdict: 'supported' });
    expect([...(sentence?.citations ?? [])].sort()).toEqual(['S1', 'S2']);
  });

  test('only the given spans are checked', () => {
    const output = '# Labs\nCreatinine was 2.1 mg/dL [S2].\nVerify against the controlled copy.';
    const start = output.indexOf('Creatinine');
    const { sentences } = groundText(output, sources, {
      spans: [{ start, end: output.indexOf('\nVerify') }],
    });
    expect(sentences).toHaveLength(1);
    expect(sentences[0]?.span.start).toBe(start);
  });
});

describe('numbered steps', () => {
  const sources = [
    { key: 'S1', text: '4. Mix the tube gently.\n5. Spin the tube for 10 min.\n6. Remove the plasma.' },
  ];
  test.each<[string, string, Verdict[]]>([
    [
      'numbered anew',
      '1. Mix the tube gently. [S1]\n2. Spin the tube for 10 min. [S1]',
      ['supported', 'supported'],
    ],
    [
      'exchanged',
      '1. Spin the tube for 10 min. [S1]\n2. Mix the tube gently. [S1]',
      ['supported', 'contradicted'],
    ],
    ['one with the wrong number', '5. Mix the tube gently. [S1]', ['contradicted']],
    ['one with its number', '4. Mix the tube gently. [S1]', ['supported']],
  ])('%s', (_, output, verdicts) => {
    expect(groundText(output, sources).sentences.map(({ verdict }) => verdict)).toEqual(verdicts);
  });
});

describe('pairs written for development', () => {
  test.each([
    ['grounding-dev.jsonl', 0.95, 0.05],
    ['grounding-more.jsonl', 0.95, 0.05],
  ])('%s: recall of alterations and false alarms', (name, minRecall, maxAlarms) => {
    const pairs = readPairs(name);
    const share = (label: Pair['label']): number => {
      const own = pairs.filter((pair) => pair.label === label);
      return own.filter(({ sentence, source }) => !isSupported(sentence, source)).length / own.length;
    };
    expect(share('altered')).toBeGreaterThanOrEqual(minRecall);
    expect(share('supported')).toBeLessThanOrEqual(maxAlarms);
  });

  const sources = [...new Set(readPairs('grounding-more.jsonl').map(({ source }) => source))];
  const quotes = sources.flatMap((source) =>
    splitSentences(source).map(({ start, end }) => ({ source, sentence: source.slice(start, end) })),
  );

  test('a sentence quoted verbatim is always supported', () => {
    const isWrong = ({ sentence, source }: { sentence: string; source: string }): boolean =>
      /\p{L}{2}/u.test(sentence) && !isSupported(sentence, source);
    expect(quotes.filter(isWrong)).toEqual([]);
  });

  test('with one number changed it never is', () => {
    const numbered = quotes.filter(({ sentence }) => /\d/u.test(sentence) && /\p{L}{2}/u.test(sentence));
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.integer({ min: 0, max: 3000 }), (which, place, value) => {
        const { sentence, source } = numbered[which % numbered.length] ?? { sentence: '', source: '' };
        const numbers = [...sentence.matchAll(/\d+(?:\.\d+)?/gu)];
        const old = numbers[place % numbers.length];
        if (old === undefined || Number(old[0]) === value) return true;
        const changed = sentence.slice(0, old.index) + value + sentence.slice(old.index + old[0].length);
        return source.includes(changed) || !isSupported(changed, source);
      }),
      { numRuns: 400 },
    );
  });
});

test('a hard-wrapped source and a table are read by their sense', () => {
  const wrapped =
    'The rotor is balanced, and tubes are spun at 1,800 × g for\n10 minutes with the brake on before the serum is\ndrawn off.';
  expect(isSupported('Tubes are spun for 10 min at 1800 g.', wrapped)).toBe(true);
  const table =
    '| Tube | Blood drawn (mL) | Lowest fill (mL) |\n|---|---|---|\n| Adult | 2.7 | 2.4 |\n| Pediatric | 1.8 | 1.6 |';
  expect(isSupported('The lowest fill of the pediatric tube is 1.6 mL.', table)).toBe(true);
  expect(isSupported('The lowest fill of the pediatric tube is 2.4 mL.', table)).toBe(false);
  expect(isSupported('The lowest fill of the pediatric tube is 1.6 µL.', table)).toBe(false);
});
