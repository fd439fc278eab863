/** `npm run bench -- NAME …` → the comparison of that name. */

const BENCHES: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<void>>>> = {
  facts: async () => (await import('./facts.js')).benchFacts,
  generated: async () => (await import('./generated.js')).benchGenerated,
  checks: async () => (await import('./checks.js')).benchChecks,
  lists: async () => (await import('./lists.js')).benchLists,
  retrieval: async () => (await import('./retrieval.js')).benchRetrieval,
  answers: async () => (await import('./answers.js')).benchAnswers,
  confidence: async () => (await import('./confidence.js')).benchConfidence,
  kills: async () => (await import('./kills.js')).benchKills,
  headings: async () => (await import('./headings.js')).benchHeadings,
  speed: async () => (await import('./speed.js')).benchSpeed,
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (load === undefined) {
  console.error(`name one of: ${Object.keys(BENCHES).join(', ')}`);
  process.exitCode = 2;
} else await (await load())(args);
