import { expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { packageRoot } from '../../src/core/config.js';
import { createProgram as createClirag } from '../../src/clirag/cli.js';
import { createProgram as createLabsage } from '../../src/labsage/cli.js';

const README = join(packageRoot, 'README.md');

/** `$ labsage …` lines with the output that follows each. */
function sessionSteps(block: string): { command: string; output: string }[] {
  return block
    .split(/^\$ /mu)
    .slice(1)
    .map((step) => {
      const [command = '', ...output] = step.split('\n');
      return { command, output: output.join('\n').trimEnd() };
    });
}

/** Words as a shell splits them: blanks, double and single quotes. */
function shellWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/gu)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}

function blocksOf(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gmu'))].map(
    ([, block]) => block ?? '',
  );
}

test('the session of the README is true', async () => {
  const text = await readFile(README, 'utf8');
  const index = await mkdtemp(join(tmpdir(), 'labsage-readme-'));
  try {
    let current = text;
    for (const block of blocksOf(text, 'session')) {
      const steps = sessionSteps(block).map(({ command, output }) => {
        const [program, ...args] = shellWords(command);
        expect(program).toBe('labsage');
        const { stdout, status } = spawnSync(process.execPath, ['bin/labsage.js', ...args], {
          cwd: packageRoot,
          encoding: 'utf8',
          env: { ...process.env, LABSAGE_INDEX: index, NO_COLOR: '1' },
        });
        expect(status).toBe(0);
        return { command, output, actual: stdout.replace(/[ \t]+$/gmu, '').trimEnd() };
      });
      if (process.env['UPDATE_README'] === '1') {
        const renewed = steps.map(({ command, actual }) => `$ ${command}\n${actual}\n`).join('\n');
        current = current.replace(block, () => renewed);
      } else
        for (const { command, output, actual } of steps)
          expect({ command, output }).toEqual({ command, output: actual });
    }
    if (current !== text) await writeFile(README, current);
  } finally {
    await rm(index, { recursive: true, force: true });
  }
}, 600_000);

test('every other documented command line is one that the program takes', async () => {
  const text = await readFile(README, 'utf8');
  const lines = blocksOf(text, 'sh')
    .flatMap((block) => block.split('\n'))
    .flatMap((line) => line.replace(/#.*$/u, '').split('|'))
    .map((part) => part.replace(/[<>]\s*\S+\s*$/u, '').trim())
    .filter((part) => /^(?:labsage|clirag) /u.test(part));
  expect(lines.length).toBeGreaterThan(5);
  for (const line of lines) {
    const seen: string[] = [];
    const io = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
      env: {},
      cwd: packageRoot,
      signal: new AbortController().signal,
    };
    const create = line.startsWith('labsage ') ? createLabsage : createClirag;
    const program = create(io, () => undefined);
    const visit = (command: typeof program): void => {
      if (command.commands.length === 0) command.action(() => void seen.push(command.name()));
      for (const child of command.commands) visit(child);
    };
    visit(program);
    await program.parseAsync(shellWords(line).slice(1), { from: 'user' });
    expect({ line, ran: seen.length }).toEqual({ line, ran: 1 });
  }
});
