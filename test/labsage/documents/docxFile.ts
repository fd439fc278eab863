/** WordprocessingML in; the bytes of a DOCX file (a stored zip archive) out. */

import { crc32 } from 'node:zlib';

/** Parts by their names, as XML text; `word/document.xml` is wrapped around `body`. */
export function docxFile(body: string, parts: Readonly<Record<string, string>> = {}): Uint8Array {
  return zipFile({ 'word/document.xml': part('document', `<w:body>${body}</w:body>`), ...parts });
}

/** A part of the given root element, with Word's namespaces. */
export function part(root: string, inner: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><w:${root} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" xmlns:v="urn:schemas-microsoft-com:vml">${inner}</w:${root}>`;
}

/** A paragraph; `properties` go into `w:pPr`. */
export function p(text: string, properties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr>${r(text)}</w:p>`;
}

export function r(text: string, properties = ''): string {
  return `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</w:t></w:r>`;
}

export function table(rows: readonly (readonly string[])[], header = 0): string {
  const row = (cells: readonly string[], index: number): string =>
    `<w:tr>${index < header ? '<w:trPr><w:tblHeader/></w:trPr>' : ''}${cells.map((cell) => `<w:tc>${p(cell)}</w:tc>`).join('')}</w:tr>`;
  return `<w:tbl>${rows.map(row).join('')}</w:tbl>`;
}

/** Stored, not deflated: names and bytes as they are. */
export function zipFile(files: Readonly<Record<string, string | Uint8Array>>): Uint8Array {
  const chunks: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const data = Buffer.from(content);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(0x800, 2);
    head.writeUInt32LE(checksum(data), 10);
    head.writeUInt32LE(data.length, 14);
    head.writeUInt32LE(data.length, 18);
    head.writeUInt16LE(Buffer.byteLength(name), 22);
    chunks.push(Buffer.from('PK\x03\x04', 'latin1'), head, Buffer.from(name), data);
    const tail = Buffer.alloc(16);
    tail.writeUInt32LE(offset, 12);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), head, tail.subarray(2), Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + data.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Object.keys(files).length, 4);
  end.writeUInt16LE(Object.keys(files).length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...chunks, entries, Buffer.from('PK\x05\x06', 'latin1'), end]);
}

function checksum(data: Buffer): number {
  return crc32(data);
}
