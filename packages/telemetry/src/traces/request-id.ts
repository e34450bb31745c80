import { randomUUID } from 'node:crypto';

// Long enough for every id generator we know, short enough for a log line; no character that could forge a log line.
const acceptedForm = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's own id when it has an accepted form, a new one otherwise. */
export function requestIdFrom(header: string | undefined, generate: () => string = randomUUID): string {
  return header !== undefined && acceptedForm.test(header) ? header : generate();
}
