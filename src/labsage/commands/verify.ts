/** `labsage verify`: an index → proof that nothing is lost and every search unit points at one section, or what is wrong. */

import { ExitCode } from '../../core/errors.js';
import type { CommandContext } from '../../core/program.js';
import type { StoreAccessFlags } from '../../core/storeAccess.js';
import { timed } from '../../core/trace.js';
import { verifyIndex } from '../verifyIndex.js';
import { withIndex } from './openSearch.js';

interface VerifyFlags extends StoreAccessFlags {
  readonly index?: string;
  readonly json?: boolean;
}

export async function verifyCommand(
  _args: readonly string[],
  flags: VerifyFlags,
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const { checks } = await withIndex(flags, io, (index) => timed('verify', () => verifyIndex(index)));
  const failed = checks.filter(({ faults }) => faults.length > 0);
  if (flags.json === true) output.printJson({ ok: failed.length === 0, checks });
  else {
    for (const { name, examined, faults } of checks) {
      output.print(`${faults.length === 0 ? 'ok    ' : 'FAILED'}  ${name} (${examined})`);
      for (const fault of faults.slice(0, 20)) output.print(`        ${fault}`);
      if (faults.length > 20) output.print(`        and ${faults.length - 20} more`);
    }
  }
  return failed.length === 0 ? ExitCode.done : ExitCode.shortfall;
}
