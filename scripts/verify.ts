// pnpm verify [--quick|--full]: CI runs it without either. Every stage runs even after a failure, so that one run shows
// all problems.
import { runStage, type StageResult } from './verify/run-stage.ts';
import { fullStages, quickStages, type Stage, smallStages } from './verify/stages.ts';
import { summary } from './verify/summary.ts';

const sizes = new Map<string | undefined, readonly Stage[]>([
  [undefined, smallStages],
  ['--quick', quickStages],
  ['--full', fullStages],
]);

const [size, ...unknown] = process.argv.slice(2);
const stages = sizes.get(size);
if (stages === undefined || unknown.length > 0) {
  console.error(`"${unknown[0] ?? size}" is not known. Usage: pnpm verify [--quick|--full]`);
  process.exit(2);
}

const startedAt = performance.now();
const isCheck = (stage: Stage): boolean => stage.counts === undefined;
// Checks use one core each, so they run side by side. Each prints when it has ended.
const results: StageResult[] = await Promise.all(
  stages.filter(isCheck).map(async (stage) => {
    let output = '';
    const result = await runStage(stage, (text) => (output += text));
    console.log(`\n── ${stage.name} ──\n${output}`);
    return result;
  }),
);
for (const stage of stages.filter((stage) => !isCheck(stage))) {
  console.log(`\n── ${stage.name} ──`);
  results.push(await runStage(stage));
}
const seconds = (performance.now() - startedAt) / 1_000;
console.log(`\n${summary(results, { isFull: size === '--full', seconds }).join('\n')}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
