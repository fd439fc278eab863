// The main jobs with a bundled model: the SOPs and three telling questions, the charts and one visit's note.
import { spawnSync } from 'node:child_process';

const commands = [
  ['labsage', 'index', 'corpora/sops', '--embedder', 'minilm'],
  ['labsage', 'ask', 'What is the minimum volume for plasma ammonia?'],
  ['labsage', 'ask', 'Factor IX is 8 %, is that critical and what do I do?'],
  ['labsage', 'ask', 'What is the minimum volume for procalcitonin?'],
  ['clirag', 'index', 'corpora/charts/NOTEEVENTS.csv'],
  ['clirag', 'visits', '--patient', '40001'],
  ['clirag', 'note', '--patient', '40001', '--visit', '2154-03-03', '--embedder', 'minilm'],
];
for (const [bin, ...args] of commands) {
  const shown = args.map((arg) => (arg.includes(' ') ? JSON.stringify(arg) : arg)).join(' ');
  process.stdout.write(`\n$ ${bin} ${shown}\n`);
  const { status } = spawnSync(process.execPath, [`bin/${bin}.js`, ...args], { stdio: 'inherit' });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    break;
  }
}
