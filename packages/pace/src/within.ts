/** Waits for the work for so long at most; what is still under way then goes on by itself. False when time ran out. */
export async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
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
