// node scripts/engines/remove-run.ts: removes the run that this process belongs to. Its owner waits for that, and ends.
import { currentRun } from './run.ts';
import { removeRun } from './sweep.ts';

await removeRun(currentRun());
