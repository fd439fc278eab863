/** A question → whether it asks for documents instead of words in them, and then for which ones. */

import type { ListedStatus } from './listedStatuses.js';
import { splitSegments, type Segment } from './corpusTerms.js';
import { readControlAsks, type ControlAsks } from './controlAsks.js';

/** "Which assays use calcium chloride?": the answer is a list of documents, complete, and not the best three sections. */
export interface CorpusQuestion {
  readonly asks: 'list' | 'count';
  /** What the documents must mention; several are joined by AND unless `or` says otherwise. */
  readonly segments: readonly Segment[];
  readonly control: ControlAsks;
}

const PLURAL = String.raw`(?:sops|procedures|documents|protocols|policies|work instructions|instructions|(?:standard )?operating procedures)`;
const SINGULAR = String.raw`(?:sop|procedure|document|protocol|policy|work instruction|instruction|(?:standard )?operating procedure)`;
/** Words for what the documents are about: only with a verb that asks for a list. */
const SUBJECTS = String.raw`(?:assays|tests|methods|analytes|examinations|parameters)`;
const STATUSES = String.raw`(?:current|active|valid|superseded|withdrawn|obsolete|retired|draft|overdue|outdated|expired)`;

/** What may stand between "which" and "SOPs"; any other word makes another noun of it ("which factor tests"). */
function modifiers(folders: readonly string[]): string {
  const names = folders.map((name) => name.replace(/[^\p{L}\p{N}]+/gu, '.?')).filter((name) => name !== '');
  const words = [
    String.raw`of|the|our|these|all|other|different|written|existing|controlled|lab|laboratory|department`,
    STATUSES,
    ...names,
  ];
  return String.raw`(?:(?:${words.join('|')})\s+)*`;
}

/** A request in front of "all SOPs": with anything else there, "all" belongs to a sentence about something else. */
const REQUEST = String.raw`(?:(?:please|can|could|would|will|you|i|we|need|want|would like|like|to|see|have|know|list|show|give|find|get|name|display|print|tell|me|us|out|a|the|full|complete|list of|hi|hello|and|or)\s+)*`;

const COMMAND = '(?:list|show|find|give|name|get|tell|display|print)';

const VERBS_OF_SUBJECTS = String.raw`(?:(?:that|which|who)\s+)?(?:(?:are|is|were|can be|do we|must be|may be|have to be)\s+)?(?:use[sd]?|using|needs?|needed|requir\w+|run|runs|running|mention\w*|contain\w*|done|performed|measured|stop\w*|depend\w*|affected|rel(?:y|ies)|interfered|call(?:s|ed)? for|on|with|(?:does|do)\s+(?:the|a|an)\b)`;

const MENTION = String.raw`\b(?:mention\w*|cit(?:e|es|ed|ing)|refer(?:s|red|ring|ence|ences|enced)?|nam(?:es|ed)|lists|contain\w*|uses?|says?|overdue|own(?:s|ed)?|superseded|withdrawn|draft|past)\b`;

/** "Which procedure do I follow when …" asks what to do, not for documents. */
const ASKS_WHAT_TO_DO =
  /(?:\b(?:do|does|should|must|shall)|(?<!^(?:please\s+)?)\b(?:can|may))\s+(?:i|we|one|you|they|the (?:tech|technologist|nurse|ward|bench))\s+(?:(?:need|have)\s+to\s+\p{L}+|(?!have\b|run\b|measure\b|use\b|perform\b|own\b|keep\b|offer\b|need\b|find\b|mention\b|say\b)\p{L}+)|\buse\s+(?:when|if|first)\b/iu;

/** Longer questions tell a story; what they ask for is words. */
const MOST_WORDS = 45;

/**
 * Recognises questions for documents by what they ask for ("which SOPs", "every procedure that", "how many documents"),
 * never by their subject, so that a question about words in a document is left alone.
 * @param options.today ISO date that "next month" counts from
 * @param options.folders names of folders in the index, which may stand before "SOPs" ("all hematology SOPs")
 * @returns undefined for every other question.
 */
