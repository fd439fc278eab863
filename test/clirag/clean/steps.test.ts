/** Each step of the cleaning cascade by itself: what it changes, and what it must leave alone. */

import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { bulletEdits } from '../../../src/clirag/clean/bullets.js';
import { controlEdits } from '../../../src/clirag/clean/controls.js';
import { deidEdits } from '../../../src/clirag/clean/deidTokens.js';
import { headerEdits, titleCase } from '../../../src/clirag/clean/headerCase.js';
import { layoutEdits } from '../../../src/clirag/clean/layout.js';
import { lineEdits } from '../../../src/clirag/clean/lines.js';
import { entityEdits, markupEdits } from '../../../src/clirag/clean/markup.js';
import { measurementEdits } from '../../../src/clirag/clean/measurements.js';
import { applyEdits, type Edit } from '../../../src/clirag/clean/offsetMap.js';
import { pageHeaderEdits } from '../../../src/clirag/clean/pageHeaders.js';
import { symbolEdits } from '../../../src/clirag/clean/symbols.js';

function table(
  step: (text: string) => Edit[],
  cases: readonly (readonly [raw: string, clean: string])[],
): void {
  test.each(cases.map(([raw, clean]) => [JSON.stringify(raw), raw, clean]))('%s', (_, raw, clean) => {
    expect(applyEdits(raw, step(raw)).text).toBe(clean);
    expect(applyEdits(clean, step(clean)).text).toBe(clean);
  });
}

describe('de-identification tokens', () => {
  table(deidEdits, [
    ['seen [**5-2**], cough; RN [**Initial 7**] aware', 'seen 5/2, cough; RN [name] aware'],
    ['Mr. [**Known\nlastname 7**] fell', 'Mr. [name] fell'],
    ['on [**2154-3-2**] and [**2154-3**], since [**2149**]', 'on 2154-03-02 and 2154-03, since 2149'],
    ['at [**Hospital1 18**], call [**Telephone/Fax (1) 45**]', 'at [hospital], call [phone]'],
    [
      'Dr. [**Last Name (STitle) **] of [**Company 1191**] in [**Location (un) 55**]',
      'Dr. [name] of [organisation] in [place]',
    ],
    // What stood for a value is no date and no age.
    ['BP [**1-27**] mean 38', 'BP [value removed] mean 38'],
    ['Pain [**8-21**] on arrival', 'Pain [value removed] on arrival'],
    ['for [**3-4**] days', 'for [value removed] days'],
    ['sat [**Age over 90 **]% on RA', 'sat [value removed]% on RA'],
    ['mother alive, [**Age over 90 **]', 'mother alive, age over 90'],
    // Never closed, half closed, nested, closed without being opened.
    ['an admission of [**First Name', 'an admission of [name]'],
    ['daughter [**First Name (Titles) wants to be told', 'daughter [name] wants to be told'],
    ['by [**Known lastname 5**, who', 'by [name], who'],
    ['[**Hospital [**Location 5**] 18**] clinic', '[hospital] clinic'],
    ['left **] alone', 'left  alone'],
    ['empty [** **] one', 'empty  one'],
    ['[**First Name8 (NamePattern2) 51**][**Last Name (STitle) 7**]', '[name] [name]'],
    // The mark that would close the first token belongs to the second.
    ['[**Doctor Last Name sees her on [**5-2**]', '[name] sees her on 5/2'],
    [
      '[**First Name wants to be told before any tube is placed **] today',
      '[name] wants to be told before any tube is placed  today',
    ],
    ['[**2154-13-45**]', '[value removed]'],
  ]);

  test('text between tokens is always kept and no mark is left', () => {
    const kinds = fc.constantFrom(
      '[**2154-3-2**]',
      '[**5-2**]',
      '[**Known lastname 12**]',
      '[**Hospital1 18**]',
      '[**Age over 90 **]',
      '[**Telephone/Fax (1) 4**]',
      '[**Known\nlastname 7**]',
    );
    // Words that no token's kind contains.
    const words = fc
      .array(fc.constantFrom('cough', 'fever', 'denies', 'lasix', 'bilat', 'stable', 'edema'), {
        minLength: 1,
        maxLength: 6,
      })
      .map((list) => list.join(' '));
    fc.assert(
      fc.property(fc.array(fc.tuple(kinds, words), { minLength: 1, maxLength: 8 }), (parts) => {
        const raw = parts.map(([token, between]) => `${token} ${between}`).join(' ');
        const { text } = applyEdits(raw, deidEdits(raw));
        expect(text).not.toMatch(/\[\*\*|\*\*\]/u);
        const kept = text
          .replace(/\[[a-z ]+\]|[\d/-]+|age over 90/gu, ' ')
          .split(/\s+/u)
          .filter((word) => word !== '');
        expect(kept).toEqual(parts.flatMap(([, between]) => between.split(' ')));
      }),
    );
  });

  test('no mark is left, whatever the text', () => {
    const pieces = fc.array(
      fc.constantFrom('[**', '**]', '[', '*', ']', '5-2', 'First Name', ' words ', '\n', '**'),
      { maxLength: 20 },
    );
    fc.assert(
      fc.property(pieces, (parts) => {
        const raw = parts.join('');
        let text = applyEdits(raw, deidEdits(raw)).text;
        // What is left of broken marks may stand together as a new one; the cascade runs until none is left.
        for (let round = 0; round < parts.length && /\[\*\*|\*\*\]/u.test(text); round++)
          text = applyEdits(text, deidEdits(text)).text;
        expect(text).not.toMatch(/\[\*\*|\*\*\]/u);
      }),
    );
  });
});

