import type { JsonObject } from '@berth/database';
import type { WriteCall } from '../http/call.ts';
import { addEvent, type EventRow } from './events.ts';
import { warnings } from './field-effects.ts';
import type { ResourceRow } from './record.ts';
import { addRevision } from './revisions.ts';
import type { Draft, RuleContext } from './rules.ts';

/** Writes the draft's events and warnings, and a new revision when the change is deployed. */
export async function writeArrival(
  call: WriteCall,
  { kind }: RuleContext,
  row: ResourceRow,
  draft: Draft,
  revision: string | undefined,
  previous?: JsonObject,
): Promise<EventRow[]> {
  if (revision !== undefined)
    await addRevision(call.tx, row, revision, draft.status ?? 'DEPLOYING', call.principal.subject);
  const events: EventRow[] = [];
  for (const event of [...draft.events, ...warnings(kind, draft.spec, previous)])
    events.push(await addEvent(call.tx, row.uid, { ...event, revision }));
  return events;
}
