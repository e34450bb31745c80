// pnpm flakes <path…> [--times N] [--steal P]: repeats test files while P percent of every core are taken in bursts.
// pnpm flakes [--times N] [--steal P] -- <command…>: the same with a command, such as `pnpm verify`.
import { parseArgs } from 'node:util';
import { steal } from './flakes/steal.ts';
import { verdict } from './flakes/verdict.ts';
import { runStage } from './verify/run-stage.ts';
import type { Stage } from './verify/stages.ts';

const usage =
  'Usage: pnpm flakes <path…> [--times N] [--steal P], or pnpm flakes [--times N] [--steal P] -- <command…>';

function readWords(): { stage: Stage; times: number; percent: number } {
  const words = process.argv.slice(2);
  const end = words.indexOf('--');
  const command = end === -1 ? [] : words.slice(end + 1);
  const { values, positionals } = parseArgs({
    args: end === -1 ? words : words.slice(0, end),
    options: { times: { type: 'string', default: '5' }, steal: { type: 'string', default: '30' } },
    allowPositionals: true,
  });
  const times = Number(values.times);
  const percent = Number(values.steal);
  const named = command.length > 0 ? command : positionals;
  if (named.length === 0 || !(times >= 1 && times <= 1_000) || !(percent >= 0 && percent <= 90)) throw new Error(usage);
  const stage: Stage =
    command.length > 0
      ? { name: command.join(' '), script: ['exec', ...command] }
      : { name: positionals.join(' '), script: ['exec', 'vitest', 'run', ...positionals], counts: 'vitest' };
  return { stage, times, percent };
}

try {
  const { stage, times, percent } = readWords();
  const rounds = [];
  for (let round = 1; round <= times; round += 1) {
    using _ = steal(percent);
    const result = await runStage(stage);
    rounds.push(result);
    console.log(
      `── round ${round} of ${times}: ${result.ok ? 'passed' : 'FAILED'} in ${result.seconds.toFixed(0)} s ──`,
    );
  }
  console.log(verdict(rounds).join('\n'));
  process.exitCode = rounds.every(({ ok }) => ok) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 2;
}
