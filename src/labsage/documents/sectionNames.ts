/** The words that laboratories name their sections with, and the shapes that names have: data and plain predicates. */

/** Usual names of SOP sections, at the start of a heading's words. */
const SECTION_NAME =
  /^(?:purpose|scope|aims?|objectives?|principles?|background|introduction|overview|summary|clinical (?:significance|utility|information)|intended use|applicab\w+|responsib\w+|roles?|personnel|qualifications?|definitions?|abbreviations|acronyms|terminology|specimens?|samples?|patient preparation|equipment|instruments?|instrumentation|apparatus|reagents?|materials?|supplies|calibrat\w+|standards?(?! operating)|quality (?:control|assurance|management)|q\.?c\.?|controls?|procedures?|procedural|methods?|methodology|assay|test(?:ing)?|analysis|calculations?|results?|result \w+|reporting|interpretation|reference|normal|expected|critical|limitations?|interfer\w+|performance|precision|linearity|validation|verification|safety|precautions?|warnings?|hazards?|waste|maintenance|trouble-?shooting|documentation|records?|related|references?|bibliography|appendi\w+|attachments?|annex\w*|forms|revision|version|review|change|history|document|approvals?|authori[sz]ation|signatures?|distribution|training|competency|corrective|storage|stability|preparation|pre-?analytical|analytical|post-?analytical|turnaround|notes?|policy|conclusion|start-?up|shut-?down|acceptance|rejection|unacceptable|preferred)\b/i;

/** Names that close a document: majors also where the majors before them are numbered. */
const CLOSING_NAME =
  /^(?:references?|bibliography|appendix|appendices|attachments?|annex|revision|version history|change (?:history|log|record)|document (?:control|history|approval)|approvals?|authori[sz]ation|signatures?|review and|distribution|forms|related documents|conclusion)\b/i;

/** Fields to be filled in by hand: no headings although they end in a colon. */
const SIGN_OFF =
  /^(?:(?:approved|reviewed|prepared|authori[sz]ed|written|verified|issued|performed|completed|signed|final\w*|reviewed and approved|author\w*|authored)\b.*\b(?:by|on|date)|author|date|signatures?|name|title|position|initials|signed|printed name|tech(?:nologist)?|supervisor|director|medical director|laboratory director|date of .*|(?:effective|revision|review|approval|issue|next review|last review\w*) date|version(?: (?:no|number))?|revision(?: (?:no|number))?|page|sop (?:no|number|title|id)|document (?:no|number|title|id))[\s.#]*:?$/i;

const IMPERATIVE = new Set(
  'add adjust agitate aliquot allow apply aspirate assemble attach avoid begin calculate call centrifuge change check choose clean click close collect compare complete confirm connect contact count cover cut decant detach determine dilute discard dispense dispose document do draw dry ensure enter establish evaluate examine fill flush follow hold homogenize homogenise identify immerse include incubate inform initiate inoculate insert inspect investigate invert keep label leave let load locate log lower maintain make mark measure mix monitor mount move never notify observe obtain open participate perform pick pipette place plot position pour prepare press print program pull push put read recalibrate reconstitute record refer reject release remove repeat replace report resuspend retain retrieve return review rinse rotate run save scan seal select send separate set shake sign spin start stir stop store submit switch take tap thaw touch transfer transport turn use utilize validate vortex verify wait warm wash wear weigh wipe withdraw write'.split(
    ' ',
  ),
);

const SENTENCE_WORD =
  /\b(?:is|are|was|were|be|been|must|should|will|shall|may|can|cannot|has|have|had|does|do not|don't|following|follows|if|when|that|which|include[sd]?)\b/;

const SMALL_WORD =
  /^(?:a|an|and|as|at|by|de|for|from|in|into|nor|of|on|or|per|the|to|under|up|using|via|vs|with|within|without)$/i;

export function isSectionName(words: string): boolean {
  return SECTION_NAME.test(words);
}

export function isClosingName(words: string): boolean {
  return CLOSING_NAME.test(words);
}

export function isSignOff(words: string): boolean {
  return words.length < 80 && SIGN_OFF.test(words.trim());
}

/** All its letters are capitals (units and plurals in brackets aside), and there are words among them, not only an abbreviation. */
export function isCapitals(words: string): boolean {
  if (words.length > 160) return false;
  const bare = words
    .replace(/\([^()]{0,60}\)/g, ' ')
    .replace(/\b(?:pH|IgE|IgG|IgM|IgA|mRNA|mL|and|or|of|for|the|in|by|to|with)\b/g, ' ');
  if (/\p{Ll}/u.test(bare)) return false;
  const long = bare.match(/\p{Lu}{4,}/gu) ?? [];
  return long.length > 0 && (long.some((word) => /[AEIOUY]/.test(word)) || isSectionName(words));
}

/** Short, starts like a name, and is no sentence, order or cut-off line. */
export function isNameLike(words: string): boolean {
  if (words.length > 110) return false;
  const bare = words.replace(/:$/, '').trim();
  if (bare === '' || /[.;,!?|=]$/.test(bare) || /[:;?!|=<>]\s/.test(bare) || /\.\s+\p{Lu}/u.test(bare))
    return false;
  if (!/^[\p{Lu}\p{N}("“'±]/u.test(bare)) return false;
  const parts = bare.split(' ');
  if (parts.length > 12) return false;
  if (SENTENCE_WORD.test(bare)) return false;
  if (SMALL_WORD.test(parts.at(-1) ?? '') || /[-/–]$/.test(bare)) return false;
  if (!/\p{L}{2}/u.test(bare)) return false;
  return capitalisedShare(parts) >= 0.99 || (parts.length <= 7 && !isOrder(bare));
}

/** Starts with a verb in the imperative, as a step does. */
export function isOrder(words: string): boolean {
  const first = /^[\p{L}-]+/u.exec(words)?.[0] ?? '';
  return IMPERATIVE.has(first.toLowerCase());
}

/** Share of the words of meaning that start with a capital or a digit. */
export function capitalisedShare(parts: readonly string[]): number {
  const meant = parts.filter((part) => !SMALL_WORD.test(part) && /\p{L}/u.test(part));
  if (meant.length === 0) return 0;
  return (
    meant.filter((part) => /^[^\p{L}]*\p{Lu}/u.test(part) || /^\p{N}|^µ|^p[HCO]/u.test(part)).length /
    meant.length
  );
}

/** `WARNING: …`, `Note – …`, or the word alone. */
export function isWarningStart(text: string): boolean {
  const head = text.slice(0, 40);
  return (
    /^[*!⚠\s]*(?:warnings?|cautions?|notes?|danger|important|attention|biohazard)\s*(?:[:!—–]|-\s|$)/iu.test(
      head,
    ) || /^[*!⚠\s]*(?:WARNING|CAUTION|NOTE|DANGER|IMPORTANT)\s+\p{Lu}?\p{Ll}/u.test(head)
  );
}

/** `WARNING:` alone on its line. */
export function isWarningWord(text: string): boolean {
  return /^[*!⚠\s]*(?:warning|caution|note|danger|important|attention|biohazard)s?\s*[:!.]?$/iu.test(
    text.slice(0, 40),
  );
}