describe('symbols', () => {
  table(symbolEdits, [
    ['SpO2 ≥ 92% → weaned', 'SpO2 >= 92% -> weaned'],
    ['6½ cm, ½ ppd', '6 1/2 cm, 1/2 ppd'],
    ['10³ cells, BSA 1.9 m²', '10^3 cells, BSA 1.9 m2'],
    ['37.9°C and 22°', '37.9 deg C and 22 deg'],
    ['“fine” – he’s ok', '"fine" - he\'s ok'],
    ['↑ WOB, K↓', 'increased WOB, K decreased'],
    ['10 µg, 5\u00A0mg', '10 ug, 5 mg'],
    ['Zoë Müller', 'Zoë Müller'],
  ]);
});

describe('control characters', () => {
  table(controlEdits, [
    ['a\r\nb\rc\x0bd', 'a\nb\nc\nd'],
    ['called\x1faware', 'called aware'],
    ['done.\x1f', 'done.'],
    ['tab\tstays', 'tab\tstays'],
    ['half \uD83D pair', 'half  pair'],
  ]);
});

describe('markup', () => {
  table(entityEdits, [
    ['a&nbsp;b &amp;nbsp; c &lt; 5 &#176;', 'a b   c < 5  deg '],
    ['AT&T; stays', 'AT&T; stays'],
  ]);
  table(markupEdits, [
    ['informed 07:10 <br>no further', 'informed 07:10 \nno further'],
    ['<span onclick="javascript:void(0)">verify</span>', 'verify'],
    ['onclick="return openPanel();" wife', ' wife'],
    ['onclick="expandOrders(this)"  javascript:void(0)', '  '],
    ['before <script>var a = 1 < 2;</script> after', 'before  after'],
    ['trop <0.01, MAP < 65 and > 50', 'trop <0.01, MAP < 65 and > 50'],
    ['teach-back 3/5 initForm();', 'teach-back 3/5 '],
  ]);
});

describe('page headers', () => {
  table(pageHeaderEdits, [
    [
      'minor basal\n        (Over)\n\n [**2154-3-2**] 4:35 AM\n CHEST   Clip # 7\n FINAL REPORT\n (Cont)\n atelectasis.',
      'minor basal atelectasis.',
    ],
    [
      'air is\nPage 2 of 2  [**Hospital1 18**]  MRN [**Medical Record Number 31**]\nprogressing',
      'air is progressing',
    ],
    ['page 1 and discharge orders', 'page 1 and discharge orders'],
    ['above\n_________________\nbelow', 'above\n\nbelow'],
  ]);
});

