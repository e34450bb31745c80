import { randomBytes } from 'node:crypto';

/** Name of a file that is being written, in the folder of its target. Short, so that it fits wherever any name fits. */
export function temporaryName(): string {
  return `.${randomBytes(12).toString('hex')}.partial`;
}

/** True for the name of a file that is being written. Watches and searches need not show it: it is gone in a moment. */
export function isTemporaryName(name: string): boolean {
  return /^\.[0-9a-f]{24}\.partial$/.test(name);
}
