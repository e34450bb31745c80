// A setting that this deployment cannot honour is never stored in silence: what protects somebody is refused, what only adds
// something is stored and said to have no effect. Which field is which stands in the contract's lists.
import { type FieldEffect, type IdleFields, idleAmong, idleFields, type Kind, resourceErrors } from '@berth/contract';
import type { JsonObject } from '@berth/database';
import type { NewEvent } from './events.ts';

/** As `refuseIdle`, for what is no kind. */
export const refuseAmong = (effects: readonly FieldEffect[], sent: JsonObject): void =>
  refuse(idleAmong(effects, 'refused', sent));

/** Looks at what was sent only: what an earlier version stored does not stand in the way of other changes. */
export function refuseIdle(kind: Kind, sent: JsonObject): void {
  refuse(idleFields(kind, 'refused', sent));
}

function refuse([idle]: readonly IdleFields[]): void {
  if (idle === undefined) return;
  throw resourceErrors.setting_not_honoured({ field: idle.fields.join(', '), reason: idle.reason });
}

/** One event per reason. A change does not repeat the warnings of the stored spec. */
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
