/** Waits at most `ms` for the work to settle. False when time ran out; the work itself goes on. */
export async function settlesWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  const { promise: isDone, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), ms);
  const settled = (): void => resolve(true);
  work.then(settled, settled);
  try {
    return await isDone;
  } finally {
    clearTimeout(timer);
  }
}
