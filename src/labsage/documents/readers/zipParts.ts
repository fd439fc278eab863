/** The bytes of a zip archive in; the wanted parts, inflated within bounds, out. */

import { fromBuffer, type Entry, type ZipFile } from 'yauzl';

import { ExitCode, ToolError } from '../../../core/errors.js';

/** Largest part that is inflated, in bytes. */
export const PART_LIMIT_BYTES = 32 * 1024 * 1024;
/** All parts of one file together, in bytes. */
export const PARTS_LIMIT_BYTES = 96 * 1024 * 1024;
/** Entries of one archive. */
const ENTRY_LIMIT = 20_000;

export interface ZipOptions {
  readonly path: string;
  readonly wanted: (name: string) => boolean;
}

/**
 * What an entry says of its own size is not believed: bytes are counted as they come out.
 * @throws ToolError (input) for a damaged archive, or one that inflates beyond the limits.
 */
export async function readZipParts(
  bytes: Uint8Array,
  { path, wanted }: ZipOptions,
): Promise<Map<string, Uint8Array>> {
  const damaged = (cause: unknown): ToolError =>
    cause instanceof ToolError
      ? cause
      : new ToolError(ExitCode.input, `${path}: the file is damaged (its zip archive cannot be read)`, {
          hint: 'open it in Word and save it again',
          cause,
        });
  const parts = new Map<string, Uint8Array>();
  try {
    const zip = await openZip(bytes);
    if (zip.entryCount > ENTRY_LIMIT) throw tooLarge(path, `has more than ${ENTRY_LIMIT} parts`);
    let total = 0;
    for (let entry = await nextEntry(zip); entry !== undefined; entry = await nextEntry(zip)) {
      if (!wanted(entry.fileName) || parts.has(entry.fileName)) continue;
      const part = await inflate(zip, {
        entry,
        path,
        limit: Math.min(PART_LIMIT_BYTES, PARTS_LIMIT_BYTES - total),
      });
      total += part.length;
      parts.set(entry.fileName, part);
    }
    zip.close();
  } catch (error) {
    throw damaged(error);
  }
  return parts;
}

function openZip(bytes: Uint8Array): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(
      Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length),
      { lazyEntries: true, validateEntrySizes: true },
      (error, zip) => {
        if (error) reject(error);
        else resolve(zip);
      },
    );
  });
}

function nextEntry(zip: ZipFile): Promise<Entry | undefined> {
  return new Promise((resolve, reject) => {
    const done = (settle: () => void): void => {
      zip.removeListener('entry', onEntry).removeListener('end', onEnd).removeListener('error', onError);
      settle();
    };
    const onEntry = (entry: Entry): void => done(() => resolve(entry));
    const onEnd = (): void => done(() => resolve(undefined));
    const onError = (error: unknown): void =>
      done(() => reject(error instanceof Error ? error : new Error(String(error))));
    zip.on('entry', onEntry).on('end', onEnd).on('error', onError);
    zip.readEntry();
  });
}

function inflate(
  zip: ZipFile,
  { entry, path, limit }: { entry: Entry; path: string; limit: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (openError, stream) => {
      if (openError) {
        reject(openError);
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      stream.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > limit) {
          stream.destroy();
          reject(tooLarge(path, `inflates to more than ${limit / 1024 / 1024} MB`));
        }
      });
      stream.on('error', reject);
      stream.on('end', () => resolve(Buffer.concat(chunks)));
    });
  });
}

function tooLarge(path: string, how: string): ToolError {
  return new ToolError(ExitCode.input, `${path}: ${how} and was not read`, {
    hint: 'leave it out, or save it again without its attachments',
  });
}
