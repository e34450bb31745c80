// Exit codes, which scripts rely on.
import { AccessError, NotFoundError, TimeoutError } from 'berth-sdk';

export const exitCodes = { refused: 1, usage: 2, notFound: 3, noAccess: 4, timeout: 124, interrupted: 130 } as const;

/** The command was not given as it has to be. */
export class UsageError extends Error {}

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (error instanceof NotFoundError) return exitCodes.notFound;
  if (error instanceof AccessError) return exitCodes.noAccess;
  if (error instanceof TimeoutError) return exitCodes.timeout;
  return exitCodes.refused;
}
