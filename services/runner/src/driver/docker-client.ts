import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';

const answerTimeoutSeconds = 60;

/** `url` is the engine's socket, `unix:///…`. */
export function openDocker(url: string): Docker {
  const { protocol, pathname } = new URL(url);
  if (protocol !== 'unix:') {
    throw new Error(`The container engine is reached through a unix socket, not through ${url}. Set unix:///….`);
  }
  return new Docker({ socketPath: pathname });
}

/**
 * An engine that is killed in the middle of an answer leaves dockerode's promise pending forever. A timeout keeps the
 * runner's sequential work from hanging on it.
 */
export async function answered<T>(answer: Promise<T>, timeoutSeconds = answerTimeoutSeconds): Promise<T> {
  const finished = new AbortController();
  const late = sleep(timeoutSeconds * 1_000, undefined, { signal: finished.signal }).then(() => {
    throw new Error(`The container engine gave no answer within ${timeoutSeconds} s. Is it running?`);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    late.catch(() => {});
    finished.abort();
  }
}

/** HTTP status of the engine's answer; absent when there was none. */
export function statusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('statusCode' in error)) return undefined;
  return typeof error.statusCode === 'number' ? error.statusCode : undefined;
}

/** Waits for the answer, and treats the given error statuses as success. */
export async function answeredOr(statuses: readonly number[], answer: Promise<unknown>, timeoutSeconds?: number) {
  try {
    await answered(answer, timeoutSeconds);
  } catch (error) {
    if (!statuses.includes(statusOf(error) ?? 0)) throw error;
  }
}

/** Undefined when the engine answers 404. */
export async function answeredIfThere<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answered(answer);
  } catch (error) {
    if (statusOf(error) === 404) return undefined;
    throw error;
  }
}
