// Exit codes, which scripts rely on.
import { AccessError, NotFoundError, TimeoutError } from 'berth-sdk';

export const exitCodes = { refused: 1, usage: 2, notFound: 3, noAccess: 4, timeout: 124, interrupted: 130 } as const;

/** Every exit code, and what it means. */
export const exitCodeMeanings: readonly (readonly [string, string])[] = [
  ['0', 'done'],
  [String(exitCodes.refused), 'refused, or failed; the message says why'],
  [String(exitCodes.usage), 'the command was not given as it has to be'],
  [String(exitCodes.notFound), 'there is no such thing'],
  [String(exitCodes.noAccess), 'the key is wrong, or may not do this'],
  [String(exitCodes.timeout), 'a time limit was over'],
  [String(exitCodes.interrupted), 'interrupted by Ctrl-C'],
  ['any other', 'that of the process which `exec` ran'],
];

/** The command was not given as it has to be. */
export class UsageError extends Error {}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  if (error instanceof AccessError) return exitCodes.noAccess;
  if (error instanceof TimeoutError) return exitCodes.timeout;
  return exitCodes.refused;
}
