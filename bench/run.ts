/** `npm run bench -- NAME …` → the comparison of that name. */

const BENCHES: Readonly<Record<string, () => Promise<(args: readonly string[]) => Promise<void>>>> = {
  facts: async () => (await import('./facts.js')).benchFacts,
  generated: async () => (await import('./generated.js')).benchGenerated,
  checks: async () => (await import('./checks.js')).benchChecks,
  lists: async () => (await import('./lists.js')).benchLists,
  retrieval: async () => (await import('./retrieval.js')).benchRetrieval,
  answers: async () => (await import('./answers.js')).benchAnswers,
  answerable: async () => (await import('./answerable.js')).benchAnswerable,
  calibration: async () => (await import('./calibration.js')).benchCalibration,
  kills: async () => (await import('./kills.js')).benchKills,
  headings: async () => (await import('./headings.js')).benchHeadings,
  ingest: async () => (await import('./ingest.js')).benchIngest,
  peers: async () => (await import('./peers.js')).benchPeers,
  speed: async () => (await import('./speed.js')).benchSpeed,
  soak: async () => (await import('./soak.js')).runSoak,
  growth: async () => (await import('./growth.js')).benchGrowth,
};

const [name = '', ...args] = process.argv.slice(2);
const load = BENCHES[name];
if (load === undefined) {
  console.error(`name one of: ${Object.keys(BENCHES).join(', ')}`);
  process.exitCode = 2;
} else await (await load())(args);
