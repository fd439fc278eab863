/** Rows of cells → lines of CSV (RFC 4180) that a spreadsheet can open without running anything. */

/** One line without its line break. Cells that a spreadsheet would take for a formula get a leading apostrophe. */
export function formatCsvRow(cells: readonly (string | number)[]): string {
  return cells
    .map((cell) => quoteCell(typeof cell === 'number' ? cell.toString() : guardFormula(cell)))
    .join(',');
}

/** `=`, `+`, `-`, `@`, tab and carriage return start a formula in spreadsheet programs; a plain number does no harm. */
function guardFormula(text: string): string {
  return /^[=+\-@\t\r]/u.test(text) && !/^[+-]?\d+(?:[.,]\d+)?$/u.test(text) ? `'${text}` : text;
}

function quoteCell(text: string): string {
  return /[",\r\n]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
