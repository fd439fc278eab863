import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { appendFile, cp, mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../src/core/config.js';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { BIN, labsage, manySections, run, works, type Ended } from './runBin.js';

let folder = '';

/** A folder with SOPs and a MiniLM index of them, that tests copy or only read. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'labsage faults '));
  await writeFiles(folder, {
    'sops/ch-001.md':
      '# CH-001 Potassium\n\n## Specimen\n\nThe minimum volume is 0.5 mL of lithium heparin plasma.\n',
    'sops/sub dir/he-002.txt': 'HE-002 APTT\n\n1. ROTOR\n\nUse Rotor C for citrated plasma.\n',
  });
  const { code, err } = await labsage(['index', 'sops', '--embedder', 'minilm'], { cwd: folder });
  expect([code, err]).toEqual([0, '']);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** One line on stderr that names the fault; nothing on stdout. */
function expectError({ code, out, err }: Ended, exitCode: number, message: RegExp): void {
  expect(err).toMatch(message);
  expect([code, out, err.split('\n').length]).toEqual([exitCode, '', 2]);
}

async function withCopy(work: (copy: string) => Promise<void>): Promise<void> {
  await inTemporaryFolder(async (temporary) => {
    await cp(join(folder, '.labsage'), join(temporary, '.labsage'), { recursive: true });
    await cp(join(folder, 'sops'), join(temporary, 'sops'), { recursive: true });
    await work(temporary);
  });
}

test('an empty folder, a missing one, a file as index, a folder as questions: one clear line each', async () => {
  await mkdir(join(folder, 'empty'), { recursive: true });
  const at = (...args: readonly string[]): Promise<Ended> => labsage(args, { cwd: folder });
  expectError(
    await at('index', 'empty', '--index', 'x'),
    3,
    /^error: found no SOP .* Name a folder or file with SOPs\n$/u,
  );
  expectError(
    await at('index', 'no such', '--index', 'x'),
    3,
    /^error: no such cannot be read: there is no such file or folder\. /u,
  );
  expectError(
    await at('index', 'sops', '--index', 'sops/ch-001.md', '--embedder', 'minilm'),
    3,
    /^error: folder .*ch-001\.md cannot be made: there is a file/u,
  );
  expectError(
    await at('ask', 'x', '--index', 'sops/ch-001.md'),
    3,
    /^error: there is no index in .*ch-001\.md\. Make one with: /u,
  );
  expectError(
    await at('ask', '--questions', 'sops'),
    3,
    /^error: questions sops cannot be read: it is a folder\. /u,
  );
  expectError(
    await at('ask', '--questions', 'nowhere.txt'),
    3,
    /^error: questions nowhere\.txt cannot be read: there is no such file/u,
  );
  expect(await readdir(folder)).not.toContain('x');
});

test('unreadable files are named and counted, the others indexed; --strict ends with 5', async () => {
  await withCopy(async (copy) => {
    const sops = join(copy, 'sops');
    await mkdir(join(sops, 'folder.md'));
    await symlink('nowhere', join(sops, 'broken.md'));
    await writeFile(
      join(sops, 'binary.txt'),
      Buffer.from(Array.from({ length: 3000 }, (_, at) => (at * 91) % 256)),
    );
    await writeFile(join(sops, 'broken.docx'), 'PK\u0003\u0004 no zip');
    if (process.platform !== 'win32') execFileSync('mkfifo', [join(sops, 'pipe.md')]);
    const { code, out, err } = await labsage(['index', 'sops', '--quiet', '--strict', '--json'], {
      cwd: copy,
    });
    expect(code).toBe(5);
    const { documents, skipped } = JSON.parse(out) as { documents: number; skipped: { path: string }[] };
    expect(documents).toBe(2);
    const names = [
      'binary.txt',
      'broken.docx',
      'broken.md',
      ...(process.platform === 'win32' ? [] : ['pipe.md']),
    ];
    expect(skipped.map(({ path }) => path)).toEqual(names);
    expect(
      err
        .trimEnd()
        .split('\n')
        .map((line) => /^warning: skipped ([^:]+): ./u.exec(line)?.[1]),
    ).toEqual(names);
  });
});

test('an index of another embedder is refused both ways, with both names: exit 4', async () => {
  const refused =
    /^error: the index in .* was made with (\S+) .* and can't be searched with (\S+) .* Search with --embedder \1, or run: labsage index .*--embedder \2\n$/u;
  expectError(await labsage(['ask', 'x', '--embedder', 'mpnet'], { cwd: folder }), 4, refused);
  await inTemporaryFolder(async (other) => {
    await writeFiles(other, { 'a.md': '# A\n\nWords.\n' });
    expect((await labsage(['index', 'a.md', '--embedder', 'mpnet'], { cwd: other })).code).toBe(0);
    expectError(await labsage(['search', 'x', '--embedder', 'minilm'], { cwd: other }), 4, refused);
  });
  expectError(
    await labsage(['ask', 'x', '--embedder', 'bert'], { cwd: folder }),
    4,
    /^error: no embedding model named bert .* Use one of: minilm, mpnet\n$/u,
  );
});

test('a damaged index is named with the command that mends it, and that command mends it', async () => {
  await withCopy(async (copy) => {
    const vectors = (await readdir(join(copy, '.labsage'))).find((name) => name.startsWith('vectors-')) ?? '';
    await appendFile(join(copy, '.labsage', vectors), 'x');
    const search = ['search', 'minimum volume'];
    const damaged = await labsage(search, { cwd: copy });
    expectError(
      damaged,
      3,
      /^error: index file .*vectors-.* is damaged: it has \d+ bytes instead of \d+\. Write it anew from the SOPs with: labsage index --index "/u,
    );
    expectError(await labsage(['verify'], { cwd: copy }), 3, /^error: index file .*vectors-.* is damaged/u);
    const mended = await labsage(['index', '--quiet'], { cwd: copy });
    expect([mended.code, mended.err.split('\n').length]).toEqual([0, 2]);
    expect(mended.err).toMatch(/^warning: index file .* the index was made anew\n$/u);
    expect((await labsage(search, { cwd: copy })).code).toBe(0);
    expect((await labsage(['verify'], { cwd: copy })).code).toBe(0);
  });
});

test('a Git LFS pointer in place of the weights: exit 4 before anything is loaded', async () => {
  await inTemporaryFolder(async (home) => {
    const bundled = join(packageRoot, 'models', 'all-MiniLM-L6-v2');
    const mine = join(home, 'models', 'all-MiniLM-L6-v2');
    const isWeights = (path: string): boolean => path.endsWith('.onnx');
    await cp(bundled, mine, { recursive: true, filter: (path) => !isWeights(path) });
    const { weights } = JSON.parse(await readFile(join(mine, 'model.json'), 'utf8')) as { weights: string };
    await writeFile(join(mine, weights), 'version https://git-lfs.github.com/spec/v1\n'.padEnd(130, 'x'));
    const { code, out, err } = await labsage(['ask', 'x'], { cwd: folder, env: { LABSAGE_HOME: home } });
    expectError(
      { code, out, err },
      4,
      /^error: model file .*\.onnx has 130 bytes instead of \d+: a cut download or a Git LFS pointer\. /u,
    );
  });
});

test('output to a full disk is an error, a closed pipe is none', async () => {
  const script = (text: string): Promise<Ended> =>
    run('bash', ['-c', text, process.execPath, BIN], { cwd: folder });
  const quiet = await script('"$0" "$1" search plasma | head -1; echo "${PIPESTATUS[@]}"');
  expect(quiet.err).toBe('');
  expect(quiet.out.split('\n').slice(1)).toEqual(['0 0', '']);
  await writeFiles(folder, { 'large/a.md': manySections('CH-009', { sections: 900, mark: 'x' }) });
  const long = await script(
    '"$0" "$1" chunk large --json | head -c 10; ends="${PIPESTATUS[*]}"; echo; echo "$ends"',
  );
  expect([long.err, long.out.split('\n').at(-2)]).toEqual(['', '0 0']);
  if (process.platform !== 'linux') return;
  const full = await script('"$0" "$1" status > /dev/full');
  expectError(full, 3, /^error: the output cannot be written: the disk is full\./u);
});

const mounts =
  process.platform === 'linux' && works('unshare', '-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt');
const mounted = mounts ? test : test.skip;

mounted(
  'a read-only index answers, its audit log goes to the state folder, and index says why it cannot write (needs mount)',
  async () => {
    await withCopy(async (copy) => {
      const script = `mount --bind .labsage .labsage && mount -o remount,ro,bind .labsage || exit 99
      "$0" "$1" ask "minimum volume of potassium" > answer.txt; echo "ask $?" >&2
      "$0" "$1" index sops --embedder minilm; echo "index $?" >&2`;
      const { code, out, err } = await run('unshare', ['-m', 'bash', '-c', script, process.execPath, BIN], {
        cwd: copy,
        env: { LABSAGE_HOME: join(copy, 'home') },
      });
      expect([code, out]).toEqual([0, '']);
      const lines = err.trimEnd().split('\n');
      expect(lines).toEqual([
        expect.stringMatching(/^warning: .*\.labsage can't be written; the audit log is in .*state$/u),
        'ask 0',
        expect.stringMatching(/^error: .*read-only/u),
        'index 3',
      ]);
      expect(await readFile(join(copy, 'answer.txt'), 'utf8')).toContain('0.5 mL');
      expect(await readdir(join(copy, 'home', 'state'))).toContain('audit.jsonl');
    });
  },
);

// The disk is full at another write each time: of the checkpoint, of the vectors, of the last file.
mounted.each([100, 180, 260, 340])(
  'a disk full after %i KB: one line, exit 3, and the old index still whole (needs mount)',
  async (kilobytes) => {
    await withCopy(async (copy) => {
      await writeFiles(copy, { 'large/a.md': manySections('CH-009', { sections: 120, mark: 'x' }) });
      await mkdir(join(copy, 'small'));
      const script = `mount -t tmpfs -o size=${kilobytes}k tmpfs small && cp -r .labsage small/index || exit 99
      "$0" "$1" index sops large --quiet --index small/index; echo "index $?" >&2
      "$0" "$1" verify --quiet --index small/index > verified.txt; echo "verify $?" >&2
      ls -A small/index > left.txt`;
      const { code, err } = await run('unshare', ['-m', 'bash', '-c', script, process.execPath, BIN], {
        cwd: copy,
      });
      expect(code).toBe(0);
      expect(err.trimEnd().split('\n')).toEqual([
        expect.stringMatching(/^error: the disk is full/u),
        'index 3',
        'verify 0',
      ]);
      expect(await readFile(join(copy, 'left.txt'), 'utf8')).not.toMatch(/\.(?:tmp|lock)/u);
    });
  },
);

const isolated = process.platform === 'linux' && works('unshare', '-n', 'true') ? test : test.skip;

isolated('index and ask work where there is no network at all (needs unshare -n)', async () => {
  await withCopy(async (copy) => {
    await writeFiles(copy, { 'sops/new.md': '# New\n\n## Stability\n\nStable for 20 minutes on ice.\n' });
    const script = '"$0" "$1" index sops --quiet && "$0" "$1" ask "how long is it stable on ice"';
    const { code, out, err } = await run('unshare', ['-n', 'bash', '-c', script, process.execPath, BIN], {
      cwd: copy,
    });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Stable for 20 minutes on ice.');
  });
});

/** Ends the process where anything, in any thread, asks for a socket or a name. */
const NO_SOCKETS = `
  import { writeSync } from 'node:fs';
  import net from 'node:net'; import dgram from 'node:dgram'; import dns from 'node:dns';
  const refuse = (what) => () => { writeSync(2, 'a socket was asked for: ' + what + '\\n'); process.exit(77); };
  net.Socket.prototype.connect = refuse('connect');
  dgram.Socket.prototype.send = refuse('send');
  dns.lookup = refuse('lookup'); dns.promises.lookup = refuse('lookup');
  globalThis.fetch = refuse('fetch');`;

test('no command opens a socket', async () => {
  await withCopy(async (copy) => {
    await writeFiles(copy, { 'no-sockets.mjs': NO_SOCKETS, 'sops/new.md': '# New\n\n## Use\n\nRotor D.\n' });
    const env = { NODE_OPTIONS: `--import=${pathToFileURL(join(copy, 'no-sockets.mjs')).href}` };
    const guard = await run(process.execPath, ['-e', 'require("node:net").connect(9)'], { cwd: copy, env });
    expect(guard).toMatchObject({ code: 77, err: 'a socket was asked for: connect\n' });
    for (const args of [
      ['index', 'sops', '--quiet'],
      ['ask', 'rotor'],
      ['search', 'rotor'],
      ['status'],
      ['verify'],
      ['chunk', 'sops'],
      ['embed', 'x', '--embedder', 'minilm'],
    ]) {
      const { code, err } = await labsage(args, { cwd: copy, env });
      expect([args[0], code, err]).toEqual([args[0], 0, '']);
    }
  });
});
