/** `completion SHELL`: the scripts, and a Tab pressed in a real bash with both programs' completions loaded. */

import { expect, test } from '@jest/globals';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { inTemporaryFolder, writeFiles } from '../temporaryFolder.js';
import { BIN, CLIRAG_BIN, clirag, labsage, run, works } from './runBin.js';

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  'a script for %s that asks the program itself',
  async (shell) => {
    const { code, out, err } = await labsage(['completion', shell], { cwd: '/' });
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('completion-server');
    expect(out).toMatch(/labsage/u);
    expect(out).not.toMatch(/\{(?:pkgname|completer)\}/u);
  },
);

test('another shell is a wrong usage that names those there are', async () => {
  const { code, err } = await clirag(['completion', 'tcsh'], { cwd: '/' });
  expect([code, err]).toEqual([2, expect.stringMatching(/bash, zsh, fish, powershell/u)]);
});

/** Presses Tab at the end of the line: bash's own way of asking a completion function. */
const PRESS_TAB = `
  press() {
    COMP_LINE=$1 COMP_POINT=\${#1} COMPREPLY=()
    read -ra COMP_WORDS <<< "$1"
    [[ $1 == *' ' ]] && COMP_WORDS+=('')
    COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
    local how
    how=$(complete -p "\${COMP_WORDS[0]}")
    [[ $how =~ -F\\ ([^ ]+) ]]
    "\${BASH_REMATCH[1]}"
    echo "$1> \${COMPREPLY[*]}"
  }`;
const hasBash = works('bash', '--version');

(hasBash ? test : test.skip)(
  'in bash both programs complete side by side (skipped where there is no bash)',
  async () => {
    await inTemporaryFolder(async (folder) => {
      const script = (bin: string): string => `#!/bin/sh\nexec "${process.execPath}" "${bin}" "$@"\n`;
      await writeFiles(folder, { 'bin/labsage': script(BIN), 'bin/clirag': script(CLIRAG_BIN) });
      for (const name of ['labsage', 'clirag']) chmodSync(join(folder, 'bin', name), 0o755);
      const typed = ['labsage sta', 'labsage ask x --mode ', 'clirag note --prior g', 'labsage index '];
      const { code, out, err } = await run(
        'bash',
        [
          '--norc',
          '-c',
          `${PRESS_TAB}
           source <(labsage completion bash); source <(clirag completion bash)
           ${typed.map((line) => `press ${JSON.stringify(line)}`).join('; ')}`,
        ],
        { cwd: folder, env: { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` } },
      );
      expect([code, err]).toEqual([0, '']);
      expect(out.split('\n')).toEqual([
        'labsage sta> status',
        'labsage ask x --mode > hybrid dense keyword',
        'clirag note --prior g> generate gold',
        // Nothing said: `complete -o default` completes paths.
        'labsage index > ',
        '',
      ]);
    });
  },
  60_000,
);
