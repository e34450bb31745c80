import { setTimeout as sleep } from 'node:timers/promises';

/** Polls every few milliseconds. The timeout only ends a hanging test, and the error names it. */
export async function until(isTrue: () => boolean | Promise<boolean>, timeoutMs = 50_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await isTrue())) {
    if (Date.now() > deadline) throw new Error(`Still not true after ${timeoutMs} ms: ${isTrue}`);
    await sleep(10);
  }
}
