/** The drawing commands of one PDF page in; its straight level and upright lines, in points, out. */

/** `at` is the y of a level line and the x of an upright one; it runs from `from` to `to`, which is greater. */
export interface Rule {
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PageRules {
  readonly level: readonly Rule[];
  readonly upright: readonly Rule[];
  /** The middles of small filled or drawn shapes, as bullets are. */
  readonly dots: readonly Point[];
}

/** What `PDFPageProxy.getOperatorList` resolves to, and the numbers of the commands that matter here. */
export interface DrawingCommands {
  readonly fnArray: readonly number[];
  readonly argsArray: readonly unknown[];
}
export interface CommandNumbers {
  readonly save: number;
  readonly restore: number;
  readonly transform: number;
  readonly constructPath: number;
  readonly moveTo: number;
  readonly lineTo: number;
  readonly curveTo: number;
  readonly curveTo2: number;
  readonly curveTo3: number;
  readonly closePath: number;
  readonly rectangle: number;
  readonly stroke: number;
  readonly closeStroke: number;
  readonly fill: number;
  readonly eoFill: number;
  readonly fillStroke: number;
  readonly eoFillStroke: number;
  readonly closeFillStroke: number;
  readonly closeEOFillStroke: number;
  readonly endPath: number;
  readonly paintFormXObjectBegin: number;
  readonly paintFormXObjectEnd: number;
}

/** Thicker than this, in points, a filled shape is no line. */
const THICK = 2.5;
/** Shorter than this, in points, a line is part of a drawing. */
const SHORT = 3;
/** A shape with more corners is a drawing. */
const MOST_CORNERS = 20;
/** Sides of a bullet, in points. */
const DOT = { least: 1.5, most: 7 } as const;
/** A page with more lines than this is a drawing. */
const RULE_LIMIT = 20_000;

type Matrix = readonly [number, number, number, number, number, number];
export const NO_RULES: PageRules = { level: [], upright: [], dots: [] };

export function rulesOfPage({ fnArray, argsArray }: DrawingCommands, ops: CommandNumbers): PageRules {
  const level: Rule[] = [];
  const upright: Rule[] = [];
  const filled = new Set([ops.fill, ops.eoFill]);
  const stroked = new Set([
    ops.stroke,
    ops.closeStroke,
    ops.fillStroke,
    ops.eoFillStroke,
    ops.closeFillStroke,
    ops.closeEOFillStroke,
  ]);
  const add = (a: Point, b: Point): void => {
    const [width, height] = [Math.abs(a.x - b.x), Math.abs(a.y - b.y)];
    if (height <= THICK && width >= SHORT && width > height)
      level.push({ at: (a.y + b.y) / 2, from: Math.min(a.x, b.x), to: Math.max(a.x, b.x) });
    else if (width <= THICK && height >= SHORT)
      upright.push({ at: (a.x + b.x) / 2, from: Math.min(a.y, b.y), to: Math.max(a.y, b.y) });
  };
  let matrix: Matrix = [1, 0, 0, 1, 0, 0];
  const kept: Matrix[] = [];
  const dots: Point[] = [];
  let shapes: Shape[] = [];
  for (let index = 0; index < fnArray.length; index += 1) {
    const command = fnArray[index];
    const args = argsArray[index];
    if (command === ops.save || command === ops.paintFormXObjectBegin) {
      kept.push(matrix);
      const own = command === ops.save ? undefined : asMatrix(Array.isArray(args) ? args[0] : undefined);
      if (own !== undefined) matrix = product(matrix, own);
    } else if (command === ops.restore || command === ops.paintFormXObjectEnd) {
      matrix = kept.pop() ?? matrix;
    } else if (command === ops.transform) {
      const own = asMatrix(args);
      if (own !== undefined) matrix = product(matrix, own);
    } else if (command === ops.constructPath) {
      for (const { corners, curved } of shapesOf(args, ops))
        shapes.push({ corners: corners.map((point) => moved(matrix, point)), curved });
    } else if (command !== undefined && (filled.has(command) || stroked.has(command))) {
      for (const { corners: shape, curved } of shapes) {
        const box = boxOf(shape);
        const sides = [box.right - box.left, box.high - box.low];
        if (sides.every((side) => side >= DOT.least && side <= DOT.most))
          dots.push({ x: (box.left + box.right) / 2, y: (box.low + box.high) / 2 });
        if (curved) continue;
        if (filled.has(command)) addBox(box, add);
        else for (let at = 1; at < shape.length; at += 1) add(shape[at - 1] as Point, shape[at] as Point);
      }
      shapes = [];
    } else if (command === ops.endPath) {
      shapes = [];
    }
    if (level.length + upright.length + dots.length > RULE_LIMIT) return NO_RULES;
  }
  return { level, upright, dots };
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly low: number;
  readonly high: number;
}

function boxOf(corners: readonly Point[]): Box {
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)];
  return { left: Math.min(...xs), right: Math.max(...xs), low: Math.min(...ys), high: Math.max(...ys) };
}

