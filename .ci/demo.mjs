// The main job on the bundled SOPs with the bundled model: index, then three telling questions.
import { spawnSync } from 'node:child_process';

const commands = [
  ['index', 'corpora/sops', '--embedder', 'minilm'],
  ['ask', 'What quality control material is used for ammonia?'],
  ['ask', 'Factor IX is 8 %, is that critical and what do I do?'],
  ['ask', 'What is the minimum volume for procalcitonin?'],
];
for (const args of commands) {
  process.stdout.write(
    `\n$ labsage ${args.map((arg) => (arg.includes(' ') ? JSON.stringify(arg) : arg)).join(' ')}\n`,
  );
  const { status } = spawnSync(process.execPath, ['bin/labsage.js', ...args], { stdio: 'inherit' });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    break;
  }
}
