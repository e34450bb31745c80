// A setting that this deployment cannot honour is never ignored silently: a field that protects a user is refused, a
// field that only adds something is stored with a warning that it has no effect. The contract's lists classify the
// fields.
import { type FieldEffect, type IdleFields, idleAmong, idleFields, type Kind, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { NewEvent } from './events.ts';

/** Like `refuseIdle`, for inputs that are not a kind. */
export const refuseAmong = (effects: readonly FieldEffect[], sent: JsonObject): void =>
  refuse(idleAmong(effects, 'refused', sent));

/** Checks only the fields that were sent: a field stored by an earlier version does not block other changes. */
export function refuseIdle(kind: Kind, sent: JsonObject): void {
  refuse(idleFields(kind, 'refused', sent));
}

function refuse([idle]: readonly IdleFields[]): void {
  if (idle === undefined) return;
  throw resourceErrors.setting_not_honoured({ field: idle.fields.join(', '), reason: idle.reason });
}

/** One event per reason. A change does not repeat warnings that already applied to the stored spec. */
export function warnings(kind: Kind, spec: JsonObject, previous: JsonObject = {}): NewEvent[] {
  const known = messages(kind, previous);
  return messages(kind, spec)
    .filter((message) => !known.includes(message))
    .map((message) => ({ type: 'warning', message }));
}

const messages = (kind: Kind, spec: JsonObject): string[] =>
  idleFields(kind, 'warned', spec).map(
    ({ fields, reason }) => `${fields.join(', ')} ${fields.length === 1 ? 'has' : 'have'} no effect: ${reason}`,
  );