/** A filled shape is a line if it is as thin as one. */
function addBox({ left, right, low, high }: Box, add: (a: Point, b: Point) => void): void {
  if (high - low <= THICK) add({ x: left, y: (low + high) / 2 }, { x: right, y: (low + high) / 2 });
  else if (right - left <= THICK) add({ x: (left + right) / 2, y: low }, { x: (left + right) / 2, y: high });
}

interface Shape {
  /** Where its sides end. */
  readonly corners: readonly Point[];
  readonly curved: boolean;
}

/** The parts of a path; those with more than a few corners are drawings. */
function shapesOf(args: unknown, ops: CommandNumbers): Shape[] {
  if (!Array.isArray(args)) return [];
  const [commands, numbers] = args as [unknown, unknown];
  if (!isNumbers(commands) || !isNumbers(numbers)) return [];
  const shapes: Shape[] = [];
  let open: Point[] = [];
  let curved = false;
  let at = 0;
  const next = (): number => numbers[at++] ?? 0;
  const end = (): void => {
    if (open.length > 1 && open.length <= MOST_CORNERS) shapes.push({ corners: open, curved });
    open = [];
    curved = false;
  };
  for (const command of commands) {
    if (command === ops.moveTo) {
      end();
      open = [{ x: next(), y: next() }];
    } else if (command === ops.lineTo) {
      open.push({ x: next(), y: next() });
    } else if (command === ops.rectangle) {
      end();
      const [x, y, width, height] = [next(), next(), next(), next()];
      const corner = { x, y };
      open = [corner, { x: x + width, y }, { x: x + width, y: y + height }, { x, y: y + height }, corner];
      end();
    } else if (command === ops.closePath) {
      const [first] = open;
      if (first !== undefined) open.push(first);
    } else if (command === ops.curveTo || command === ops.curveTo2 || command === ops.curveTo3) {
      // Only where a curve ends matters: a shape with one is no line.
      at += command === ops.curveTo ? 4 : 2;
      open.push({ x: next(), y: next() });
      curved = true;
    }
  }
  end();
  return shapes;
}

function isNumbers(value: unknown): value is ArrayLike<number> & Iterable<number> {
  return Array.isArray(value) || ArrayBuffer.isView(value);
}

function asMatrix(value: unknown): Matrix | undefined {
  if (!isNumbers(value) || value.length !== 6) return undefined;
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = value;
  return [a, b, c, d, e, f];
}

function product(outer: Matrix, inner: Matrix): Matrix {
  const [a, b, c, d, e, f] = outer;
  const [g, h, i, j, k, l] = inner;
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f];
}

function moved([a, b, c, d, e, f]: Matrix, { x, y }: Point): Point {
  return { x: a * x + c * y + e, y: b * x + d * y + f };
}
