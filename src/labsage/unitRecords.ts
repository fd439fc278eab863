/** JSON lines as `labsage chunk --json` writes them → documents with their units, ready to be indexed. */

import { createInterface } from 'node:readline';
import { ExitCode, ToolError } from '../core/errors.js';
import { sha256Hex } from '../core/text.js';
import { loadTokenCounter, type CountTokens } from '../core/tokenCounter.js';
import type { ContextUnit, Document } from '../core/types.js';
import type { BuiltSearchUnit } from './searchUnits.js';
import type { CutDocument, UnitRecord } from './units.js';

/** Reads all records and groups them by document. Throws (exit 3) naming the line that is not one. */
export async function readUnitRecords(stream: NodeJS.ReadableStream): Promise<CutDocument[]> {
  const countTokens = await loadTokenCounter();
  const byDocument = new Map<string, UnitRecord[]>();
  let line = 0;
  for await (const text of createInterface({ input: stream, crlfDelay: Infinity })) {
    line++;
    if (text.trim() === '') continue;
    const record = parseRecord(text, line);
    const records = byDocument.get(record.document.id);
    if (records === undefined) byDocument.set(record.document.id, [record]);
    else records.push(record);
  }
  return [...byDocument.values()].map((records) => joinRecords(records, countTokens));
}

function parseRecord(text: string, line: number): UnitRecord {
  const fail = (why: string, cause?: unknown): ToolError =>
    new ToolError(ExitCode.input, `line ${line} of stdin is no unit record: ${why}`, {
      hint: 'write them with: labsage chunk FILES --json',
      ...(cause === undefined ? {} : { cause }),
    });
  let value: Partial<UnitRecord>;
  try {
    value = JSON.parse(text) as Partial<UnitRecord>;
  } catch (error) {
    throw fail('it is no JSON', error);
  }
  const { document, contextUnit, searchUnits } = value;
  if (
    typeof document?.id !== 'string' ||
    typeof document.path !== 'string' ||
    typeof document.title !== 'string'
  ) {
    throw fail('document needs id, path and title');
  }
  if (
    typeof contextUnit?.id !== 'string' ||
    typeof contextUnit.text !== 'string' ||
    !Array.isArray(contextUnit.headingPath)
  ) {
    throw fail('contextUnit needs id, headingPath and text');
  }
  if (
    !Array.isArray(searchUnits) ||
    searchUnits.some((unit) => typeof unit.text !== 'string' || typeof unit.embedText !== 'string')
  ) {
    throw fail('searchUnits needs a list of id, text and embedText');
  }
  const foreign = searchUnits.find((unit) => !contextUnit.text.includes(unit.text));
  if (foreign !== undefined) throw fail(`search unit ${foreign.id} does not stand in its context unit`);
  return {
    document: { ...document, control: document.control ?? { status: 'current' } },
    contextUnit,
    searchUnits,
  };
}

/** The document's text is its context units one after the other; lines are unknown, so locations name the file alone. */
function joinRecords(records: readonly UnitRecord[], countTokens: CountTokens): CutDocument {
  const first = records[0];
  if (first === undefined) throw new Error('a document without records');
  const { id, path, title, control } = first.document;
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
    for (const unit of searchUnits) {
      const at = start + contextUnit.text.indexOf(unit.text);
      units.push({
        id: unit.id,
        contextId: contextUnit.id,
        span: { start: at, end: at + unit.text.length },
        carried: [],
        embedText: unit.embedText,
        tokens: countTokens(unit.embedText),
        headingPath: contextUnit.headingPath,
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
    sha256: sha256Hex(text),
    control,
    blocks,
    origins: [],
    boilerplate: [],
  };
  return { document, contexts, units };
}
