// Tokens of private previews. Listings show them again, so a sealed copy is stored beside the hash that gateways look
// up.
import {
  createPreviewToken,
  deletePreviewToken,
  listPreviewTokens,
  preview as previewKind,
  requestErrors,
} from '@berth/contract';
import { type Database, type DatabaseTransaction, type Tables, uuidv7 } from '@berth/database';
import { hashSecret, newPreviewToken, seal, unseal } from '@berth/identity';
import { type Selectable, sql } from 'kysely';
import { type ReadCall, type Registration, read, type WriteCall, write } from '../http/call.ts';
import { findLive, findParent, type ResourceRow } from '../resources/record.ts';
import { previewErrors } from './errors.ts';

/** The same lifetime as a session. */
const defaultLifetimeMs = 24 * 60 * 60 * 1_000;
/** Gateways cache all tokens of a preview in use, so their number is limited. */
const maxLiveTokens = 200;

type TokenRow = Selectable<Tables['preview_tokens']>;

type Shown = Pick<ReadCall, 'workspace' | 'dependencies'>;

interface PreviewRows {
  readonly sandbox: ResourceRow;
  readonly preview: ResourceRow;
}

async function requirePreview(
  database: Database,
  workspaceId: string,
  params: Readonly<Record<string, string>>,
): Promise<PreviewRows> {
  const { rows } = await findParent(database, workspaceId, previewKind, params);
  const sandbox = rows.at(-1);
  if (sandbox === undefined) throw requestErrors.not_found();
  const scope = { workspaceId, kind: previewKind.kind, parentUid: sandbox.uid };
  const preview = await findLive(database, scope, params[previewKind.param] ?? '');
  if (preview === undefined) throw requestErrors.not_found();
  return { sandbox, preview };
}

const contextOf = ({ id }: Pick<TokenRow, 'id'>): string => `preview token ${id}`;

function render(row: TokenRow, token: string, { sandbox, preview }: PreviewRows, { workspace, dependencies }: Shown) {
  return {
    metadata: {
      name: row.name,
      previewName: preview.name,
      resourceName: sandbox.name,
      resourceType: 'sandbox',
      workspace: workspace.name,
    },
    spec: {
      token,
      expiresAt: row.expires_at.toISOString(),
      expired: row.expires_at.getTime() <= dependencies.now(),
    },
  };
}

async function listTokens(call: ReadCall<typeof listPreviewTokens>): Promise<unknown> {
  const { database, workspace, params, dependencies } = call;
  const found = await requirePreview(database, workspace.id, params);
  const rows = await database
    .selectFrom('preview_tokens')
    .selectAll()
    .where('preview_uid', '=', found.preview.uid)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  if (rows.length > 0) call.showsSecretsOf(`preview/${found.preview.name}`);
  const key = await dependencies.keyring.workspaceKey(database, workspace.id);
  return rows.map((row) => render(row, unseal(key, row.sealed, contextOf(row)), found, call));
}

async function createToken(call: WriteCall<typeof createPreviewToken>): Promise<unknown> {
  const { tx, workspace, params, body, dependencies, principal } = call;
  const found = await requirePreview(tx, workspace.id, params);
  await lockPreview(tx, found.preview.uid);
  const value = newPreviewToken();
  const id = uuidv7();
  const key = await dependencies.keyring.workspaceKey(tx, workspace.id);
  const row = await tx
    .insertInto('preview_tokens')
    .values({
      id,
      preview_uid: found.preview.uid,
      name: body.metadata.name,
      hash: hashSecret(value),
      sealed: seal(key, value, contextOf({ id })),
      expires_at: new Date(body.spec.expiresAt ?? dependencies.now() + defaultLifetimeMs),
      created_by: principal.subject,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  call.target(`preview/${found.preview.name}`);
  call.afterCommit(() => dependencies.notifyRoutes(found.sandbox.uid));
  return render(row, value, found, call);
}

/** Locks the preview against concurrent removal. */
async function lockPreview(tx: DatabaseTransaction, uid: string): Promise<void> {
  const { rows } = await sql<{ live: number }>`
    select (select count(*)::integer from preview_tokens
      where preview_uid = ${uid} and preview_tokens.expires_at > clock_timestamp()) as live
    from resources where uid = ${uid} for key share of resources`.execute(tx);
  const [locked] = rows;
  if (locked === undefined) throw requestErrors.not_found();
  if (locked.live >= maxLiveTokens) throw previewErrors.too_many_preview_tokens({ limit: maxLiveTokens });
}

/** Deletes by value, or by name, which several tokens may share. */
async function deleteToken(call: WriteCall<typeof deletePreviewToken>): Promise<unknown> {
  const { tx, workspace, params, dependencies } = call;
  const { sandbox, preview } = await requirePreview(tx, workspace.id, params);
  const { tokenName } = params;
  const deleted = await tx
    .deleteFrom('preview_tokens')
    .where('preview_uid', '=', preview.uid)
    .where((where) => where.or([where('hash', '=', hashSecret(tokenName)), where('name', '=', tokenName)]))
    .returning('name')
    .execute();
  if (deleted.length === 0) throw requestErrors.not_found();
  call.target(`preview/${preview.name}`);
  call.afterCommit(() => dependencies.notifyRoutes(sandbox.uid));
  return { message: deleted.length === 1 ? 'The token is deleted.' : `${deleted.length} tokens are deleted.` };
}

export const previewHandlers: readonly Registration[] = [
  read(listPreviewTokens, listTokens),
  write(createPreviewToken, createToken),
  write(deletePreviewToken, deleteToken),
];