describe('bullets', () => {
  table(bulletEdits, [
    ['* a\n• b\no c\n-  d\n◦e', '- a\n- b\n- c\n- d\n- e'],
    ['1) a\n(2) b\n3. c', '1. a\n2. b\n3. c'],
    ['#DKA: insulin\n# AF', '# DKA: insulin\n# AF'],
    ['-20 cm H2O', '-20 cm H2O'],
    ['O: alert', 'O: alert'],
  ]);
});

describe('measurements', () => {
  table(measurementEdits, [
    ['WBC 14.2   Hct 36.8   Plt 148', 'WBC: 14.2, Hct: 36.8, Plt: 148'],
    ['T 36.4  HR 124  BP 82/40  SpO2 97% RA', 'T: 36.4, HR: 124, BP: 82/40, SpO2: 97% RA'],
    ['WBC\n17.5', 'WBC: 17.5'],
    ['Tmax: 37.9 C (100.2 F)', 'Tmax: 37.9 C (100.2 F)'],
    [
      '| 134 | 101 | 58 |\n| 6.7 |  17 | 3.4 | Glu 168',
      'Na: 134, Cl: 101, BUN: 58\nK: 6.7, HCO3: 17, Cr: 3.4, glucose: 168',
    ],
    [
      '128 |  90 | 44 / 612\n6.9 |   8 | 2.1 \\    gap 30',
      'Na: 128, Cl: 90, BUN: 44, glucose: 612\nK: 6.9, HCO3: 8, Cr: 2.1, gap 30',
    ],
    // Three figures that can be no panel, a therapy, a condition, running text.
    ['| 12 | 14 | 16 |\n| 1 | 2 | 3 |', '| 12 | 14 | 16 |\n| 1 | 2 | 3 |'],
    ['PT 3 times a week', 'PT 3 times a week'],
    ['give KCl once K < 5.0', 'give KCl once K < 5.0'],
    [
      'He was seen because the glucose 44 at noon was a keying error',
      'He was seen because the glucose 44 at noon was a keying error',
    ],
  ]);
});

const WRAPPED = `She complained of a sore throat and of being cold during the whole night,
and no fever was found on two occasions; the nurse gave her a blanket and
tea. She slept.`;

describe('lines', () => {
  test('wrapped lines are joined, the author’s breaks are kept', () => {
    const text = applyEdits(WRAPPED, lineEdits(WRAPPED)).text;
    expect(text.split('\n')).toHaveLength(1);
  });
  table(lineEdits, [
    ['neuro: alert\ncv: regular\nskin: intact', 'neuro: alert\ncv: regular\nskin: intact'],
    ['BP 118/70\nHR 88\nRR 16', 'BP 118/70\nHR 88\nRR 16'],
  ]);
  test('a header is never joined to the line before it', () => {
    const text = `${WRAPPED}\nFOOT CARE\nDry skin on both heels.`;
    expect(applyEdits(text, lineEdits(text)).text).toContain('slept.\nFOOT CARE\nDry');
  });
});

describe('layout', () => {
  table(layoutEdits, [
    ['  a   \n\n\n\n b \t c  ', 'a\n\nb c'],
    ['Limb      Ankle   ABI\nRight      70     0.52', 'Limb | Ankle | ABI\nRight | 70 | 0.52'],
    ['| a | b |\n|---|---|\n| 1 | 2 |', '| a | b |\n| 1 | 2 |'],
    ['One.  Two.  Three.', 'One. Two. Three.'],
  ]);
});

describe('headers', () => {
  table(headerEdits, [
    ['ASSESSMENT AND PLAN:\nstable', 'Assessment and Plan:\nstable'],
    ['PHYSICAL EXAM\nGen: well', 'Physical Exam:\nGen: well'],
    ['FAMILY HISTORY   Father: colon cancer', 'Family History: Father: colon cancer'],
  ]);
  test.each([
    ['HEENT', 'HEENT'],
    ['GI/GU', 'GI/GU'],
    ['FOOT CARE', 'Foot Care'],
    ['REASON FOR THIS EXAMINATION', 'Reason for This Examination'],
    ['gi/gu', 'GI/GU'],
    ['Past medical history', 'Past medical history'],
  ])('%s is written %s', (words, written) => {
    expect(titleCase(words)).toBe(written);
  });
});
