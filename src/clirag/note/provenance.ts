/** Sentences of a note → their sources: chunk, note and the span of the raw TEXT that says it. */

import type { NoteSource, QuotedSentence } from './noteRecord.js';
import type { LatestValue } from './latestValues.js';
import type { NoteSentence } from './noteSentences.js';
import type { PromptSource } from '../prompt.js';

export function toSource({ key, chunk }: PromptSource): NoteSource {
  return {
    key,
    unitId: chunk.id,
    noteId: chunk.noteId,
    type: chunk.type,
    date: chunk.date,
    ...(chunk.time === undefined ? {} : { time: chunk.time.slice(0, 5) }),
    header: chunk.header,
    ordinal: chunk.ordinal,
    span: chunk.rawSpan,
    text: chunk.text,
  };
}

/** `keyOf`: the source's key by chunk id; a sentence without a source is our bug. */
export function toSoapSentence(
  { text, label, chunk, rawSpan }: NoteSentence,
  keyOf: ReadonlyMap<string, string>,
): QuotedSentence {
  const key = keyOf.get(chunk.id);
  if (key === undefined) throw new Error(`a sentence of chunk ${chunk.id} has no source`);
  return {
    text,
    ...(label === undefined ? {} : { label }),
    citations: [key],
    noteId: chunk.noteId,
    span: rawSpan,
    date: chunk.date,
    ...(chunk.time === undefined ? {} : { time: chunk.time.slice(0, 5) }),
    type: chunk.type,
  };
}

/** A latest value as a fragment of its sentence, with its own time. */
export function toSoapValue(value: LatestValue, keyOf: ReadonlyMap<string, string>): QuotedSentence {
  const { sentence, start, end, at } = value;
  const span = { start: sentence.span.start + start, end: sentence.span.start + end };
  const { label: _label, time: _time, ...rest } = toSoapSentence(sentence, keyOf);
  const time = at.slice(11);
  return {
    ...rest,
    text: sentence.text.slice(start, end),
    span: sentence.rawOf(span),
    ...(time === '~' ? {} : { time }),
    isValue: true,
  };
}
