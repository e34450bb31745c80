import { setTimeout as sleep } from 'node:timers/promises';

export type ReadyReport = {
  ready: boolean;
  /** One entry per dependency of the role, e.g. `postgres`. */
  checks: Readonly<Record<string, { ok: boolean; detail?: string }>>;
};

/** Counts a check that throws or hangs as failed: the probe always gets an answer. */
export async function checkReady(ready: () => Promise<ReadyReport>, timeoutMs: number): Promise<ReadyReport> {
  const timeout = new AbortController();
  const tooLate = sleep(timeoutMs, undefined, { signal: timeout.signal }).then(
    () => notReady('probe', `no answer within ${timeoutMs} ms`),
    () => notReady('probe', 'cancelled'),
  );
  try {
    return await Promise.race([ready(), tooLate]);
  } catch (error) {
    return notReady('probe', error instanceof Error ? error.message : 'failed');
  } finally {
    timeout.abort();
  }
}

export function notReady(check: string, detail: string): ReadyReport {
  return { ready: false, checks: { [check]: { ok: false, detail } } };
}

/** Checks one dependency of a role; the error of the check is the reason given. */
export async function readyWhen(name: string, check: () => Promise<unknown>): Promise<ReadyReport> {
  try {
    await check();
    return { ready: true, checks: { [name]: { ok: true } } };
  } catch (error) {
    return notReady(name, error instanceof Error ? error.message : 'no answer');
  }
}
