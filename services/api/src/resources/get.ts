import { type Kind, requestErrors, type UniformOperation } from '@berth/contract';
import { nilUuid } from '@berth/database';
import type { ReadCall } from '../http/call.ts';
import { kindRules } from '../kind-rules.ts';
import { loadEvents } from './events.ts';
import { findLive, findParent, type ResourceRow, resourceColumns } from './record.ts';
import { type Rendered, renderResource } from './render.ts';
import { listRevisions } from './revisions.ts';
import { revealSecrets } from './secrets.ts';
import { isLive } from './terminated.ts';

interface Found {
  readonly row: ResourceRow;
  readonly parents: readonly ResourceRow[];
}

async function find(call: ReadCall, kind: Kind): Promise<Found> {
  const { params } = call;
  const { uid, rows } = await findParent(call.database, call.workspace.id, kind, params);
  const name = params[kind.param] ?? '';
  const scope = { workspaceId: call.workspace.id, kind: kind.kind, parentUid: uid };
  const row =
    (await findLive(call.database, scope, name)) ?? (await kindRules[kind.kind]?.findTerminated?.(call, name));
  if (row === undefined) throw requestErrors.not_found();
  return { row, parents: rows };
}

export async function getResource(call: ReadCall<UniformOperation>, kind: Kind): Promise<Rendered> {
  const showSecrets = call.query.show_secrets === true;
  if (showSecrets && call.workspace.role !== 'admin') throw requestErrors.role_required({ role: 'workspace admin' });
  const { row, parents } = await find(call, kind);
  const rendered = await readRow(call, kind, row, parents);
  if (!showSecrets) return rendered;
  call.showsSecretsOf(`${kind.kind}/${row.name}`);
  const key = await call.dependencies.keyring.workspaceKey(call.database, call.workspace.id);
  return { ...rendered, spec: { ...rendered.spec, ...revealSecrets(kind, row.spec, key, row.uid) } };
}

async function readRow(
  call: Pick<ReadCall, 'database' | 'dependencies' | 'workspace'>,
  kind: Kind,
  row: ResourceRow,
  parents: readonly ResourceRow[],
): Promise<Rendered> {
  const events = kind.status === undefined ? undefined : (await loadEvents(call.database, [row])).get(row.uid);
  const { dependencies, workspace } = call;
  const rules = kindRules[kind.kind];
  const view = { dependencies, workspace, parents };
  const rendered = renderResource(kind, row, events, view, rules?.finish);
  const [related] = (await rules?.relate?.(call.database, [rendered], [row], view)) ?? [];
  return related ?? rendered;
}

/** Reads a resource by uid, live or terminated, after the transaction that wrote it. */
export async function readAgain(
  call: Pick<ReadCall, 'dependencies' | 'workspace'>,
  kind: Kind,
  uid: string,
): Promise<Rendered | undefined> {
  const { database } = call.dependencies;
  const row = await database.selectFrom('resources').select(resourceColumns).where('uid', '=', uid).executeTakeFirst();
  if (row === undefined) return undefined;
  const { dependencies, workspace } = call;
  return readRow({ database, dependencies, workspace }, kind, row, []);
}

/** The newest live resource with this external id; external ids are chosen by the caller and need not be unique. */
export async function getByExternalId(call: ReadCall, kind: Kind): Promise<Rendered> {
  const row = await call.database
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', call.workspace.id)
    .where('kind', '=', kind.kind)
    .where('parent_uid', '=', nilUuid)
    .where('external_id', '=', call.params.externalId ?? '')
    .where(isLive)
    .orderBy('created_at', 'desc')
    .orderBy('uid', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  return readRow(call, kind, row, []);
}

export async function getRevisions(call: ReadCall, kind: Kind): Promise<unknown> {
  const { row } = await find(call, kind);
  return listRevisions(call.database, kind, row);
}
