import type { IncomingMessage } from 'node:http';

/** The caller as reported by the gateway. For the audit log only: any program in the sandbox can send these headers. */
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
