/** `clirag mcp`: list, show, retrieve, note and check of one store as tools of a Model Context Protocol client. */

import { Readable } from 'node:stream';
import { z } from 'zod';
import { ExitCode, ToolError } from '../../core/errors.js';
import { serveMcp, type McpTool } from '../../core/mcpServer.js';
import type { CommandContext } from '../../core/program.js';
import { checkCommand } from './check.js';
import { noteCommand } from './note.js';
import { openChart, openStore, type StoreFlags } from './openStore.js';
import { patientsCommand } from './patients.js';
import { retrieveCommand } from './retrieve.js';
import { visitsCommand } from './visits.js';

/** Fixed when the server starts: no client can name another store, another model, or, where one is named, another patient. */
interface McpFlags extends StoreFlags {
  readonly embedder?: string;
}

const INSTRUCTIONS =
  "Progress notes from patients' charts, every sentence quoted with its source. Use list for patients and their visits, note for the progress note of a visit, retrieve for the evidence that it is made of, show for one charted note. Keep the marks such as [S3] with the words that they stand behind.";

const patient = z.string().min(1).describe('id of the patient');
const visit = z.string().min(1).describe('a date, #N, or an admission id');
const asOf = z
  .string()
  .optional()
  .describe("only what was charted and stored by then; by default the end of the visit's last day");
const json = z.boolean().optional().describe('JSON with spans and scores in place of text');

export async function mcpCommand(
  _args: readonly string[],
  flags: McpFlags,
  { io }: CommandContext,
): Promise<ExitCode> {
  return serveMcp(chartTools(flags), { name: 'clirag', instructions: INSTRUCTIONS, io });
}

function chartTools({ patient: only, ...fixed }: McpFlags): McpTool[] {
  const store = fixed.index === undefined ? {} : { index: fixed.index };
  const ofPatient = (input: Readonly<Record<string, unknown>>): { patient: string } => {
    const asked = (input['patient'] as string | undefined) ?? only;
    if (asked === undefined)
      throw new ToolError(ExitCode.usage, 'no patient named', { hint: 'give patient' });
    if (only === undefined || asked === only) return { patient: asked };
    throw new ToolError(ExitCode.usage, `this server serves patient ${only} alone`, {
      hint: `leave patient out, or start another: clirag mcp --patient ${asked}`,
    });
  };
  return [
    {
      name: 'list',
      title: 'List patients or visits',
      description: 'The patients of the store; with a patient, the visits with what was charted at each.',
      readOnly: true,
      input: { patient: patient.optional(), json },
      run: (input, context) =>
        input['patient'] === undefined && only === undefined
          ? patientsCommand([], { ...store, ...input }, context)
          : visitsCommand([], { ...store, ...input, ...ofPatient(input) }, context),
    },
    {
      name: 'show',
      title: 'Show a charted note',
      description: 'One note of the chart, as it was charted.',
      readOnly: true,
      input: { patient: patientOf(only), note: z.string().min(1).describe('id of the note') },
      run: (input, context) =>
        showNote({ ...store, ...ofPatient(input), note: input['note'] as string }, context),
    },
    {
      name: 'retrieve',
      title: 'Retrieve the evidence of a visit',
      description: 'What both stages of retrieval find for a visit: questions, passages, scores.',
      readOnly: true,
      input: { patient: patientOf(only), visit, asOf, json },
      run: (input, context) => retrieveCommand([], { ...fixed, ...input, ...ofPatient(input) }, context),
    },
    {
      name: 'note',
      title: 'Write the progress note of a visit',
      description:
        'The SOAP progress note of a visit: every sentence is quoted from the chart, with its source. It is recorded in the audit log.',
      readOnly: false,
      input: {
        patient: patientOf(only),
        visit,
        asOf,
        prior: z
          .enum(['stored', 'generate', 'gold', 'none'])
          .optional()
          .describe('summary of the visit before; by default its stored note, else one generated'),
        json,
      },
      run: (input, context) => noteCommand([], { ...fixed, ...input, ...ofPatient(input) }, context),
    },
    {
      name: 'check',
      title: 'Check a progress note',
      description:
        'Prove each sentence of a note, written by anyone, from the chart, and name those that it does not bear out.',
      readOnly: true,
      input: { patient: patientOf(only), visit, asOf, text: z.string().min(1).describe('the note'), json },
      run: ({ text, ...input }, { io, output }) =>
        checkCommand(
          ['-'],
          { ...store, ...input, ...ofPatient(input) },
          { io: { ...io, stdin: Readable.from([Buffer.from(text as string)]) }, output },
        ),
    },
  ];
}

/** Needed only where the server is not for one patient. */
function patientOf(only: string | undefined): z.ZodType<string | undefined> {
  return only === undefined ? patient : patient.optional();
}

async function showNote(
  flags: StoreFlags & { readonly patient: string; readonly note: string },
  { io, output }: CommandContext,
): Promise<ExitCode> {
  const chart = await openChart(await openStore(flags, io), flags);
  const note = chart.notes.find(({ id }) => id === flags.note);
  if (note === undefined) {
    throw new ToolError(ExitCode.input, `patient ${chart.patientId} has no note ${flags.note}`, {
      hint: 'list the visits with their notes: the tool list with patient and json',
    });
  }
  const { id, date, time = '', type, description = '' } = note;
  output.print(`Note ${id}, ${[date, time, type, description].filter((part) => part !== '').join(', ')}`);
  output.print();
  output.print(note.text);
  return ExitCode.done;
}
