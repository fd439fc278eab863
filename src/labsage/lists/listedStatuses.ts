/** What `list --status` takes: loaded with the command line, so it imports nothing. */

export const LISTED_STATUSES = [
  'current',
  'overdue',
  'not-yet-effective',
  'superseded',
  'withdrawn',
  'draft',
] as const;
/** As `DocumentControl.status`, with what depends on the day told apart; `overdue` documents are `current` too. */
export type ListedStatus = (typeof LISTED_STATUSES)[number];
