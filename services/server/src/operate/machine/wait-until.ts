import { setTimeout as sleep } from 'node:timers/promises';

const lookMs = 200;

/** Throws the last error of `attempt` when it has not succeeded in time, or when waiting longer is of no use. */
export async function waitUntil<T>(
  seconds: number,
  attempt: () => Promise<T>,
  isHopeless: () => Promise<boolean> = async () => false,
): Promise<T> {
  const giveUpAt = performance.now() + seconds * 1_000;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > giveUpAt || (await isHopeless())) throw error;
      await sleep(lookMs);
    }
  }
}
