/** The portable bundle's parts: what is left out of it, its start scripts, its archive for Windows. Made whole by npm run bundle. */

import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../src/core/config.js';
import { inTemporaryFolder, writeFiles } from './temporaryFolder.js';
import { zipEntries } from './zipEntries.js';

const SCRIPT = join(packageRoot, '.ci', 'bundle.mjs');
const { isPruned, startScript, writeZip } = (await import(pathToFileURL(SCRIPT).href)) as {
  isPruned: (path: string, platform: string) => boolean;
  startScript: (program: string, kind: 'cmd' | 'sh') => string;
  writeZip: (folder: string, file: string) => Promise<void>;
};

test.each([
  ['onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1', 'linux-x64', false],
  ['onnxruntime-node/bin/napi-v6/linux/arm64/libonnxruntime.so.1', 'linux-x64', true],
  ['onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime.dll', 'linux-x64', true],
  ['onnxruntime-node/bin/napi-v6/win32/x64/onnxruntime.dll', 'win32-x64', false],
  ['onnxruntime-node/bin/napi-v6/darwin/arm64/libonnxruntime.1.dylib', 'darwin-arm64', false],
  ['@huggingface/transformers/node_modules/onnxruntime-node/bin/napi-v6/win32/x64/a.dll', 'linux-x64', true],
  ['onnxruntime-node/dist/index.js', 'linux-x64', false],
  ['onnxruntime-web/dist/ort.wasm', 'linux-x64', true],
  ['commander/index.js', 'linux-x64', false],
  ['commander/typings/index.d.ts', 'linux-x64', true],
  ['zod/index.d.cts', 'linux-x64', true],
  ['chalk/source/index.js.map', 'linux-x64', true],
  ['.bin/tsc', 'linux-x64', true],
  ['zod/LICENSE', 'linux-x64', false],
])('%s for %s: left out %s', (path, platform, pruned) => {
  expect(isPruned(path, platform)).toBe(pruned);
});

const onPosix = process.platform === 'win32' ? test.skip : test;

onPosix(
  'the sh script starts the program from any folder, through links, with its arguments as they are',
  async () => {
    await inTemporaryFolder(async (folder) => {
      await writeFiles(folder, {
        'a bundle/app/bin/labsage.js': 'console.log(JSON.stringify(process.argv.slice(2)));',
        'a bundle/labsage': startScript('labsage', 'sh'),
      });
      await chmod(join(folder, 'a bundle', 'labsage'), 0o755);
      await mkdir(join(folder, 'bin'));
      await symlink(join('..', 'a bundle', 'labsage'), join(folder, 'bin', 'relative'));
      await symlink(join(folder, 'bin', 'relative'), join(folder, 'absolute'));
      for (const start of [join('a bundle', 'labsage'), join('bin', 'relative'), 'absolute']) {
        const { stdout, status } = spawnSync(join(folder, start), ['ask', 'how  long?', '*'], {
          cwd: '/',
          encoding: 'utf8',
          env: { PATH: `${join(process.execPath, '..')}:/usr/bin:/bin` },
        });
        expect([start, status, stdout]).toEqual([start, 0, '["ask","how  long?","*"]\n']);
      }
      const without = spawnSync(join(folder, 'absolute'), [], {
        encoding: 'utf8',
        env: { PATH: await toolsWithoutNode(folder) },
      });
      expect([without.status, without.stderr]).toEqual([4, expect.stringContaining('needs Node 20.19')]);
    });
  },
);

async function toolsWithoutNode(folder: string): Promise<string> {
  const tools = join(folder, 'tools');
  await mkdir(tools);
  for (const tool of ['sh', 'readlink', 'dirname']) {
    const { stdout } = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' });
    await symlink(stdout.trim(), join(tools, tool));
  }
  return tools;
}

test('the cmd script has the line ends that cmd wants and quotes its own folder', () => {
  const lines = startScript('clirag', 'cmd').split('\r\n');
  expect(lines[0]).toBe('@echo off');
  expect(lines.at(-2)).toBe('node "%~dp0app\\bin\\clirag.js" %*');
  expect(startScript('clirag', 'cmd').replaceAll('\r\n', '')).not.toContain('\n');
});

test('the archive for Windows holds every file under its own name', async () => {
  await inTemporaryFolder(async (folder) => {
    const files = { 'top/labsage.cmd': '@echo off\r\n', 'top/app/bin/labsage.js': 'x'.repeat(5000) };
    await writeFiles(join(folder, 'in'), files);
    await writeZip(join(folder, 'in'), join(folder, 'out.zip'));
    expect(await zipEntries(join(folder, 'out.zip'))).toEqual(files);
  });
});

test.each([
  [[], '--platform is one of win32-x64, linux-x64, darwin-arm64'],
  [['--platform', 'amiga-68k'], '--platform is one of'],
  [['--target', 'x'], 'Unknown option'],
])('%j is a wrong usage', (args, message) => {
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, ...args], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([2, expect.stringContaining(message)]);
});
