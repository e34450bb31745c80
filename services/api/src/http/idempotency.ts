// Idempotency-Key: scoped to API key, workspace and operation, kept for 24 hours. The row is written in the request's
// own transaction, so a second request with the same key blocks until the first ends, then reads its answer.
import { createHash } from 'node:crypto';
import { requestErrors } from '@berth/contract';
import { type Database, type DatabaseTransaction, nilUuid } from '@berth/database';
import { seal, unseal } from '@berth/identity';
import { sql } from 'kysely';
import type { Dependencies } from '../dependencies.ts';
import { withEchoes, withoutEchoes } from './echoes.ts';

export interface IdempotentRequest {
  readonly principal: string;
  readonly workspaceId: string;
  readonly operation: string;
  readonly key: string;
  readonly requestHash: Buffer;
  readonly body: unknown;
}

const keyForm = /^[\x21-\x7e]{1,255}$/;

interface IdempotencyInput {
  readonly header: string | string[] | undefined;
  readonly principal: string;
  readonly workspaceId: string | undefined;
  readonly operation: string;
  readonly url: string;
  readonly body: unknown;
}

export function readIdempotencyKey({
  header,
  principal,
  workspaceId,
  operation,
  url,
  body,
}: IdempotencyInput): IdempotentRequest | undefined {
  if (header === undefined) return undefined;
  if (typeof header !== 'string' || !keyForm.test(header)) {
    throw requestErrors.invalid_request({
      reason: 'Idempotency-Key takes 1 to 255 printable characters without spaces.',
    });
  }
  const requestHash = createHash('sha256')
    .update(JSON.stringify([url, body ?? null]))
    .digest();
  return { principal, workspaceId: workspaceId ?? nilUuid, operation, key: header, requestHash, body };
}

/** Answer of an earlier request with this key. Undefined for the first request, which then owns the row. */
export async function storedAnswer(
  tx: DatabaseTransaction,
  dependencies: Dependencies,
  request: IdempotentRequest,
): Promise<{ readonly answer: unknown } | undefined> {
  const { principal, workspaceId, operation, key, requestHash } = request;
  const taken = await sql`
    insert into idempotency_keys as kept (principal, workspace_id, operation, key, request_hash)
    values (${principal}, ${workspaceId}, ${operation}, ${key}, ${requestHash})
    on conflict (principal, workspace_id, operation, key)
      do update set request_hash = excluded.request_hash, answer = null, created_at = now()
      where kept.created_at < now() - interval '24 hours'
    returning key`.execute(tx);
  if (taken.rows.length === 1) return undefined;
  const row = await whereKey(tx, request).select(['request_hash', 'answer']).executeTakeFirstOrThrow();
  if (!row.request_hash.equals(requestHash)) throw requestErrors.idempotency_key_reused();
  const sealingKey = await dependencies.keyring.deploymentKey(dependencies.database, 'idempotency');
  return { answer: withEchoes(JSON.parse(unseal(sealingKey, row.answer ?? '', contextOf(request))), request.body) };
}

/** Every stored answer is encrypted, because some contain an API key that is shown only once. */
export async function rememberAnswer(
  database: Database,
  dependencies: Dependencies,
  request: IdempotentRequest,
  answer: unknown,
): Promise<void> {
  const sealingKey = await dependencies.keyring.deploymentKey(dependencies.database, 'idempotency');
  const sealed = seal(sealingKey, JSON.stringify(withoutEchoes(answer ?? null, request.body)), contextOf(request));
  await database
    .updateTable('idempotency_keys')
    .set({ answer: sealed })
    .where('principal', '=', request.principal)
    .where('workspace_id', '=', request.workspaceId)
    .where('operation', '=', request.operation)
    .where('key', '=', request.key)
    .execute();
}

const whereKey = (tx: DatabaseTransaction, { principal, workspaceId, operation, key }: IdempotentRequest) =>
  tx
    .selectFrom('idempotency_keys')
    .where('principal', '=', principal)
    .where('workspace_id', '=', workspaceId)
    .where('operation', '=', operation)
    .where('key', '=', key);

const contextOf = ({ principal, workspaceId, operation, key }: IdempotentRequest): string =>
  JSON.stringify(['idempotency', principal, workspaceId, operation, key]);
