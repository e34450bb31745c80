import { setTimeout as sleep } from 'node:timers/promises';

const lookMs = 200;

/** Throws the last error of `attempt` when it has not succeeded in time. */
export async function waitUntil<T>(seconds: number, attempt: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + seconds * 1_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > giveUpAt) throw error;
      await sleep(lookMs);
    }
  }
}
