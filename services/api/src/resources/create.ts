// Creates a resource of any kind: its row, events, revision and outbox row, and the counters last.
import { type ResourceBody, resourceErrors } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import type { WriteCall } from '../http/call.ts';
import { count } from './count.ts';
import { enqueueChange } from './enqueue-change.ts';
import { type EventRow, loadEvents } from './events.ts';
import { refuseIdle } from './field-effects.ts';
import { present } from './present.ts';
import { type ResourceRow, resourceColumns } from './record.ts';
import type { Rendered } from './render.ts';
import { newRevisionId, requireKnownRevisions } from './revisions.ts';
import { ruleContext } from './rule-context.ts';
import type { Draft, KindRules, RuleContext } from './rules.ts';
import { searchText } from './search-text.ts';
import { holdsSecrets, restoreMasked, sealSecrets } from './secrets.ts';
import { withoutNulls } from './spec-change.ts';
import { writeArrival } from './write-arrival.ts';

/** `given` is state that the service sets itself and that no caller may send. */
export async function createResource(
  call: WriteCall,
  rules: KindRules,
  body: ResourceBody,
  given: Pick<Draft, 'state'> = { state: undefined },
): Promise<Rendered> {
  const { kind } = rules;
  const context = await ruleContext(call, rules);
  const draft = newDraft(rules, body, given);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const conflict = await rules.onNameTaken?.(context, draft.name, attempt === 1 ? 'before' : 'lost');
    if (conflict?.outcome === 'answer') return answerWithExisting(call, rules, context, conflict.row);
    if (conflict !== undefined) await endConflicting(call, rules, context, conflict.row);
    if (attempt === 1) {
      await rules.beforeCreate?.(context, draft);
      refuseIdle(kind, body.spec);
    }
    const created = await insertDraft(call, rules, context, draft, conflict === undefined ? 'counted' : 'in place');
    if (created !== undefined) {
      const rendered = await present(call, rules, context, created.row, created.events);
      return rules.render?.onWrite?.(rendered, draft.spec) ?? rendered;
    }
    // A concurrent request created the resource first. Kinds with `onNameTaken` decide in the next attempt what
    // happens to this request.
    if (rules.onNameTaken === undefined) break;
  }
  throw resourceErrors.already_exists({ kind: kind.kind, name: draft.name });
}

/** Each further attempt means that a conflicting row appeared and disappeared in between. */
const maxAttempts = 5;

async function answerWithExisting(
  call: WriteCall,
  rules: KindRules,
  context: RuleContext,
  row: ResourceRow,
): Promise<Rendered> {
  call.target(`${rules.kind.kind}/${row.name}`);
  return present(call, rules, context, row, (await loadEvents(call.tx, [row])).get(row.uid) ?? []);
}

/** The counters do not change: one row ends and another begins in the same transaction. */
async function endConflicting(
  call: WriteCall,
  rules: KindRules,
  context: RuleContext,
  row: ResourceRow,
): Promise<void> {
  await rules.end?.terminate(context, row, 'replaced');
  await enqueueChange(call, rules, row.uid);
}

function newDraft(rules: KindRules, { metadata, spec }: ResourceBody, { state }: Pick<Draft, 'state'>): Draft {
  const { kind } = rules;
  const filled = withoutNulls({ ...kind.specDefaults, ...(rules.normalize?.(spec) ?? spec) });
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

/** Undefined when the name is taken. PUT also uses it to create a resource. */
async function insertDraft(
  call: WriteCall,
  rules: KindRules,
  context: RuleContext,
  draft: Draft,
  counting: 'counted' | 'in place',
): Promise<{ row: ResourceRow; events: EventRow[] } | undefined> {
  const { tx, workspace, principal, dependencies } = call;
  const { kind } = rules;
  const parentUid = context.parents.at(-1)?.uid;
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
  const row = (await rules.afterCreate?.(context, inserted, draft)) ?? inserted;
  const revision = kind.revisions === true ? newRevisionId() : undefined;
  if (revision !== undefined) await requireKnownRevisions(tx, row.uid, draft.spec);
  const events = await writeArrival(call, context, row, draft, revision);
  await enqueueChange(call, rules, row.uid, row.status === 'DEPLOYED' ? 'background' : 'now');
  if (counting === 'counted') call.beforeCommit(() => count(call, kind, parentUid, 1));
  return { row, events };
}
