// Creates a resource of any kind: its row, events, revision and outbox row, and the counters last.
import { type Kind, type ResourceBody, resourceErrors } from '@berth/contract';
import { addToCount, type JsonObject, releaseQuotaAndCount, uuidv7 } from '@berth/database';
import type { WriteCall } from '../http/call.ts';
import { isObject } from '../json.ts';
import { kindRules } from '../kind-rules.ts';
import { addEvent, type EventRow, loadEvents } from './events.ts';
import { refuseIdle, warnings } from './field-effects.ts';
import { readAgain } from './get.ts';
import { reserve } from './quota.ts';
import { findParent, type ResourceRow, resourceColumns } from './record.ts';
import { type Rendered, renderResource } from './render.ts';
import { addRevision, newRevisionId, requireKnownRevisions } from './revisions.ts';
import type { Draft, RuleContext } from './rules.ts';
import { searchText } from './search-text.ts';
import { holdsSecrets, restoreMasked, sealSecrets } from './secrets.ts';
import { withoutNulls } from './spec-change.ts';

/** `given` is state that the service sets itself and that no caller may send. */
export async function createResource(
  call: WriteCall,
  kind: Kind,
  body: ResourceBody,
  given: Pick<Draft, 'state'> = { state: undefined },
): Promise<Rendered> {
  const rules = kindRules[kind.kind];
  const context = await ruleContext(call, kind);
  const draft = newDraft(kind, body, given);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const conflict = await rules?.onNameTaken?.(context, draft.name, attempt === 1 ? 'before' : 'lost');
    if (conflict?.outcome === 'answer') return answerWithExisting(call, context, conflict.row);
    if (conflict !== undefined) await endConflicting(call, context, conflict.row);
    if (attempt === 1) {
      await rules?.beforeCreate?.(context, draft);
      refuseIdle(kind, body.spec);
    }
    const created = await insertDraft(call, context, draft, conflict === undefined ? 'counted' : 'in place');
    if (created !== undefined) {
      const rendered = await present(call, context, created.row, created.events);
      return rules?.written?.(rendered, draft.spec) ?? rendered;
    }
    // A concurrent request created the resource first. Kinds with `onNameTaken` decide in the next attempt what
    // happens to this request.
    if (rules?.onNameTaken === undefined) break;
  }
  throw resourceErrors.already_exists({ kind: kind.kind, name: draft.name });
}

/** Each further attempt means that a conflicting row appeared and disappeared in between. */
const maxAttempts = 5;

async function answerWithExisting(call: WriteCall, context: RuleContext, row: ResourceRow): Promise<Rendered> {
  call.target(`${context.kind.kind}/${row.name}`);
  return present(call, context, row, (await loadEvents(call.tx, [row])).get(row.uid) ?? []);
}

/** The counters do not change: one row ends and another begins in the same transaction. */
async function endConflicting({ enqueueReconcile }: WriteCall, context: RuleContext, row: ResourceRow): Promise<void> {
  await kindRules[context.kind.kind]?.terminate?.(context, row, 'replaced');
  await enqueueReconcile(row.uid);
}

/** Renders a row just written as the response. */
export async function present(
  call: WriteCall,
  { kind, parents }: RuleContext,
  row: ResourceRow,
  events: readonly EventRow[],
): Promise<Rendered> {
  const rules = kindRules[kind.kind];
  const view = { ...viewOf(call), parents };
  const rendered = renderResource(kind, row, events, view, rules?.finish);
  const [related] = (await rules?.relate?.(call.tx, [rendered], [row], view)) ?? [];
  return related ?? rendered;
}

const viewOf = ({ dependencies, workspace }: WriteCall) => ({ dependencies, workspace });

