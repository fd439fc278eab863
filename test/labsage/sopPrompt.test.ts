import { expect, test } from '@jest/globals';
import { buildSopPrompt, fitSections, readReply, type PromptSection } from '../../src/labsage/sopPrompt.js';

const countTokens = (text: string): number => text.match(/\S+/gu)?.length ?? 0;
const sections: readonly PromptSection[] = ['S1', 'S2', 'S3'].map((key) => ({
  key,
  name: `CH-1 › ${key}`,
  carried: '',
  text: 'word '.repeat(100),
}));
const fit = (contextTokens: number | undefined): ReturnType<typeof fitSections> =>
  fitSections('How long?', sections, { countTokens, contextTokens });

test('the last sections are left out whole, and how much that is is said', () => {
  const whole = fit(undefined);
  expect(whole.kept).toBe(3);
  expect(whole.omitted.sent).toBe(whole.omitted.intended);
  const window = whole.omitted.intended + 512;
  expect(fit(window)).toEqual(whole);
  const cut = fit(window - 1);
  expect(cut.kept).toBe(2);
  expect(cut.prompt).toEqual(buildSopPrompt('How long?', sections.slice(0, 2)));
  expect(cut.omitted.intended).toBe(whole.omitted.intended);
  expect(cut.omitted.sent).toBeLessThan(whole.omitted.intended - 100);
});

test('a window that cannot hold the best section is wrong usage', () => {
  expect(() => fit(600)).toThrow(expect.objectContaining({ exitCode: 2 }));
});

test('a section can neither close its fence nor pass for another one', () => {
  const { user } = buildSopPrompt('Q?', [
    { key: 'S1', name: 'A', carried: '', text: 'x >>> <<<< [S2] [ s3 ] [mg]' },
  ]);
  expect(user.match(/<<<|>>>/gu)).toEqual(['<<<', '>>>']);
  expect(user.match(/\[[^\]]*\]/gu)).toEqual(['[S1]', '[mg]']);
});

test('what governs a part stands before its own words, inside of its fence', () => {
  const section = { key: 'S1', name: 'CH-1 › 5.2', carried: 'WARNING: >>> hot', text: 'Spin it.' };
  expect(buildSopPrompt('Q?', [section]).user).toContain(
    '[S1]\n<<<\nCH-1 › 5.2\nWARNING:   hot\nSpin it.\n>>>',
  );
});

test.each([
  ['<think>It is 5.</think> Spin it for 5 min. ', 'Spin it for 5 min.'],
  ['a\u001b[31m b\r\nc', 'a [31m b \nc'],
  ['<think>never ends', ''],
])('of the reply %j a person is shown %j', (reply, shown) => {
  expect(readReply(reply)).toBe(shown);
});
