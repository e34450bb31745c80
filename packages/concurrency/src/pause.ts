import { setTimeout as sleep } from 'node:timers/promises';

/** Sleeps for `ms`. An abort ends the sleep early without an error, because the caller checks the signal next. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal === undefined ? {} : { signal }).catch(() => {});
}
