/** JSON lines as `labsage chunk --json` writes them → documents with their units, ready to be indexed. */

import { z } from 'zod';
import { ExitCode, ToolError } from '../core/errors.js';
import { readLines } from '../core/lines.js';
import { sha256Hex } from '../core/text.js';
import { loadTokenCounter, type CountTokens } from '../core/tokenCounter.js';
import type { ContextUnit, Document, DocumentControl } from '../core/types.js';
import type { BuiltSearchUnit } from './searchUnits.js';
import type { CutDocument, UnitRecord } from './units.js';

const words = z.string().min(1);
const optional = z.string().exactOptional();

const unitRecord = z.object({
  document: z.object({
    id: words,
    path: words,
    title: z.string(),
    control: z
      .object({
        status: z.enum(['current', 'superseded', 'withdrawn', 'draft']),
        number: optional,
        version: optional,
        effective: optional,
        review: optional,
        owner: optional,
        approval: optional,
        approvedBy: optional,
        supersedes: optional,
      } satisfies Record<keyof DocumentControl, z.ZodType>)
      .exactOptional(),
  }),
  contextUnit: z.object({ id: words, headingPath: z.array(z.string()), text: words }),
  searchUnits: z
    .array(
      z.object({
        id: words,
        text: words,
        embedText: words,
        headingPath: z.array(z.string()).exactOptional(),
      }),
    )
    .min(1),
});

/** Reads all records and groups them by document. Throws (exit 3) naming the line that is not one. */
export async function readUnitRecords(
  stream: NodeJS.ReadableStream,
  options: { signal?: AbortSignal } = {},
): Promise<CutDocument[]> {
  const countTokens = await loadTokenCounter();
  const byDocument = new Map<string, UnitRecord[]>();
  const lineOf = new Map<string, number>();
  let line = 0;
  for await (const text of readLines(stream, options)) {
    line++;
    if (text.trim() === '') continue;
    const record = parseRecord(text, line);
    for (const { id } of [record.contextUnit, ...record.searchUnits]) {
      const earlier = lineOf.get(id);
      if (earlier !== undefined) throw noRecord(line, `the id ${id} stands in line ${earlier} too`);
      lineOf.set(id, line);
    }
    const records = byDocument.get(record.document.id);
    if (records === undefined) byDocument.set(record.document.id, [record]);
    else if (records[0]?.document.path !== record.document.path)
      throw noRecord(line, `the id ${record.document.id} is that of another document`);
    else records.push(record);
  }
  return [...byDocument.values()].map((records) => joinRecords(records, countTokens));
}

function parseRecord(text: string, line: number): UnitRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's message quotes the line.
    throw noRecord(line, 'it is no JSON');
  }
  const { data, error } = unitRecord.safeParse(value);
  if (data === undefined) {
    const issue = error.issues[0];
    const where = issue?.path.join('.') ?? '';
    throw noRecord(line, `${where}${where === '' ? '' : ': '}${issue?.message ?? 'not as expected'}`);
  }
  const { contextUnit, searchUnits } = data;
  const foreign = searchUnits.find((unit) => !contextUnit.text.includes(unit.text));
  if (foreign !== undefined)
    throw noRecord(line, `search unit ${foreign.id} does not stand in its context unit`);
  return data;
}

function noRecord(line: number, why: string): ToolError {
  return new ToolError(ExitCode.input, `line ${line} of stdin is no unit record: ${why}`, {
    hint: 'write them with: labsage chunk FILES --json',
  });
}

/** The document's text is its context units one after the other; lines are unknown, so locations name the file alone. */
function joinRecords(records: readonly UnitRecord[], countTokens: CountTokens): CutDocument {
  const first = records[0];
  if (first === undefined) throw new Error('a document without records');
  const { id, path, title, control = { status: 'current' } } = first.document;
  let text = '';
  const contexts: ContextUnit[] = [];
  const units: BuiltSearchUnit[] = [];
  for (const { contextUnit, searchUnits } of records) {
    const start = text === '' ? 0 : text.length + 2;
    text = `${text}${text === '' ? '' : '\n\n'}${contextUnit.text}`;
    contexts.push({
      id: contextUnit.id,
      docId: id,
      headingPath: contextUnit.headingPath,
      span: { start, end: text.length },
      carried: [],
      tokens: countTokens(contextUnit.text),
      sha256: sha256Hex(contextUnit.text),
    });
    let from = 0;
    for (const unit of searchUnits) {
      // Units come in order, so that what stands twice is found at its own place.
      const next = contextUnit.text.indexOf(unit.text, from);
      const own = next === -1 ? contextUnit.text.indexOf(unit.text) : next;
      from = own + 1;
      const at = start + own;
      units.push({
        id: unit.id,
        contextId: contextUnit.id,
        span: { start: at, end: at + unit.text.length },
        carried: [],
        embedText: unit.embedText,
        tokens: countTokens(unit.embedText),
        headingPath: unit.headingPath ?? contextUnit.headingPath,
      });
    }
  }
  const blocks = contexts.map(({ span }) => ({
    docId: id,
    kind: 'paragraph' as const,
    span,
    text: text.slice(span.start, span.end),
  }));
  const document: Document = {
    id,
    path,
    title,
    text,
    // No file is at hand: the records stand for it.
    sha256: sha256Hex(JSON.stringify(records)),
    control,
    blocks,
    origins: [],
    boilerplate: [],
  };
  return { document, contexts, units };
}
