/** Series of points or groups of bars → inline SVG with axes, a legend and a text for those who can't see it. */

import { markup, type Markup } from './report.js';

export interface PlotPoint {
  readonly x: number;
  readonly y: number;
  /** Ends of an interval around `y`. */
  readonly low?: number;
  readonly high?: number;
  /** What its mark's area stands for, such as a number of answers; all marks are equal where absent. */
  readonly weight?: number;
}

export interface PlotSeries {
  readonly name: string;
  readonly points: readonly PlotPoint[];
}

interface Axis {
  readonly label: string;
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly number[];
}

const WIDTH = 560;
const HEIGHT = 320;
const LEFT = 52;
const RIGHT = 130;
const TOP = 14;
const BOTTOM = 44;
const MARK = 3;
const LARGEST_MARK = 10;
const COLOURS = 5;
const DASHES = ['', '7 3', '2 3', '9 3 2 3', '5 5'];

/** Lines through the points, intervals as bands; `diagonal` draws where x and y are equal. */
export function linePlot(plot: {
  readonly caption: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly PlotSeries[];
  readonly diagonal?: boolean;
}): Markup {
  const { x, y, series } = plot;
  const toX = (value: number): number => scale(value, x, [LEFT, WIDTH - RIGHT]);
  const toY = (value: number): number => scale(value, y, [HEIGHT - BOTTOM, TOP]);
  const curves = series.map(({ points }, at) => {
    const most = Math.max(...points.map(({ weight = 0 }) => weight));
    const radius = ({ weight }: PlotPoint): number =>
      weight === undefined ? MARK : 2 + (LARGEST_MARK - 2) * Math.sqrt(weight / most);
    const path = points.map(
      (point, place) => `${place === 0 ? 'M' : 'L'}${round(toX(point.x))} ${round(toY(point.y))}`,
    );
    const upper = points.map((point) => `${round(toX(point.x))} ${round(toY(point.high ?? point.y))}`);
    const lower = points
      .map((point) => `${round(toX(point.x))} ${round(toY(point.low ?? point.y))}`)
      .reverse();
    const marks = points.map(
      (point) =>
        markup`<circle class="${colour(at)}" cx="${round(toX(point.x))}" cy="${round(toY(point.y))}" r="${round(radius(point))}"/>`,
    );
    const band = points.some(({ low }) => low !== undefined)
      ? markup`<polygon class="band ${colour(at)}" points="${[...upper, ...lower].join(', ')}"/>`
      : markup``;
    return markup`${band}<path class="curve ${colour(at)}" stroke-dasharray="${dash(at)}" d="${path.join('')}"/>${marks}`;
  });
  const ideal = plot.diagonal === true ? [diagonal(x, y, { toX, toY })] : [];
  return figure(plot.caption, {
    height: HEIGHT,
    body: [
      gridX(x, toX),
      gridY(y, toY),
      ...ideal,
      ...curves,
      legend(
        series.map(({ name }) => name),
        lineKey,
      ),
    ],
  });
}

