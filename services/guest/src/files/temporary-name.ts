import { randomBytes } from 'node:crypto';

/** Of a file that is being written, in the folder it is for. Short, so that it fits wherever any name does. */
export function temporaryName(): string {
  return `.${randomBytes(12).toString('hex')}.partial`;
}

/** What watches and searches need not show: it is renamed or gone in a moment. */
export function isTemporaryName(name: string): boolean {
  return /^\.[0-9a-f]{24}\.partial$/.test(name);
}
