// Makes a key. Its value stands in the answer; what is stored is a hash, and for service accounts a sealed copy.
import { type ApiKeyInput, requestErrors } from '@berth/contract';
import { newApiKey, parseExpiry } from '@berth/identity';
import { sql } from 'kysely';
import type { z } from 'zod';
import type { WriteCall } from '../http/call.ts';
import { type KeyOwner, keyColumns, renderKey } from './record.ts';
import { requireWithin } from './require-within.ts';

interface NewKey {
  readonly owner: KeyOwner;
  readonly input: z.output<typeof ApiKeyInput>;
  /** Absent: the value cannot be recovered. */
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
      // By the database's clock, which also judges whether a key has expired.
      expires_at: expirySeconds === undefined ? null : sql<Date>`now() + make_interval(secs => ${expirySeconds})`,
    })
    .returning(keyColumns)
    .executeTakeFirstOrThrow();
  call.target(`api-key/${id}`);
  return {
    ...renderKey(row),
    ...(input.expires_in === undefined ? {} : { expires_in: input.expires_in }),
    apiKey: value,
  };
}

function readExpiry(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = parseExpiry(text);
  if (seconds !== undefined) return seconds;
  throw requestErrors.invalid_request({
    reason: 'body.expires_in: a whole number and one of s, m, h, d, w, at most 10 years. Send for example 30d.',
  });
}
