// pnpm verify: what CI runs. Every stage runs even after a failure, so that one run shows everything that is wrong.
import { runStage, type StageResult } from './verify/run-stage.ts';
import { stages } from './verify/stages.ts';

const results: StageResult[] = [];
for (const stage of stages) {
  console.log(`\n── ${stage.name} ──`);
  results.push(await runStage(stage));
}

for (const failure of results.flatMap(({ failures }) => failures)) console.log(`\nfailed: ${failure}`);
console.log('\n── summary ──');
for (const { name, ok, passed, failed, seconds } of results) {
  const tests = passed + failed > 0 ? `  ${passed} passed, ${failed} failed` : '';
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${seconds.toFixed(1).padStart(6)} s  ${name}${tests}`);
}
const total = (key: 'passed' | 'failed') => results.reduce((sum, result) => sum + result[key], 0);
console.log(`${total('passed')} passed, ${total('failed')} failed`);
process.exitCode = results.every(({ ok }) => ok) ? 0 : 1;
