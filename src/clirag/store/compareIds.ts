/** Two ids → their order: numbers by size, all else by character codes, the same on every machine. */

export function compareIds(a: string, b: string): number {
  if (a.length !== b.length && isNumber(a) && isNumber(b)) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNumber(id: string): boolean {
  for (let at = 0; at < id.length; at++) {
    const code = id.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return id !== '';
}
