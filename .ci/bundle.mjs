// npm run bundle -- --platform linux-x64 [--out DIR] → one archive with the package, its dependencies for that platform alone,
// the models and start scripts: for a machine that has Node and can install nothing.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, readdir, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

export const PLATFORMS = ['win32-x64', 'linux-x64', 'darwin-arm64'];
const PROGRAMS = ['labsage', 'clirag'];
const root = fileURLToPath(new URL('..', import.meta.url));

// Whether a file of node_modules is left out. `path` counts from node_modules, `/`-separated.
export function isPruned(path, platform) {
  const [os, cpu] = platform.split('-');
  // transformers.js for Node holds what it needs of it.
  if (path.startsWith('onnxruntime-web/')) return true;
  const [, binaryOs, binaryCpu] =
    /(?:^|\/)onnxruntime-node\/bin\/napi-v\d+\/([^/]+)\/([^/]+)\//u.exec(path) ?? [];
  if (binaryOs !== undefined && (binaryOs !== os || binaryCpu !== cpu)) return true;
  return /\.map$|\.d\.[cm]?ts$|(?:^|\/)\.bin\//u.test(path);
}

// Beside the folder app: they find it wherever the folder lies and whatever link they are called by.
export function startScript(program, kind) {
  if (kind === 'cmd')
    return `@echo off\r\nwhere /q node || (echo ${program} needs Node 20.19 or later on the PATH 1>&2& exit /b 4)\r\nnode "%~dp0app\\bin\\${program}.js" %*\r\n`;
  return `#!/bin/sh
self=$0
while [ -L "$self" ]; do
  link=$(readlink "$self")
  case $link in /*) self=$link ;; *) self=$(dirname "$self")/$link ;; esac
done
command -v node >/dev/null || { echo "${program} needs Node 20.19 or later on the PATH" >&2; exit 4; }
exec node "$(cd "$(dirname "$self")" && pwd)/app/bin/${program}.js" "$@"
`;
}

function readme(version, platform) {
  const run = platform.startsWith('win32') ? '' : './';
  return `labsage and clirag ${version} for ${platform}

Needs Node 20.19 or later on the PATH, and nothing else: no installation, no network.
Unpack the folder where you like, then:

  ${run}labsage doctor
  ${run}labsage index FOLDER_WITH_SOPS
  ${run}labsage ask "How long is plasma ammonia stable on ice?"
  ${run}clirag index NOTEEVENTS.csv
  ${run}clirag note --patient 40001 --visit 2154-03-03

Licences: app/LICENSE, app/node_modules/*/LICENSE*, app/models/README.md.
`;
}

async function filesOf(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

async function prune(modules, platform) {
  for (const path of await filesOf(modules)) if (isPruned(path, platform)) await rm(join(modules, path));
  await removeEmpty(modules);
}

async function removeEmpty(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await removeEmpty(join(folder, entry.name));
  if ((await readdir(folder)).length === 0) await rmdir(folder);
}

// Start scripts can be run wherever the archive was made.
export async function writeZip(folder, file) {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for (const path of (await filesOf(folder)).sort())
    zip.addFile(join(folder, path), path, { mode: 0o100644 });
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(file));
}

function run(command, args, cwd) {
  const { status } = spawnSync(command, args, {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32' && command === 'npm',
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`);
}

async function describe(file) {
  const hash = createHash('sha256');
  for await (const part of createReadStream(file)) hash.update(part);
  return { bytes: (await stat(file)).size, sha256: hash.digest('hex') };
}

async function bundle(platform, out) {
  const [os, cpu] = platform.split('-');
  const { name, version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));
  const work = await mkdtemp(join(tmpdir(), 'labsage-bundle-'));
  try {
    const title = `${name}-${version}-${platform}`;
    const top = join(work, 'top');
    const app = join(top, title, 'app');
    await mkdir(app, { recursive: true });
    for (const file of ['package.json', 'package-lock.json', '.npmrc'])
      await cp(join(root, file), join(app, file));
    // Everything comes from the lock file; nothing of it is run here.
    run(
      'npm',
      [
        'ci',
        '--omit=dev',
        '--ignore-scripts',
        `--os=${os}`,
        `--cpu=${cpu}`,
        '--libc=glibc',
        '--no-audit',
        '--no-fund',
        '--loglevel=error',
      ],
      app,
    );
    for (const file of ['package-lock.json', '.npmrc']) await rm(join(app, file));
    await prune(join(app, 'node_modules'), platform);
    run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', work], root);
    run('tar', ['-xzf', join(work, `${name}-${version}.tgz`), '--strip-components=1', '-C', app], work);
    const isWindows = os === 'win32';
    for (const program of PROGRAMS)
      await writeFile(
        join(top, title, isWindows ? `${program}.cmd` : program),
        startScript(program, isWindows ? 'cmd' : 'sh'),
        { mode: 0o755 },
      );
    await writeFile(join(top, title, 'README.txt'), readme(version, platform));
    await mkdir(out, { recursive: true });
    const archive = join(out, `${title}.${isWindows ? 'zip' : 'tar.gz'}`);
    if (isWindows) await writeZip(top, archive);
    else run('tar', ['-czf', archive, '-C', top, title], work);
    const { bytes, sha256 } = await describe(archive);
    const unpacked = await sizeOf(top);
    await writeFile(`${archive}.sha256`, `${sha256}  ${title}.${isWindows ? 'zip' : 'tar.gz'}\n`);
    return { archive, bytes, unpacked, sha256 };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function sizeOf(folder) {
  const sizes = await Promise.all(
    (await filesOf(folder)).map(async (path) => (await stat(join(folder, path))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function main() {
  const { values } = parseArgs({
    options: { platform: { type: 'string' }, out: { type: 'string', default: '.' } },
  });
  const { platform = '', out } = values;
  if (!PLATFORMS.includes(platform)) throw new UsageError(`--platform is one of ${PLATFORMS.join(', ')}`);
  if (!existsSync(join(root, 'dist', 'src')))
    throw new UsageError('there is no dist: run npm run build first');
  const { archive, bytes, unpacked, sha256 } = await bundle(platform, resolve(out));
  const megabytes = (value) => `${(value / 1e6).toFixed(1)} MB`;
  process.stdout.write(
    `${archive}\n${megabytes(bytes)}, ${megabytes(unpacked)} unpacked, sha256 ${sha256}\n`,
  );
}

class UsageError extends Error {}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    await main();
  } catch (error) {
    process.stderr.write(`error: ${error.message}\n`);
    process.exitCode = error instanceof UsageError || error.code?.startsWith('ERR_PARSE_ARGS') ? 2 : 1;
  }
}
