import { pause } from './pause.ts';

/** Waits for the work for so long at most; what is still under way then goes on by itself. False when time ran out. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const patience = new AbortController();
  const settled = work.then(
    () => true,
    () => true,
  );
  const isDone = await Promise.race([settled, pause(ms, patience.signal).then(() => false)]);
  patience.abort();
  return isDone;
}
