import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../src/core/config.js';
import { inTemporaryFolder, writeFiles } from './temporaryFolder.js';

const SOURCE = join(packageRoot, 'src');

/** Longest file, in lines. */
const FILE_LINES = 400;

/** Slow to load or large: a command line that does not need them must not pay for them. */
const HEAVY = [
  'undici',
  '@modelcontextprotocol/sdk',
  '@pnpm/tabtab',
  '@huggingface/transformers',
  '@huggingface/tokenizers',
  'onnxruntime-node',
  'vectra',
  'chromadb',
  'pdfjs-dist',
  'mammoth',
  'parse5',
  'saxes',
  'yauzl',
  'mdast-util-from-markdown',
  'mdast-util-gfm',
  'micromark-extension-gfm',
  'iconv-lite',
  'chardet',
  'csv-parse',
  'zod',
  'ora',
  'cli-table3',
  'proper-lockfile',
  'env-paths',
  'minisearch',
];

interface SourceFile {
  /** From `src`, `/`-separated. */
  readonly name: string;
  readonly text: string;
  /** Modules that are loaded with it: own files by name, packages by theirs. */
  readonly imports: readonly string[];
}

const files: readonly SourceFile[] = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts'))
  .map((name) => {
    const text = readFileSync(join(SOURCE, name), 'utf8');
    return { name, text, imports: importsOf(name, text) };
  });

/** Static imports and re-exports that are left after compiling: those of types alone are not. */
function importsOf(name: string, text: string): string[] {
  const statements = text.matchAll(
    /^(?:import|export)\s+(?!type\b)(?:([^;'"]*?)\s+from\s+)?['"]([^'"]+)['"]/gmu,
  );
  return [...statements].flatMap(([, clause, from = '']) => {
    const isTypesOnly = /^\{(?:\s*type\s+[^,}]+,?)+\s*\}$/u.test(clause?.trim() ?? '');
    return isTypesOnly ? [] : [resolveImport(name, from)];
  });
}

function resolveImport(name: string, from: string): string {
  if (!from.startsWith('.')) return from;
  return relative(SOURCE, resolve(SOURCE, dirname(name), from))
    .replaceAll('\\', '/')
    .replace(/\.js$/u, '.ts');
}

/** Also of types, and dynamic: what a file knows of at all. */
function mentions({ name, text }: SourceFile): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/gu)].map(([, from = '']) =>
    resolveImport(name, from),
  );
}

test('there are files to look at, and their imports are read', () => {
  expect(files.length).toBeGreaterThan(50);
  const cli = files.find(({ name }) => name === 'labsage/cli.ts');
  expect(cli?.imports).toContain('commander');
  expect(cli?.imports).toContain('core/program.ts');
});

test.each([
  ['core', ['labsage/', 'clirag/']],
  ['labsage', ['clirag/']],
  ['clirag', ['labsage/']],
])('%s imports nothing of %j', (part, others) => {
  const crossing = files
    .filter(({ name }) => name.startsWith(`${part}/`))
    .flatMap((file) =>
      mentions(file)
        .filter((to) => others.some((other) => to.startsWith(other)))
        .map((to) => `${file.name} → ${to}`),
    );
  expect(crossing).toEqual([]);
});

test('no file imports itself in a circle', () => {
  const byName = new Map(files.map((file) => [file.name, file]));
  const state = new Map<string, 'open' | 'done'>();
  const circles: string[] = [];
  const visit = (name: string, path: readonly string[]): void => {
    if (state.get(name) === 'open') circles.push([...path.slice(path.indexOf(name)), name].join(' → '));
    if (state.has(name)) return;
    state.set(name, 'open');
    for (const next of byName.get(name)?.imports ?? []) if (byName.has(next)) visit(next, [...path, name]);
    state.set(name, 'done');
  };
  for (const { name } of files) visit(name, []);
  expect(circles).toEqual([]);
});

/** The stages in which data flows (longest prefix wins): a file knows nothing of a later stage than its own. */
const FLOW: readonly (readonly string[])[] = [
  [
    'labsage/documents/',
    'labsage/document.ts',
    'labsage/documents/sopFiles.ts',
    'labsage/documents/gitFiles.ts',
    'labsage/describe.ts',
    'labsage/contextUnits.ts',
    'labsage/documentSections.ts',
    'labsage/searchUnits.ts',
    'labsage/index/indexFormat.ts',
    'labsage/units.ts',
    'labsage/cutWorker.ts',
    'labsage/cutFiles.ts',
    'labsage/unitRecords.ts',
    'labsage/question/',
    'labsage/index/',
    'labsage/sopIndex.ts',
    'labsage/buildIndex.ts',
    'labsage/compareIndex.ts',
    'labsage/verifyIndex.ts',
    'labsage/termScores.ts',
    'labsage/retrieve.ts',
    'labsage/evidence/',
    'labsage/answer.ts',
    'labsage/sopPrompt.ts',
    'labsage/writtenAnswer.ts',
    'labsage/renderAnswer.ts',
    'labsage/lists/',
    'labsage/evaluation/questions.ts',
    'labsage/evaluation/containment.ts',
    'labsage/records/',
    'labsage/impact/',
    'labsage/evaluation/',
    'labsage/commands/',
    'labsage/cli',
  ],
  [
    'clirag/headers/',
    'clirag/clean/',
    'clirag/clean.ts',
    'clirag/sections.ts',
    'clirag/ingest/noteTypes.ts',
    'clirag/ingest/csvRecords.ts',
    'clirag/ingest/noteSources.ts',
    'clirag/notes.ts',
    'clirag/chunks.ts',
    'clirag/store/compareIds.ts',
    'clirag/store/nearestIds.ts',
    'clirag/visits.ts',
    'clirag/store/',
    'clirag/chartStore.ts',
    'clirag/ingest/',
    'clirag/store/embedStore.ts',
    'clirag/retrieval/',
    'clirag/retrieveVisit.ts',
    'clirag/prompt.ts',
    'clirag/note/noteRecord.ts',
    'clirag/check/noteFile.ts',
    'clirag/renderNote.ts',
    'clirag/check/provingTexts.ts',
    'clirag/note/',
    'clirag/soapNote.ts',
    'clirag/sourceWords.ts',
    'clirag/notePage.ts',
    'clirag/check/',
    'clirag/cohort/',
    'clirag/export/',
    'clirag/evaluation/',
    'clirag/commands/',
    'clirag/cli',
  ],
];

