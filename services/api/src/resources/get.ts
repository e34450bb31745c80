import { requestErrors, type UniformOperation } from '@berth/contract';
import { nilUuid } from '@berth/database';
import type { ReadCall } from '../http/call.ts';
import { readRow } from './read-row.ts';
import { findLive, findParent, type ResourceRow, resourceColumns } from './record.ts';
import type { Rendered } from './render.ts';
import { listRevisions } from './revisions.ts';
import type { KindRules } from './rules.ts';
import { revealSecrets } from './secrets.ts';
import { isLive } from './terminated.ts';

interface Found {
  readonly row: ResourceRow;
  readonly parents: readonly ResourceRow[];
}

async function find(call: ReadCall, { kind, end }: KindRules): Promise<Found> {
  const { params } = call;
  const { uid, rows } = await findParent(call.database, call.workspace.id, kind, params);
  const name = params[kind.param] ?? '';
  const scope = { workspaceId: call.workspace.id, kind: kind.kind, parentUid: uid };
  const row = (await findLive(call.database, scope, name)) ?? (await end?.find(call, name));
  if (row === undefined) throw requestErrors.not_found();
  return { row, parents: rows };
}

export async function getResource(call: ReadCall<UniformOperation>, rules: KindRules): Promise<Rendered> {
  const { kind } = rules;
  const showSecrets = call.query.show_secrets === true;
  if (showSecrets && call.workspace.role !== 'admin') throw requestErrors.role_required({ role: 'workspace admin' });
  const { row, parents } = await find(call, rules);
  const rendered = await readRow(call, rules, row, parents);
  if (!showSecrets) return rendered;
  call.showsSecretsOf(`${kind.kind}/${row.name}`);
  const key = await call.dependencies.keyring.workspaceKey(call.database, call.workspace.id);
  return { ...rendered, spec: { ...rendered.spec, ...revealSecrets(kind, row.spec, key, row.uid) } };
}

/** The newest live resource with this external id; external ids are chosen by the caller and need not be unique. */
export async function getByExternalId(call: ReadCall, rules: KindRules): Promise<Rendered> {
  const row = await call.database
    .selectFrom('resources')
    .select(resourceColumns)
    .where('workspace_id', '=', call.workspace.id)
    .where('kind', '=', rules.kind.kind)
    .where('parent_uid', '=', nilUuid)
    .where('external_id', '=', call.params.externalId ?? '')
    .where(isLive)
    .orderBy('created_at', 'desc')
    .orderBy('uid', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) throw requestErrors.not_found();
  return readRow(call, rules, row, []);
}

export async function getRevisions(call: ReadCall, rules: KindRules): Promise<unknown> {
  const { row } = await find(call, rules);
  return listRevisions(call.database, rules.kind, row);
}
