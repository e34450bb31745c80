import { Fault } from '../http/fault.ts';

/** So many at once; the others wait, first come, first served, until `waiting` aborts. */
export function inTurn(mostAtOnce: number) {
  let running = 0;
  const queue: (() => void)[] = [];
  const arrive = (waiting: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const enter = () => {
        waiting.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        queue.splice(queue.indexOf(enter), 1);
        reject(new Fault(429, 'Too many searches are under way. Wait for one to end, then try again.'));
      };
      waiting.addEventListener('abort', giveUp, { once: true });
      queue.push(enter);
    });
  return async <T>(waiting: AbortSignal, work: () => Promise<T>): Promise<T> => {
    // Whoever leaves hands its place to the next, so a newcomer never comes between.
    if (running < mostAtOnce) running += 1;
    else await arrive(waiting);
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
