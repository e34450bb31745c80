// Reads all data of a preview that serving a request needs, beside its sandbox, in one round trip.
import { publicSandboxApiPort } from '@berth/contract';
import { guestPort } from '@berth/contract/guest';
import { type Database, liveResource } from '@berth/database';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Preview } from './preview.ts';
import type { PreviewRoute } from './route.ts';

const Headers = z.record(z.string(), z.string());
const Row = z.object({
  uid: z.string(),
  name: z.string(),
  sandbox_uid: z.string(),
  port: z.int(),
  is_public: z.boolean(),
  custom_domain: z.string().nullable(),
  request_headers: Headers,
  response_headers: Headers,
  ends_in_ms: z.number().nullable(),
  tokens: z.array(z.object({ hash: z.string(), endsInMs: z.number() })),
});

/** Both port numbers mean the API of the sandbox. */
const apiPorts = new Set([publicSandboxApiPort, guestPort]);

export async function queryPreview(database: Database, { region, label }: PreviewRoute): Promise<Preview | undefined> {
  const askedAt = performance.now();
  const { rows } = await sql`
    select uid, name, parent_uid as sandbox_uid, (spec ->> 'port')::integer as port,
      coalesce((spec ->> 'public')::boolean, false) as is_public,
      nullif(spec ->> 'customDomain', '') as custom_domain,
      coalesce(spec -> 'requestHeaders', '{}') as request_headers,
      coalesce(spec -> 'responseHeaders', '{}') as response_headers,
      extract(epoch from expires_at - clock_timestamp())::float8 * 1000 as ends_in_ms,
      (select coalesce(jsonb_agg(jsonb_build_object('hash', encode(hash, 'base64'),
          'endsInMs', extract(epoch from preview_tokens.expires_at - clock_timestamp())::float8 * 1000)), '[]')
        from preview_tokens where preview_uid = uid and preview_tokens.expires_at > clock_timestamp()) as tokens
    from resources
    where uid = (select preview_uid from preview_hosts where region = ${region} and label = ${label})
      and kind = 'preview' and ${liveResource()} and (expires_at is null or expires_at > clock_timestamp())`.execute(
    database,
  );
  return rows.length === 0 ? undefined : toPreview(Row.parse(rows[0]), askedAt);
}

const toPreview = (row: z.infer<typeof Row>, askedAt: number): Preview => ({
  uid: row.uid,
  name: row.name,
  sandboxUid: row.sandbox_uid,
  port: apiPorts.has(row.port) ? undefined : row.port,
  isPublic: row.is_public,
  customDomain: row.custom_domain ?? undefined,
  requestHeaders: row.request_headers,
  responseHeaders: row.response_headers,
  endsInMs: row.ends_in_ms ?? undefined,
  tokens: new Map(row.tokens.map(({ hash, endsInMs }) => [hash, askedAt + endsInMs])),
});

interface AskedToken {
  readonly previewUid: string;
  readonly hash: Buffer;
}

/** Remaining validity in milliseconds of tokens created after their preview was read; undefined for unknown tokens. */
export async function queryTokens(database: Database, asked: readonly AskedToken[]): Promise<(number | undefined)[]> {
  const { rows } = await sql<{ hash: Buffer; preview_uid: string; ends_in_seconds: number }>`
    select hash, preview_uid, extract(epoch from expires_at - clock_timestamp())::float8 as ends_in_seconds
    from preview_tokens where hash = any(${asked.map(({ hash }) => hash)}::bytea[]) and expires_at > clock_timestamp()`.execute(
    database,
  );
  return asked.map(({ previewUid, hash }) => {
    const row = rows.find((found) => found.preview_uid === previewUid && found.hash.equals(hash));
    return row === undefined ? undefined : row.ends_in_seconds * 1_000;
  });
}
