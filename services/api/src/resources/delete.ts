// Deletes a resource of any kind, in any state. A resource without instances is removed within the request: the next
// read finds nothing and the name is free. Otherwise the record stays until its instances have stopped. A sandbox ends
// at once, and its runner removes the container afterwards.
import { type Kind, kinds, requestErrors, resourceErrors } from '@berth/contract';
import { nilUuid } from '@berth/database';
import { sql } from 'kysely';
import type { WriteCall } from '../http/call.ts';
import { count } from './count.ts';
import { enqueueChange } from './enqueue-change.ts';
import { addEvent, loadEvents } from './events.ts';
import { hasLiveInstances } from './live-instances.ts';
import { present } from './present.ts';
import { lockLive, type ResourceRow, resourceColumns } from './record.ts';
import { ruleContext } from './rule-context.ts';
import type { KindRules, RuleContext } from './rules.ts';

export async function deleteResource(call: WriteCall, rules: KindRules, name: string): Promise<unknown> {
  const { kind, end } = rules;
  const { tx, workspace } = call;
  const context = await ruleContext(call, rules);
  const parentUid = context.parents.at(-1)?.uid;
  const row = await lockLive(
    tx,
    { workspaceId: workspace.id, kind: kind.kind, ...(parentUid === undefined ? {} : { parentUid }) },
    name,
  );
  if (row === undefined || row.status === 'TERMINATED') throw requestErrors.not_found();
  if (row.status === 'DELETING') return answerUnchanged(call, rules, context, row);
  if (end === undefined) await requireNoChildren(call, kind, row);
  await rules.beforeDelete?.(context, row);
  call.target(`${kind.kind}/${row.name}`);
  await enqueueChange(call, rules, row.uid, end === undefined ? 'now' : 'background');
  if (end === undefined && kind.runs === true && (await hasLiveInstances(tx, row.uid)))
    return answerUnchanged(call, rules, context, await beginDeletion(call, row));
  const gone = (await end?.terminate(context, row, 'deleted')) ?? (await remove(call, row));
  call.beforeCommit(() => count(call, kind, parentUid, -1));
  call.beforeCommit(() => dropCountersBelow(call, rules, row));
  if (kind.deleteAnswer !== undefined) return { message: `The ${kind.kind} ${row.name} is deleted.`, name: row.name };
  const events = await loadEvents(tx, [row]);
  return present(call, rules, context, gone, events.get(row.uid) ?? []);
}

async function answerUnchanged(
  call: WriteCall,
  rules: KindRules,
  context: RuleContext,
  row: ResourceRow,
): Promise<unknown> {
  const events = await loadEvents(call.tx, [row]);
  return present(call, rules, context, row, events.get(row.uid) ?? []);
}

/** Marks the row as DELETING. Counters and limits are released with the row, once its instances are gone. */
async function beginDeletion({ tx, principal }: WriteCall, row: ResourceRow): Promise<ResourceRow> {
  await addEvent(tx, row.uid, {
    type: 'deletion',
    status: 'DELETING',
    message: 'Deleted on request; it is stopped first.',
  });
  return tx
    .updateTable('resources')
    .set({
      status: 'DELETING',
      generation: row.generation + 1,
      updated_at: sql<Date>`greatest(clock_timestamp(), updated_at + interval '1 millisecond')`,
      updated_by: principal.subject,
    })
    .where('uid', '=', row.uid)
    .returning(resourceColumns)
    .executeTakeFirstOrThrow();
}

async function requireNoChildren({ tx }: WriteCall, kind: Kind, row: ResourceRow): Promise<void> {
  const child = await tx
    .selectFrom('resources')
    .select(['kind', 'name'])
    .where('parent_uid', '=', row.uid)
    // A literal, so that a prepared statement can use the partial index of children.
    .where('parent_uid', '<>', sql.lit(nilUuid))
    .limit(1)
    .executeTakeFirst();
  if (child !== undefined)
    throw resourceErrors.in_use({ kind: kind.kind, name: row.name, users: `${child.kind} ${child.name}` });
}

const countedKindsBelow = ({ kind: { kind }, countedBelow = [] }: KindRules): string[] => [
  ...kinds.filter(({ parents }) => parents?.at(-1)?.kind === kind).map((child) => child.kind),
  ...countedBelow,
];

/** Counters below a deleted parent would never be removed otherwise. */
async function dropCountersBelow({ tx, workspace }: WriteCall, rules: KindRules, { uid }: ResourceRow): Promise<void> {
  const below = countedKindsBelow(rules);
  if (below.length === 0) return;
  await tx
    .deleteFrom('resource_counts')
    .where('workspace_id', '=', workspace.id)
    .where('kind', 'in', below)
    .where('parent_uid', '=', uid)
    .execute();
}

async function remove({ tx }: WriteCall, row: ResourceRow): Promise<ResourceRow> {
  const removed = await tx
    .deleteFrom('resources')
    .where('uid', '=', row.uid)
    .returning(sql<Date>`clock_timestamp()`.as('at'))
    .executeTakeFirstOrThrow();
  if (row.status === null) return { ...row, terminated_at: removed.at };
  // The status in the response is derived from the events, as every status is.
  await addEvent(tx, row.uid, { type: 'deletion', status: 'DELETING', message: 'Deleted on request.' });
  return { ...row, status: 'DELETING', terminated_at: removed.at };
}
