// node scripts/flakes/take-core.ts <percent>: takes a core in bursts until the parent process closes standard input.
import { setTimeout as sleep } from 'node:timers/promises';
import { bursts } from './bursts.ts';

process.stdin.on('end', () => process.exit(0)).resume();

for (const { busyMs, idleMs } of bursts(Number(process.argv[2]), Math.random)) {
  const end = performance.now() + busyMs;
  while (performance.now() < end);
  await sleep(idleMs);
}
