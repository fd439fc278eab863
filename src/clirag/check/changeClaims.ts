/** A line in which clirag tells what changed since the visit before → its statements, or the orders that must stand in the chart. */

import { splitSentences } from '../../core/text.js';
import { findOrders, type DrugAction } from '../note/drugOrders.js';
import { quoteFor, type ChartSource, type ChartSources } from './chartSources.js';

export interface StatedOrder {
  readonly drug: string;
  readonly action: DrugAction;
  readonly date: string;
  /** HH:MM; absent where the line names only a date. */
  readonly time?: string;
}

export interface ChangeClaim {
  /** To be checked one by one. */
  readonly statements: readonly string[];
  readonly orders: readonly StatedOrder[];
}

const VALUE = /^(\D.*?) (\S+) at (\d{2}:\d{2}|an unknown time); on (\d{4}-\d{2}-\d{2}) (\S+)$/u;
const ORDER =
  /^(.+?): (first ordered or given|ordered or given|held or stopped) in the note of (\d{2}:\d{2}|\d{4}-\d{2}-\d{2})(?:; on (\d{4}-\d{2}-\d{2}) it was (given|withheld))?\.?$/u;

export function readChange(text: string, visitDate: string): ChangeClaim | undefined {
  const value = VALUE.exec(text);
  if (value !== null) {
    const [, name = '', now = '', time = '', date = '', was = ''] = value;
    const at = time.startsWith('an') ? '' : ` at ${time}`;
    return { statements: [`${name} ${now}${at}`, `${name} ${was} on ${date}`], orders: [] };
  }
  const order = ORDER.exec(text);
  if (order === null) return undefined;
  const [, drug = '', verb = '', when = '', date, was] = order;
  const isTime = when.includes(':');
  return {
    statements: [],
    orders: [
      {
        drug,
        action: verb.startsWith('held') ? 'withheld' : 'given',
        ...(isTime ? { date: visitDate, time: when } : { date: when }),
      },
      ...(date === undefined ? [] : [{ drug, action: was as DrugAction, date }]),
    ],
  };
}

/** The sentence that orders it so; undefined where none does. */
export function findOrder(
  { drug, action, date, time }: StatedOrder,
  chart: ChartSources,
): { source: ChartSource; quote: ReturnType<typeof quoteFor> } | undefined {
  const library = date === chart.visit.date ? chart.whole : chart.earlier;
  for (const source of library.sources) {
    const { chunk } = source;
    if (chunk.date !== date || (time !== undefined && chunk.time?.slice(0, 5) !== time)) continue;
    for (const { start, end } of splitSentences(chunk.text)) {
      const sentence = chunk.text.slice(start, end);
      if (findOrders(sentence).some((order) => order.drug === drug && order.action === action))
        return { source, quote: quoteFor(sentence, source) };
    }
  }
  return undefined;
}
