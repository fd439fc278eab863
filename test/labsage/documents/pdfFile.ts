/** Placed pieces of text in; the bytes of a PDF file (Helvetica, WinAnsi) out. */

export type Placed = PlacedText | PlacedLine;

/** A drawn line from one point to another: x, y, x, y. */
interface PlacedLine {
  readonly line: readonly [number, number, number, number];
}

interface PlacedText {
  readonly text: string;
  /** Points from the lower left corner of a page of 595 × 842. */
  readonly x: number;
  readonly y: number;
  readonly size?: number;
  readonly bold?: boolean;
  /** Turned by 45 degrees, as watermarks are. */
  readonly tilted?: boolean;
}

/** `extra` is put into the trailer, for example an `/Encrypt` entry. */
export function pdfFile(pages: readonly (readonly Placed[])[], extra = ''): Uint8Array {
  const objects: string[] = [];
  const kids = pages.map((_, index) => `${5 + index * 2} 0 R`).join(' ');
  objects.push(
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
  );
  for (const name of ['Helvetica', 'Helvetica-Bold'])
    objects.push(`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`);
  pages.forEach((page, index) => {
    const stream = page.map(drawn).join('\n');
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${6 + index * 2} 0 R >>`,
    );
    objects.push(`<< /Length ${Buffer.byteLength(stream, 'latin1')} >>\nstream\n${stream}\nendstream`);
  });
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = file.length;
  file += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')}`;
  file += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${extra} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(file, 'latin1');
}

function drawn(placed: Placed): string {
  if ('line' in placed) {
    const [x, y, toX, toY] = placed.line;
    return `0.5 w ${x} ${y} m ${toX} ${toY} l S`;
  }
  const { text, x, y, size = 10, bold = false, tilted = false } = placed;
  const bytes = text
    .replaceAll('•', '\x95')
    .replaceAll('–', '\x96')
    .replace(/[\\()]/g, '\\$&');
  return `BT /${bold ? 'F2' : 'F1'} ${size} Tf ${tilted ? '0.7 0.7 -0.7 0.7' : '1 0 0 1'} ${x} ${y} Tm (${bytes}) Tj ET`;
}