test.each(FLOW.map((stages) => [stages[0] ?? '', stages] as const))(
  'from %s on, imports run with the flow of data',
  (first, stages) => {
    const command = first.slice(0, first.indexOf('/') + 1);
    const stageOf = (name: string): number => {
      const fitting = stages.filter((stage) => name.startsWith(stage));
      return stages.indexOf(fitting.sort((a, b) => b.length - a.length)[0] ?? '');
    };
    const own = files.filter(({ name }) => name.startsWith(command));
    expect(own.filter(({ name }) => stageOf(name) < 0).map(({ name }) => name)).toEqual([]);
    const against = own.flatMap((file) =>
      mentions(file)
        .filter((to) => to.startsWith(command) && stageOf(to) > stageOf(file.name))
        .map((to) => `${file.name} → ${to}`),
    );
    expect(against).toEqual([]);
  },
);

/** All that is loaded with a file, packages included. */
function loadedWith(name: string): Set<string> {
  const byName = new Map(files.map((file) => [file.name, file]));
  const loaded = new Set<string>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (loaded.has(next)) continue;
    loaded.add(next);
    waiting.push(...(byName.get(next)?.imports ?? []));
  }
  return loaded;
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

test('the command line itself loads no heavy library', () => {
  for (const name of [
    'core/cli.ts',
    ...files.map((file) => file.name).filter((file) => /^(?:labsage|clirag)\/cli\.ts$/u.test(file)),
  ]) {
    expect([name, [...loadedWith(name)].map(packageOf).filter((one) => HEAVY.includes(one))]).toEqual([
      name,
      [],
    ]);
  }
});

test.each(['status', 'show', 'verify', 'search', 'ask'])(
  '%s loads no model, parser or validator before it needs one',
  (command) => {
    const loaded = [...loadedWith(`labsage/commands/${command}.ts`)].map(packageOf);
    expect(loaded.length).toBeGreaterThan(3);
    expect(loaded.filter((one) => HEAVY.includes(one) && one !== 'minisearch')).toEqual([]);
  },
);

/** Prints every file that Node loads after it. */
const TRACE = {
  'trace.mjs': "import { register } from 'node:module'; register('./hooks.mjs', import.meta.url);",
  'hooks.mjs': `import { writeSync } from 'node:fs';
    export function load(url, context, next) {
      writeSync(1, 'loaded ' + url + '\\n');
      return next(url, context);
    }`,
};

test('labsage --help in a process of its own loads none of them either', async () => {
  await inTemporaryFolder(async (folder) => {
    await writeFiles(folder, TRACE);
    const argv = [
      '--import',
      pathToFileURL(join(folder, 'trace.mjs')).href,
      join(packageRoot, 'bin', 'labsage.js'),
      '--help',
    ];
    const trace = execFileSync(process.execPath, argv, { encoding: 'utf8' });
    const loaded = trace.split('\n').filter((line) => line.startsWith('loaded '));
    expect(loaded.some((line) => line.includes('/node_modules/commander/'))).toBe(true);
    expect(loaded.filter((line) => HEAVY.some((name) => line.includes(`/node_modules/${name}/`)))).toEqual(
      [],
    );
  });
});

test('only the border with the user ends processes or prints', () => {
  const forbidden = /\bprocess\.exit\s*\(|\bconsole\.|\bprocess\.std(?:out|err)\.write\b/u;
  expect(files.filter(({ text }) => forbidden.test(text)).map(({ name }) => name)).toEqual([]);
});

test(`no file has more than ${FILE_LINES} lines, and each begins with a sentence that says what it is`, () => {
  expect(
    files.filter(({ text }) => text.trimEnd().split('\n').length > FILE_LINES).map(({ name }) => name),
  ).toEqual([]);
  expect(files.filter(({ text }) => !text.startsWith('/**')).map(({ name }) => name)).toEqual([]);
});

test('no file is called a helper of some kind', () => {
  expect(
    files.map(({ name }) => name).filter((name) => /utils?|helpers?|manager|service/iu.test(name)),
  ).toEqual([]);
});
