// pnpm verify [--full]: CI runs it without --full. Every stage runs even after a failure, so that one run shows all
// problems.
import { runStage, type StageResult } from './verify/run-stage.ts';
import { fullStages, smallStages } from './verify/stages.ts';
import { summary } from './verify/summary.ts';

const words = process.argv.slice(2);
const isFull = words.includes('--full');
const unknown = words.find((word) => word !== '--full');
if (unknown !== undefined) {
  console.error(`"${unknown}" is not known. Usage: pnpm verify [--full]`);
  process.exit(2);
}

const results: StageResult[] = [];
for (const stage of isFull ? fullStages : smallStages) {
  console.log(`\n── ${stage.name} ──`);
  results.push(await runStage(stage));
}
console.log(`\n${summary(results, { isFull }).join('\n')}`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