export async function ruleContext(call: WriteCall, kind: Kind): Promise<RuleContext> {
  const { tx, dependencies, workspace, principal } = call;
  const { rows } = await findParent(tx, workspace.id, kind, call.params);
  const query = isObject(call.query) ? call.query : {};
  return {
    ...{ tx, dependencies, workspace, principal, kind, query, parents: rows },
    beforeCommit: call.beforeCommit,
    afterCommit: call.afterCommit,
    beforeAnswer: call.beforeAnswer,
    clientGone: call.clientGone,
    readAgain: (uid) => readAgain(call, kind, uid),
  };
}

function newDraft(kind: Kind, { metadata, spec }: ResourceBody, { state }: Pick<Draft, 'state'>): Draft {
  const filled = withoutNulls({ ...kind.specDefaults, ...sentSpec(kind, spec) });
  const arrival = kind.arrival?.(filled);
  return {
    uid: uuidv7(),
    name: metadata.name ?? '',
    displayName: metadata.displayName,
    externalId: metadata.externalId,
    labels: metadata.labels,
    spec: restoreMasked(kind, filled, {}),
    state,
    status: arrival?.status,
    events: arrival === undefined ? [] : [arrival],
  };
}

export const sentSpec = (kind: Kind, spec: JsonObject): JsonObject => kindRules[kind.kind]?.normalize?.(spec) ?? spec;

/** Undefined when the name is taken. PUT also uses it to create a resource. */
async function insertDraft(
  call: WriteCall,
  context: RuleContext,
  draft: Draft,
  counting: 'counted' | 'in place',
): Promise<{ row: ResourceRow; events: EventRow[] } | undefined> {
  const { tx, workspace, principal, dependencies } = call;
  const { kind, parents } = context;
  const parentUid = parents.at(-1)?.uid;
  const spec = holdsSecrets(kind, draft.spec)
    ? sealSecrets(kind, draft.spec, await dependencies.keyring.workspaceKey(tx, workspace.id), draft.uid)
    : draft.spec;
  const inserted = await tx
    .insertInto('resources')
    .values({
      uid: draft.uid,
      workspace_id: workspace.id,
      kind: kind.kind,
      ...(parentUid === undefined ? {} : { parent_uid: parentUid }),
      name: draft.name,
      display_name: draft.displayName ?? null,
      external_id: draft.externalId ?? null,
      labels: draft.labels === undefined ? null : JSON.stringify(draft.labels),
      spec: JSON.stringify(spec),
      state: draft.state === undefined ? null : JSON.stringify(draft.state),
      status: draft.status ?? null,
      created_by: principal.subject,
      updated_by: principal.subject,
      search: searchText(draft),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning(resourceColumns)
    .executeTakeFirst();
  if (inserted === undefined) return undefined;
  call.target(`${kind.kind}/${inserted.name}`);
  const row = (await kindRules[kind.kind]?.afterCreate?.(context, inserted, draft)) ?? inserted;
  const revision = kind.revisions === true ? newRevisionId() : undefined;
  if (revision !== undefined) await requireKnownRevisions(tx, row.uid, draft.spec);
  const events = await writeArrival(call, context, row, draft, revision);
  await call.enqueueReconcile(row.uid, row.status === 'DEPLOYED' ? 'background' : 'now');
  if (counting === 'counted') call.beforeCommit(() => count(call, kind, parentUid, 1));
  return { row, events };
}

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

/** Updates the account's limit, then the workspace's counter: the last two rows that a write locks. */
export async function count(
  call: WriteCall,
  kind: Kind,
  parentUid: string | undefined,
  difference: 1 | -1,
): Promise<void> {
  const { tx, workspace } = call;
  const counted = { workspaceId: workspace.id, kind: kind.kind, ...(parentUid === undefined ? {} : { parentUid }) };
  if (difference < 0) {
    await releaseQuotaAndCount(tx, { ...counted, accountId: workspace.account.id, resourceType: kind.quota });
    return;
  }
  if (kind.quota !== undefined) await reserve(call, kind.quota);
  await addToCount(tx, counted, 1);
}
