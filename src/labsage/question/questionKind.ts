/** A question → which kinds of words would answer it (a duration, a temperature, a limit …), and whether a text has them. */

export type AskedKind =
  'duration' | 'volume' | 'temperature' | 'limit' | 'tube' | 'frequency' | 'reason' | 'action';

interface KindRule {
  readonly asked: RegExp;
  readonly answered: RegExp;
}

const NUMBER = String.raw`(?:\d[\d.,]*|one|two|three|four|five|six|seven|eight|nine|ten|twelve)`;

const KINDS: Readonly<Record<AskedKind, KindRule>> = {
  duration: {
    asked:
      /\b(?:how long|how soon|how old|stab(?:le|ility)|expir|time limit|within what|how many (?:hours|minutes|days|weeks|months)|until when|by when)\b/iu,
    answered: new RegExp(
      String.raw`\b${NUMBER}[\s-]*(?:s|sec|seconds?|min|minutes?|h|hrs?|hours?|days?|weeks?|months?|years?)\b`,
      'iu',
    ),
  },
  volume: {
    asked: /\b(?:volume|how much|min(?:imum)? vol|amount|how many (?:ml|µl|ul)|smallest|dilut)/iu,
    answered: new RegExp(String.raw`\b${NUMBER}\s*(?:m|µ|μ|u|d)?L\b|\b\d+\s*[:+]\s*\d+\b`, 'u'),
  },
  temperature: {
    asked:
      /\b(?:temp(?:erature)?s?|store[ds]?|storage|fridge|refrigerat|freez|frozen|cold|warm|on ice|room temp)/iu,
    answered:
      /(?:°\s*C|\bdegrees?\b|\brefrigerat|\bfrozen\b|\bfreez|\bambient\b|room temperature|\bon ice\b|ice[- ](?:water|slurry))/iu,
  },
  limit: {
    asked:
      /\b(?:critical|panic|normal|reference|range|limit|cut-?off|threshold|accept(?:able|ed)?|allow(?:ed)?|maximum|max|highest|lowest|least|too (?:high|low)|tolerance|target|cv|sd|within|in control|report(?:able)?)\b|\d/iu,
    answered:
      /(?:[<>≤≥±]|\b(?:above|below|over|under|less than|more than|greater than|at least|at most|exceed|within|between|up to)\b)[^.]{0,30}\d|\d\s*(?:-|–|to)\s*\d|\d\s*%/iu,
  },
  tube: {
    asked: /\b(?:tube|container|anticoagulant|top|specimen type|sample type|collect(?:ion)?)\b/iu,
    answered: /\b(?:tubes?|edta|heparin|citrate|fluoride|oxalate|serum|plasma|container|gel|-top)\b/iu,
  },
  frequency: {
    asked: /\b(?:how often|frequen|every|when (?:do|must|should)|schedule|daily|weekly|monthly|interval)\b/iu,
    answered:
      /\b(?:every|each|daily|weekly|monthly|once|twice|per (?:day|shift|week|month)|at the (?:start|beginning)|quarterly|annual)/iu,
  },
  reason: {
    asked: /\b(?:why|reason|how come|cause|because|principle|purpose)\b/iu,
    answered:
      /\b(?:because|since|due to|causes?|leads? to|results? in|so that|otherwise|prevents?|releases?|interferes?|falsely|reacts?)\b/iu,
  },
  action: {
    asked:
      /\b(?:what (?:now|next|do i|should i|to do)|how (?:do|to|should)|what happens|who|call|notify|phone|fails?|failed|rejected|out of)\b/iu,
    answered:
      /\b(?:notify|call|phone|repeat|reject|recollect|document|inform|do not|stop|replace|recalibrate|rerun|run|hold|release|contact|report)\b/iu,
  },
};

export function askedKinds(question: string): AskedKind[] {
  return (Object.keys(KINDS) as AskedKind[]).filter((kind) => KINDS[kind].asked.test(question));
}

export function fitsKind(text: string, kind: AskedKind): boolean {
  return KINDS[kind].answered.test(text);
}

/** `what next`, `failed again`, `still out`: what stands after the step that was tried. */
const NEXT_STEP =
  /\b(?:next|what now|now what|then\?|and then|still|again|twice|second time|failed|fails|keeps?|didn['’]?t help|no luck|do(?:es)?n['’]?t (?:help|match|fit)|won['’]?t|after (?:that|a|the)|even (?:after|with))\b/iu;

export function asksNextStep(question: string): boolean {
  return NEXT_STEP.test(question);
}
