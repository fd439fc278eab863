/** `labsage mcp`: search, ask, list and show of one index as tools of a Model Context Protocol client. */

import { z } from 'zod';
import type { ExitCode } from '../../core/errors.js';
import { serveMcp, type McpTool } from '../../core/mcpServer.js';
import type { CommandContext } from '../../core/program.js';
import type { StoreAccessFlags } from '../../core/storeAccess.js';
import { askCommand } from './ask.js';
import { listCommand } from './list.js';
import { searchCommand } from './search.js';
import { showCommand } from './show.js';

/** Fixed when the server starts: no client can name another folder. */
interface McpFlags extends StoreAccessFlags {
  readonly index?: string;
}

const INSTRUCTIONS =
  "Answers from a laboratory's SOPs, quoted word for word. Use ask for a question about one procedure, list for every SOP that names a thing, search to find sections, show to read one whole. Repeat quotes unchanged with their document, version and section; where ask says that the SOPs do not answer, say so.";

const json = z.boolean().optional().describe('JSON with spans and scores in place of text');
const documents = z.array(z.string()).optional().describe('only these documents: numbers, ids or paths');
const k = z.int().min(1).max(50).optional();

export async function mcpCommand(
  _args: readonly string[],
  flags: McpFlags,
  { io }: CommandContext,
): Promise<ExitCode> {
  return serveMcp(sopTools(flags), { name: 'labsage', instructions: INSTRUCTIONS, io });
}

function sopTools(fixed: McpFlags): McpTool[] {
  return [
    {
      name: 'search',
      title: 'Search the SOPs',
      description: 'Rank the sections of the SOPs that fit a text.',
      readOnly: true,
      input: {
        text: z.string().min(1).describe('what to look for'),
        k: k.describe('sections, 10 by default'),
        documents,
        json,
      },
      run: ({ text, documents: document, ...rest }, context) =>
        searchCommand([text as string], { ...fixed, ...rest, ...given({ document }) }, context),
    },
    {
      name: 'ask',
      title: 'Ask the SOPs',
      description:
        'Answer a question from the SOPs, quoted word for word with document, version, section and lines, or say that they do not answer it. The answer is recorded in the audit log.',
      readOnly: false,
      input: {
        question: z.string().min(1),
        full: z.boolean().optional().describe('also the complete sections that were read'),
        k: k.describe('sections to read'),
        documents,
        json,
      },
      run: ({ question, documents: document, ...rest }, context) =>
        askCommand([question as string], { ...fixed, ...rest, ...given({ document }) }, context),
    },
    {
      name: 'list',
      title: 'List SOPs',
      description:
        'Every SOP that names a thing, with the lines that do; without a text, every SOP with its version, status and dates. Quotes, AND, OR and NOT may be used.',
      readOnly: true,
      input: {
        text: z.string().optional().describe('a term such as calcium chloride'),
        allVersions: z.boolean().optional().describe('also versions that are not in force'),
        documents,
        json,
      },
      run: ({ text, documents: document, ...rest }, context) =>
        listCommand(
          text === undefined ? [] : [text as string],
          { ...fixed, ...rest, ...given({ document }) },
          context,
        ),
    },
    {
      name: 'show',
      title: 'Show a SOP or section',
      description: 'A section or a whole SOP as the index holds it.',
      readOnly: true,
      input: { id: z.string().min(1).describe('a unit id, document id, path or document number'), json },
      run: ({ id, ...rest }, context) => showCommand([id as string], { ...fixed, ...rest }, context),
    },
  ];
}

function given({ document }: { document: unknown }): { document?: readonly string[] } {
  return document === undefined ? {} : { document: document as readonly string[] };
}
