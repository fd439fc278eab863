/** Handlers of `config`: settings shown with where they came from, written, taken out. */

import { ExitCode, ToolError } from './errors.js';
import type { CommandContext, Handler } from './program.js';
import {
  isSettingName,
  readSettings,
  SETTING_NAMES,
  settingFiles,
  writeSetting,
  type ProgramName,
  type SettingName,
} from './settings.js';

interface ConfigFlags {
  readonly project?: boolean;
  readonly json?: boolean;
}

/** All settings, set or not; or the bare value of one, exit 5 where it is not set. */
export function getCommand(program: ProgramName): Handler<ConfigFlags> {
  return async ([name], { json }, { io, output }) => {
    const settings = await readSettings(program, io);
    if (name !== undefined) {
      const found = settings[checkName(name, program)];
      if (json === true) output.printJson(found ?? null);
      else if (found !== undefined) output.print(String(found.value));
      return found === undefined ? ExitCode.shortfall : ExitCode.done;
    }
    if (json === true) output.printJson(settings);
    else {
      const rows = SETTING_NAMES.map((one) => {
        const { value = '-', from = 'not set' } = settings[one] ?? {};
        return [one, String(value), from];
      });
      await output.table(['setting', 'value', 'from'], rows);
    }
    return ExitCode.done;
  };
}

export function setCommand(program: ProgramName): Handler<ConfigFlags> {
  return ([name = '', value = ''], flags, context) => change(program, { name, value, flags, context });
}

export function unsetCommand(program: ProgramName): Handler<ConfigFlags> {
  return ([name = ''], flags, context) => change(program, { name, value: undefined, flags, context });
}

async function change(
  program: ProgramName,
  {
    name,
    value,
    flags,
    context: { io, output },
  }: { name: string; value: string | undefined; flags: ConfigFlags; context: CommandContext },
): Promise<ExitCode> {
  const known = checkName(name, program);
  const { user, project } = await settingFiles(program, io);
  const file = flags.project === true ? project : user;
  await writeSetting(file, { name: known, value, cwd: io.cwd });
  const now = (await readSettings(program, io))[known];
  if (flags.json === true) output.printJson({ file, [known]: now ?? null });
  else output.print(`${known} ${value === undefined ? 'taken out of' : 'set in'} ${file}`);
  if (now !== undefined && now.from !== file)
    output.warn(`${known} is ${String(now.value)} all the same: ${now.from} sets it`);
  return ExitCode.done;
}

export function pathCommand(program: ProgramName): Handler<ConfigFlags> {
  return async (_args, { json }, { io, output }) => {
    const files = await settingFiles(program, io);
    if (json === true) output.printJson(files);
    else await output.table(['settings of', 'file'], Object.entries(files));
    return ExitCode.done;
  };
}

function checkName(name: string, program: ProgramName): SettingName {
  if (isSettingName(name)) return name;
  throw new ToolError(ExitCode.usage, `there is no setting ${name}`, {
    hint: `${program} config --help lists them: ${SETTING_NAMES.join(', ')}`,
  });
}
