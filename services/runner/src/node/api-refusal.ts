import { z } from 'zod';
import type { Answer } from './node-client.ts';

const ErrorBody = z.object({ message: z.string() });
const OuterBody = z.object({ error: ErrorBody });

/** The api answered with a refusal. Its message is written for the operator of the runner. */
export class ApiRefusal extends Error {
  readonly status: number;
  constructor({ status, body }: Answer) {
    super(`The api answered ${status}: ${messageOf(body)}`);
    this.name = 'ApiRefusal';
    this.status = status;
  }

  /** The api does not know this runner. Trying again helps only after an operator has acted. */
  get isUnknownRunner(): boolean {
    return this.status === 401 || this.status === 403;
  }
}

function messageOf(body: unknown): string {
  const outer = OuterBody.safeParse(body);
  if (outer.success) return outer.data.error.message;
  const inner = ErrorBody.safeParse(body);
  if (inner.success) return inner.data.message;
  return typeof body === 'string' ? body.slice(0, 200) : 'without a reason.';
}
