import type { IncomingMessage } from 'node:http';

/** Who the gateway says is calling. For the audit log only: anything inside the sandbox may say the same. */
export type Caller = { requestId: string; subjectId: string; subjectType: string; authMethod: string };

export function callerOf({ headers }: IncomingMessage, brandLong: string, newId: () => string): Caller {
  const prefix = `x-${brandLong.toLowerCase()}`;
  const first = (...names: string[]) => names.map((name) => headers[name]?.toString()).find((value) => value) ?? '';
  return {
    requestId: first('x-request-id') || newId(),
    subjectId: first(`${prefix}-subject-id`, 'x-subject-id'),
    subjectType: first(`${prefix}-subject-type`, 'x-subject-type'),
    authMethod: first(`${prefix}-auth-method`),
  };
}
