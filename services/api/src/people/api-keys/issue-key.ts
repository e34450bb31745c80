// Creates an API key. The response is the only place that shows its value; the database stores a hash and, for service
// accounts, a sealed copy. A key never outlives the key that created it: otherwise a thief could create a permanent key
// before the stolen one expires or is deleted.
import { type ApiKeyInput, requestErrors } from '@berth/contract';
import { newApiKey, parseExpiry } from '@berth/identity';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { WriteCall } from '../../http/call.ts';
import { type KeyOwner, keyColumns, renderKey } from './record.ts';
import { requireWithin } from './require-within.ts';

interface NewKey {
  readonly owner: KeyOwner;
  readonly input: z.output<typeof ApiKeyInput>;
  /** When absent, no sealed copy is stored and the value cannot be recovered. */
  readonly seal?: (id: string, value: string) => string;
}

export async function issueKey(call: WriteCall, { owner, input, seal }: NewKey): Promise<unknown> {
  const { tx, principal, dependencies } = call;
  requireWithin(principal.scopes, input.scopes);
  const expirySeconds = readExpiry(input.expires_in);
  const { id, value, hash } = newApiKey(dependencies.config.brand);
  const row = await tx
    .insertInto('api_keys')
    .values({
      id,
      hash,
      ...owner,
      name: input.name ?? null,
      scopes: input.scopes === undefined ? null : [...new Set(input.scopes)],
      sealed: seal?.(id, value) ?? null,
      created_by: principal.subject,
      parent_id: principal.keyId,
      expires_at: soonest(expirySeconds, principal.keyId),
    })
    .returning(keyColumns)
    .executeTakeFirstOrThrow();
  call.target(`api-key/${id}`);
  const livesMs = row.expires_at === null ? undefined : row.expires_at.getTime() - row.created_at.getTime();
  return {
    ...renderKey(row),
    // Left out when the key ends sooner than asked because the calling key does; `expiresAt` has the actual end.
    ...(expirySeconds === undefined || livesMs !== expirySeconds * 1_000 ? {} : { expires_in: input.expires_in }),
    apiKey: value,
  };
}

/**
 * Expiry of the new key: its own or that of its parent key, the earlier one (`least` ignores nulls). Uses the
 * database's clock, which also decides whether a key has expired.
 */
const soonest = (expirySeconds: number | undefined, parentId: string) => sql<Date | null>`least(
  now() + make_interval(secs => ${expirySeconds ?? null}::double precision),
  (select expires_at from api_keys where id = ${parentId}))`;

function readExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseExpiry(text);
  if (seconds !== undefined) return seconds;
  throw requestErrors.invalid_request({
    reason: 'body.expires_in: a whole number and one of s, m, h, d, w, at most 10 years. Send for example 30d.',
  });
}
