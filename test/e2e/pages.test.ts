/** The pages of `ask --html` and `note --format html` in a real browser, without a network: clicked, by keyboard, dark, printed. */

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type Page } from 'playwright-core';
import { packageRoot } from '../../src/core/config.js';
import { clirag, labsage } from './runBin.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const FLAGS = ['no-sandbox', 'disable-gpu', 'disable-quic', 'no-first-run', 'disable-background-networking']
  .concat(['disable-component-update', 'disable-sync'])
  .map((flag) => `--${flag}`);
const inBrowser = existsSync(CHROMIUM) ? test : test.skip;

let folder = '';
let browser: Browser | undefined;
beforeAll(async () => {
  if (!existsSync(CHROMIUM)) return;
  folder = mkdtempSync(join(tmpdir(), 'labsage pages '));
  const sop = join(packageRoot, 'corpora', 'sops', 'chemistry', 'CH-014-plasma-ammonia.txt');
  const charts = join(packageRoot, 'corpora', 'charts', 'NOTEEVENTS.csv');
  const question = 'What is the minimum volume for plasma ammonia?';
  const note = ['note', '--patient', '40001', '--visit', '2154-03-03', '--embedder', 'minilm'];
  const ended = [
    await labsage(['index', sop, '--embedder', 'minilm', '--quiet'], { cwd: folder }),
    await labsage(['ask', question, '--html', 'answer.html'], { cwd: folder }),
    await clirag(['index', charts, '--quiet'], { cwd: folder }),
    await clirag([...note, '--format', 'html', '--out', 'note.html'], { cwd: folder }),
  ];
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}, 180_000);
afterAll(async () => {
  await browser?.close();
  if (folder !== '') rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  readonly page: Page;
  /** Requests other than of the page itself, and lines of the console, as the content policy's are. */
  readonly unwanted: readonly string[];
}

async function openPage(name: string, scheme: 'light' | 'dark' = 'light'): Promise<Opened> {
  const context = await browser?.newContext({ colorScheme: scheme, offline: true });
  const page = await context?.newPage();
  if (page === undefined) throw new Error('there is no browser');
  const unwanted: string[] = [];
  const url = pathToFileURL(join(folder, name)).href;
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url) unwanted.push(request.url());
  });
  page.on('console', (line) => unwanted.push(line.text()));
  page.on('pageerror', (error) => unwanted.push(String(error)));
  await page.goto(url);
  return { page, unwanted };
}

/** What is highlighted and can be seen. */
async function highlighted(page: Page): Promise<string> {
  const mark = page.locator('mark:target, :target mark').first();
  await mark.waitFor({ state: 'visible', timeout: 5000 });
  const box = await mark.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  expect(box !== null && box.y + box.height > 0 && box.y < height).toBe(true);
  const ground = await page.evaluate<string>(
    "getComputedStyle(document.querySelector('mark:target, :target mark')).backgroundColor",
  );
  expect(ground).toBe('rgb(255, 210, 63)');
  return mark.innerText();
}

const bare = (text: string): string =>
  text
    .replace(/\s*\[S\d+\]$/u, '')
    .replace(/\.$/u, '')
    .trim();

inBrowser.each(['answer.html', 'note.html'])(
  '%s: a click on a sentence highlights its own words in the source beside it (skipped where there is no Chromium)',
  async (name) => {
    const { page, unwanted } = await openPage(name);
    // In a note, what was not quoted word for word (a change since the visit before) leads to a whole source.
    const claims = page.locator('a.claim[href^="#a-proof-"], a.claim[href^="#note-S"][href$="-1"]');
    const count = await claims.count();
    expect(count).toBeGreaterThan(1);
    for (const at of [0, count - 1]) {
      const claim = claims.nth(at);
      const words = await claim.innerText();
      await claim.click();
      const found = await highlighted(page);
      expect(bare(words)).toContain(bare(found));
    }
    expect(unwanted).toEqual([]);
  },
  60_000,
);

inBrowser.each(['answer.html', 'note.html'])(
  '%s by keyboard: Tab reaches a sentence, shows where it is, and Enter highlights its source',
  async (name) => {
    const { page } = await openPage(name);
    const isClaim = (): Promise<boolean> =>
      page.evaluate<boolean>("document.activeElement.classList.contains('claim')");
    for (let press = 0; press < 20 && !(await isClaim()); press++) await page.keyboard.press('Tab');
    expect(await isClaim()).toBe(true);
    const outline = await page.evaluate<string>('getComputedStyle(document.activeElement).outlineStyle');
    expect(outline).toBe('solid');
    const words = await page.evaluate<string>('document.activeElement.textContent');
    await page.keyboard.press('Enter');
    expect(bare(words)).toContain(bare(await highlighted(page)));
  },
  60_000,
);

inBrowser.each(['answer.html', 'note.html'])(
  '%s is dark where the system is, and printed whole on white',
  async (name) => {
    const groundOf = (page: Page): Promise<string> =>
      page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const { page: light } = await openPage(name);
    const { page: dark } = await openPage(name, 'dark');
    expect([await groundOf(light), await groundOf(dark)]).toEqual(['rgb(255, 255, 255)', 'rgb(20, 24, 28)']);
    await light.emulateMedia({ media: 'print' });
    expect(await light.locator('nav').isVisible()).toBe(false);
    const isCut = await light.evaluate<boolean>(
      "[...document.querySelectorAll('body *')].some((one) => getComputedStyle(one).overflowY !== 'visible')",
    );
    expect(isCut).toBe(false);
    expect((await light.pdf()).subarray(0, 4).toString()).toBe('%PDF');
  },
  60_000,
);

inBrowser(
  'a script in a page would not run: the policy allows none',
  async () => {
    const { page, unwanted } = await openPage('answer.html');
    await page.evaluate(
      `const script = document.createElement('script');
     script.textContent = "document.title = 'it ran'";
     document.body.append(script);`,
    );
    expect(await page.title()).not.toBe('it ran');
    expect(unwanted.join(' ')).toMatch(/Content Security Policy/u);
  },
  60_000,
);
