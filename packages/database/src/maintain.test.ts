import { randomBytes, randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../scripts/engines/test-database.ts';
import { connect } from './connect.ts';
import { maintain } from './maintain.ts';

test('ended instances go after a day, join tokens 30 days after their use or end; what lives stays', async () => {
  await using home = await createTestDatabase();
  const database = connect({ url: home.url, maxConnections: 2 });
  const runner = randomUUID();
  await sql`insert into runners (id, name, region) values (${runner}, 'r', 'local')`.execute(database);
  for (const endedDaysAgo of [undefined, 0.5, 1.5, 10]) {
    await sql`insert into instances (id, workspace_id, resource_uid, revision, runner_id, spec, reserved_mb, created_at, ended_at)
      values (${randomUUID()}, ${randomUUID()}, ${randomUUID()}, 'rev-1', ${runner}, '{}', 1, now() - interval '20 days',
        now() - ${endedDaysAgo ?? null}::float8 * interval '1 day')`.execute(database);
  }
  for (const [expiredDaysAgo, usedDaysAgo] of [
    [-1, undefined],
    [40, undefined],
    [40, 41],
    [1, 2],
  ]) {
    await sql`insert into runner_tokens (hash, region, expires_at, used_at)
      values (${randomBytes(32)}, 'local', now() - ${expiredDaysAgo}::float8 * interval '1 day',
        now() - ${usedDaysAgo ?? null}::float8 * interval '1 day')`.execute(database);
  }
  expect(await maintain(database)).toMatchObject({ removedInstances: 2, removedTokens: 2 });
  expect(await maintain(database)).toMatchObject({ removedInstances: 0, removedTokens: 0 });
  await database.destroy();
});