/** Horizontal bars, a group a row; an undefined value leaves its place empty. */
export function barPlot(plot: {
  readonly caption: string;
  readonly x: Axis;
  readonly groups: readonly string[];
  readonly series: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[];
}): Markup {
  const { x, groups, series } = plot;
  const bar = 9;
  const group = series.length * bar + 9;
  const left = 150;
  const bottom = TOP + groups.length * group;
  const toX = (value: number): number => scale(Math.min(value, x.max), x, [left, WIDTH - RIGHT]);
  const rows = groups.map((name, row) => {
    const top = TOP + row * group;
    const bars = series.map(({ values }, at) => {
      const value = values[row];
      if (value === undefined) return markup``;
      return markup`<rect class="${colour(at)}" x="${left}" y="${round(top + at * bar)}" width="${round(Math.max(1, toX(value) - left))}" height="${bar - 2}"/>`;
    });
    return markup`<text x="${left - 8}" y="${round(top + group / 2)}" text-anchor="end">${name}</text>${bars}`;
  });
  const ticks = x.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="${round(toX(tick))}" x2="${round(toX(tick))}" y1="${TOP}" y2="${bottom}"/><text class="small" x="${round(toX(tick))}" y="${bottom + 16}" text-anchor="middle">${label(tick)}</text>`,
  );
  const title = markup`<text class="small" x="${round((left + WIDTH - RIGHT) / 2)}" y="${bottom + 33}" text-anchor="middle">${x.label}</text>`;
  return figure(plot.caption, {
    height: bottom + BOTTOM,
    body: [
      ...ticks,
      ...rows,
      title,
      legend(
        series.map(({ name }) => name),
        barKey,
      ),
    ],
  });
}

function figure(caption: string, { height, body }: { height: number; body: readonly Markup[] }): Markup {
  return markup`<figure><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${caption}">${body}</svg><figcaption>${caption}</figcaption></figure>
`;
}

function gridX(axis: Axis, toX: (value: number) => number): Markup {
  const y = HEIGHT - BOTTOM;
  const ticks = axis.ticks.map(
    (tick) =>
      markup`<line class="axis" x1="${round(toX(tick))}" x2="${round(toX(tick))}" y1="${y}" y2="${y + 4}"/><text class="small" x="${round(toX(tick))}" y="${y + 17}" text-anchor="middle">${label(tick)}</text>`,
  );
  const middle = round((LEFT + WIDTH - RIGHT) / 2);
  return markup`<line class="axis" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y}" y2="${y}"/>${ticks}<text class="small" x="${middle}" y="${y + 36}" text-anchor="middle">${axis.label}</text>`;
}

function gridY(axis: Axis, toY: (value: number) => number): Markup {
  const ticks = axis.ticks.map(
    (tick) =>
      markup`<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${round(toY(tick))}" y2="${round(toY(tick))}"/><text class="small" x="${LEFT - 7}" y="${round(toY(tick) + 4)}" text-anchor="end">${label(tick)}</text>`,
  );
  const middle = round((TOP + HEIGHT - BOTTOM) / 2);
  return markup`${ticks}<text class="small" transform="translate(13 ${middle}) rotate(-90)" text-anchor="middle">${axis.label}</text>`;
}

function diagonal(
  x: Axis,
  y: Axis,
  { toX, toY }: { toX: (value: number) => number; toY: (value: number) => number },
): Markup {
  const [from, to] = [Math.max(x.min, y.min), Math.min(x.max, y.max)];
  return markup`<line class="ideal" x1="${round(toX(from))}" y1="${round(toY(from))}" x2="${round(toX(to))}" y2="${round(toY(to))}"/>`;
}

type Key = (place: { at: number; x: number; y: number }) => Markup;

/** A piece of the curve, and of a bar, beside the name of its series. */
const lineKey: Key = ({ at, x, y }) =>
  markup`<line class="curve ${colour(at)}" stroke-dasharray="${dash(at)}" x1="${x}" x2="${x + 20}" y1="${y}" y2="${y}"/>`;
const barKey: Key = ({ at, x, y }) =>
  markup`<rect class="${colour(at)}" x="${x}" y="${y - 4}" width="20" height="7"/>`;

function legend(names: readonly string[], key: Key): Markup {
  const x = WIDTH - RIGHT + 14;
  const rows = names.map((name, at) => {
    const y = TOP + 8 + at * 19;
    return markup`${key({ at, x, y })}<text x="${x + 26}" y="${y + 4}">${name}</text>`;
  });
  return markup`${rows}`;
}

/** Round steps that reach from `min` to at least `max`. */
export function niceAxis(axisLabel: string, { min = 0, max }: { min?: number; max: number }): Axis {
  const span = Math.max(max - min, 1e-9);
  const magnitude = 10 ** Math.floor(Math.log10(span / 4));
  const step =
    [1, 2, 2.5, 5, 10].map((factor) => factor * magnitude).find((size) => span / size <= 5) ?? span;
  const count = Math.ceil(span / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, at) => min + at * step);
  return { label: axisLabel, min, max: min + count * step, ticks };
}

function scale(value: number, { min, max }: Axis, [from, to]: readonly [number, number]): number {
  const share = (value - min) / (max - min);
  return from + Math.min(1, Math.max(0, share)) * (to - from);
}

function colour(at: number): string {
  return `c${at % COLOURS}`;
}

function dash(at: number): string {
  return DASHES[at % DASHES.length] ?? '';
}

function label(tick: number): string {
  return Number(tick.toPrecision(6)).toLocaleString('en-US');
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
