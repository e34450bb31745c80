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

const results: StageResult[] = [];
for (const stage of stages) {
  console.log(`\n── ${stage.name} ──`);
  results.push(await runStage(stage));
}
console.log(`\n${summary(results, { isFull: size === '--full' }).join('\n')}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
