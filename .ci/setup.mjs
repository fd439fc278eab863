// package-lock.json → node_modules, installed only where it is missing or older than the lock file; dist → dist without what
// was compiled from sources that are gone, which jest would run and npm would pack.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const wanted = JSON.parse(readFileSync('package-lock.json', 'utf8')).packages;
const installed = readInstalled();
const isComplete =
  installed !== undefined &&
  Object.entries(wanted).every(
    ([path, { version, optional, peer }]) =>
      path === '' || optional === true || peer === true || installed[path]?.version === version,
  );
if (!isComplete) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const { status } = spawnSync(npm, ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 'inherit', 'inherit'],
    shell: process.platform === 'win32',
  });
  process.exitCode = status ?? 1;
}

for (const file of existsSync('dist') ? readdirSync('dist', { recursive: true, encoding: 'utf8' }) : []) {
  const [, source] = /^(.*)\.js(?:\.map)?$/u.exec(file) ?? [];
  if (source !== undefined && !existsSync(`${source}.ts`)) rmSync(join('dist', file));
}

function readInstalled() {
  try {
    return JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')).packages;
  } catch {
    return undefined;
  }
}
