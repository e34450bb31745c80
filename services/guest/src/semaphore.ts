/**
 * A semaphore: `maxAtOnce` calls run at once, the others wait in order of arrival until `waiting` aborts. Then they end in what
 * `refusal` makes.
 */
export function createSemaphore(maxAtOnce: number, refusal: () => Error) {
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
        reject(refusal());
      };
      waiting.addEventListener('abort', giveUp, { once: true });
      queue.push(enter);
    });
  return async <T>(waiting: AbortSignal, work: () => Promise<T>): Promise<T> => {
    // A call that ends hands its place to the next in the queue, so that a new call cannot overtake it.
    if (running < maxAtOnce) running += 1;
    // A signal that is aborted already sends no event.
    else if (waiting.aborted) throw refusal();
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
