// Creates a resource of any kind: one row, its events, its revision, the work that follows, and last the counters.
import { type Kind, type ResourceBody, resourceErrors } from '@berth/contract';
import { addToCount, enqueue, releaseQuota, reserveQuota, uuidv7 } from '@berth/database';
import { limitOf } from '../accounts/limits.ts';
import type { WriteCall } from '../http/call.ts';
import { kindRules } from '../kinds/index.ts';
import { addEvent, type EventRow } from './events.ts';
import { findParent, type ResourceRow, resourceColumns } from './record.ts';
import { type Rendered, renderResource } from './render.ts';
import { addRevision, newRevisionId, requireKnownRevisions } from './revisions.ts';
import type { Draft, RuleContext } from './rules.ts';
import { searchText } from './search-text.ts';
import { holdsSecrets, restoreMasked, sealSecrets } from './secrets.ts';
import { withoutNulls } from './spec-change.ts';

export async function createResource(call: WriteCall, kind: Kind, body: ResourceBody): Promise<Rendered> {
  const context = await ruleContext(call, kind);
  const draft = newDraft(kind, body);
  await kindRules[kind.kind]?.create?.(context, draft);
  const created = await insertDraft(call, context, draft);
  if (created === undefined) throw resourceErrors.already_exists({ kind: kind.kind, name: draft.name });
  return renderResource(
    kind,
    created.row,
    created.events,
    { ...viewOf(call), parents: context.parents },
    kindRules[kind.kind]?.finish,
  );
}

export const viewOf = ({ dependencies, workspace }: WriteCall) => ({ dependencies, workspace });

export async function ruleContext(call: WriteCall, kind: Kind): Promise<RuleContext> {
  const { tx, dependencies, workspace, principal } = call;
  const { rows } = await findParent(tx, workspace.id, kind, call.params);
  return { tx, dependencies, workspace, principal, kind, parents: rows };
}

function newDraft(kind: Kind, { metadata, spec }: ResourceBody): Draft {
  const filled = withoutNulls({ ...kind.specDefaults, ...spec });
  const arrival = kind.arrival?.(filled);
  return {
    uid: uuidv7(),
    name: metadata.name ?? '',
    displayName: metadata.displayName,
    externalId: metadata.externalId,
    labels: metadata.labels,
    spec: restoreMasked(kind, filled, {}),
    state: undefined,
    status: arrival?.status,
    events: arrival === undefined ? [] : [arrival],
  };
}

/** Undefined when the name is taken. Also used by the address that creates on PUT. */
async function insertDraft(
  call: WriteCall,
  context: RuleContext,
  draft: Draft,
): Promise<{ row: ResourceRow; events: EventRow[] } | undefined> {
  const { tx, workspace, principal, trace, dependencies } = call;
  const { kind, parents } = context;
  const parentUid = parents.at(-1)?.uid;
  const spec = holdsSecrets(kind, draft.spec)
    ? sealSecrets(kind, draft.spec, {}, await dependencies.keyring.workspaceKey(tx, workspace.id), draft.uid)
    : draft.spec;
  const row = await tx
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
  if (row === undefined) return undefined;
  call.target(`${kind.kind}/${row.name}`);
  await kindRules[kind.kind]?.created?.(context, row);
  const events = await writeArrival(call, row, draft, kind.revisions === true);
  await enqueue(tx, { topic: 'reconcile', key: row.uid, trace });
  call.atLast(() => count(call, kind, parentUid, 1));
  return { row, events };
}

/** The draft's events, beside a new revision when the change is deployed. */
export async function writeArrival(
  call: WriteCall,
  row: ResourceRow,
  draft: Draft,
  deploys: boolean,
): Promise<EventRow[]> {
  const revision = deploys ? newRevisionId() : undefined;
  if (revision !== undefined) {
    await requireKnownRevisions(call.tx, row.uid, draft.spec);
    await addRevision(call.tx, row, revision, draft.status ?? 'DEPLOYING', call.principal.subject);
  }
  const events: EventRow[] = [];
  for (const event of draft.events) events.push(await addEvent(call.tx, row.uid, { ...event, revision }));
  return events;
}

/** The account's limit, then the workspace's counter: the last two rows that a write locks. */
export async function count(
  call: WriteCall,
  kind: Kind,
  parentUid: string | undefined,
  difference: 1 | -1,
): Promise<void> {
  const { tx, workspace, dependencies } = call;
  if (kind.quota !== undefined) {
    const { account } = workspace;
    const limit = limitOf(account, dependencies.config, kind.quota);
    if (difference < 0) await releaseQuota(tx, account.id, kind.quota);
    else if (!(await reserveQuota(tx, { accountId: account.id, resourceType: kind.quota, limit }))) {
      throw resourceErrors.quota_exceeded({ limit, resourceType: kind.quota });
    }
  }
  await addToCount(
    tx,
    { workspaceId: workspace.id, kind: kind.kind, ...(parentUid === undefined ? {} : { parentUid }) },
    difference,
  );
}
