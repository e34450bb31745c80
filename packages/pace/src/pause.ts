import { setTimeout as sleep } from 'node:timers/promises';

/** The signal ends it early, which is no error: whoever waits looks at the signal next. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
