// Stored revisions of applications, in the form shown in an application's spec.
import type { Kind } from '@berth/contract';
import type { Database, JsonObject } from '@berth/database';
import { maskSecrets } from '../resources/secrets.ts';

const shown = ['envs', 'image', 'memory', 'port'] as const;

/** Revisions by application uid, newest first. */
export async function loadRevisions(
  database: Database,
  kind: Kind,
  uids: readonly string[],
): Promise<Map<string, unknown[]>> {
  const found = new Map<string, unknown[]>(uids.map((uid) => [uid, []]));
  if (uids.length === 0) return found;
  const rows = await database
    .selectFrom('revisions')
    .select(['resource_uid', 'id', 'spec', 'created_at', 'created_by'])
    .where('resource_uid', 'in', [...uids])
    .orderBy('number', 'desc')
    .execute();
  for (const { resource_uid, id, spec, created_at, created_by } of rows) {
    const masked = maskSecrets(kind, spec);
    found
      .get(resource_uid)
      ?.push({ id, createdAt: created_at.toISOString(), createdBy: created_by, ...deployed(masked) });
  }
  return found;
}

const deployed = (spec: JsonObject): JsonObject =>
  Object.fromEntries(shown.flatMap((field) => (spec[field] === undefined ? [] : [[field, spec[field]]])));
