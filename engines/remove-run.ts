// node engines/remove-run.ts: removes the run that this process belongs to. The owner of the run waits for it,
// then exits.
import { currentRun } from './run.ts';
import { removeRun } from './sweep.ts';

await removeRun(currentRun());
