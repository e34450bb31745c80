import { statusOf } from '../driver/docker-client.ts';

/**
 * Cause of a failed container creation or start:
 * - `instance`: its settings can never work, such as a command that its image does not have;
 * - `runtime`: the OCI runtime failed by itself; a new container may succeed;
 * - `engine`: the engine is down, busy, or has lost an object that was there a moment ago. A retry helps.
 */
export type EngineFault = 'instance' | 'runtime' | 'engine';

const badRequest = 400;
const ociFailure = /OCI runtime|runtime create failed|shim task/i;
// Different engines and runtimes answer these with 400 or 500.
const badCommand =
  /executable file not found|no such file or directory|exec format error|permission denied|not a directory|no command specified/i;
/** The image names a user or group that it does not contain. */
const badAccount = /unable to find (user|group) /i;
const shortOfSomething =
  /cannot allocate memory|no space left|too many open files|resource temporarily unavailable|deadline exceeded/i;

export function engineFaultOf(error: unknown): EngineFault {
  const words = engineMessageOf(error);
  if (shortOfSomething.test(words)) return 'engine';
  if (statusOf(error) === badRequest || badAccount.test(words)) return 'instance';
  if (!ociFailure.test(words)) return 'engine';
  return badCommand.test(words) ? 'instance' : 'runtime';
}

/** Error message of the engine, without the prefix that its client adds. */
export function engineMessageOf(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.replace(/^\(HTTP code \d+\) [^-]*- /, '').trim();
}