export function recognizeCorpusQuestion(
  question: string,
  options: { today: string; folders?: readonly string[] },
): CorpusQuestion | undefined {
  const text = question.replace(/[’‘]/gu, "'").replace(/\s+/gu, ' ').trim();
  if (text.split(' ').length > MOST_WORDS || ASKS_WHAT_TO_DO.test(text)) return undefined;
  const focus = findFocus(text, options.folders ?? []);
  if (focus === undefined) return undefined;
  const subject = `${text.slice(0, focus.start)} , ${text.slice(focus.end)}`;
  const { asks: control, rest } = readControlAsks(subject, { ...focus, today: options.today });
  return { asks: focus.asks, segments: splitSegments(rest), control };
}

interface Focus {
  readonly asks: 'list' | 'count';
  readonly start: number;
  readonly end: number;
  readonly status: ListedStatus | undefined;
  readonly folders: readonly string[];
}

function findFocus(text: string, folders: readonly string[]): Focus | undefined {
  const between = modifiers(folders);
  const start = String.raw`(?:^|[?!.:;]\s+)${REQUEST}`;
  const forms: readonly { pattern: string; asks: 'list' | 'count'; needs?: RegExp }[] = [
    { pattern: String.raw`\bhow many\s+${between}${PLURAL}\b`, asks: 'count' },
    { pattern: String.raw`\bhow many\s+${between}${SUBJECTS}\b(?=\s+${VERBS_OF_SUBJECTS})`, asks: 'count' },
    { pattern: String.raw`\b(?:which|what)\s+${between}${PLURAL}\b`, asks: 'list' },
    {
      pattern: String.raw`\b(?:which|what)\s+${between}${SUBJECTS}\b(?=\s+${VERBS_OF_SUBJECTS})`,
      asks: 'list',
    },
    {
      pattern: String.raw`\b(?:which|what)\s+${between}${SINGULAR}\b`,
      asks: 'list',
      needs: new RegExp(MENTION, 'iu'),
    },
    {
      pattern: String.raw`${start}(?:all|every|each|any)\s+${between}(?:${PLURAL}|${SINGULAR})\b`,
      asks: 'list',
    },
    {
      pattern: String.raw`${start}(?:all|every|each)\s+${between}(?:${SUBJECTS}|assay|test|method)\b(?=\s+${VERBS_OF_SUBJECTS})`,
      asks: 'list',
    },
    { pattern: String.raw`${start}${COMMAND}\s+(?:me\s+)?${between}${PLURAL}\b`, asks: 'list' },
    {
      pattern: String.raw`${start}(?:everything|anything|whatever)(?=\s+(?:that|which|where|in which)?\b.*${MENTION})`,
      asks: 'list',
    },
    {
      pattern: String.raw`^(?:${PLURAL})(?=\s+(?:that|which|where|mentioning|using|citing|naming|containing|with|about|on|in which|owned|approved|due|overdue)\b)`,
      asks: 'list',
    },
    {
      pattern: String.raw`^(?:(?:is|are) there|do we have|have we(?: got)?|do|does|is|are)\s+any\s+${between}(?:${PLURAL}|${SINGULAR})\b(?=.*${MENTION})`,
      asks: 'list',
    },
    {
      pattern: String.raw`^where(?: else)? (?:is|are)\b(?=.+\b(?:mentioned|referenced|cited|named|referred to)\b)`,
      asks: 'list',
    },
  ];
  for (const { pattern, asks, needs } of forms) {
    const match = new RegExp(pattern, 'iu').exec(text);
    if (match === null || needs?.test(text) === false) continue;
    const words = match[0];
    return {
      asks,
      start: match.index,
      end: match.index + words.length,
      status: statusOf(words),
      folders: folders.filter((name) =>
        new RegExp(String.raw`\b${name.replace(/[^\p{L}\p{N}]+/gu, '.?')}\b`, 'iu').test(words),
      ),
    };
  }
  return undefined;
}

function statusOf(words: string): ListedStatus | undefined {
  if (/\b(?:superseded|obsolete)\b/iu.test(words)) return 'superseded';
  if (/\b(?:withdrawn|retired)\b/iu.test(words)) return 'withdrawn';
  if (/\b(?:overdue|outdated|expired)\b/iu.test(words)) return 'overdue';
  return /\bdraft\b/iu.test(words) ? 'draft' : undefined;
}
