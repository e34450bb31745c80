import { setImmediate as turn } from 'node:timers/promises';
import { answerInTime } from '@berth/concurrency';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { connect } from './connect.ts';

/** Blocks the event loop: nothing is read and no timer fires, as in an overloaded process. */
function fallBehind(ms: number): void {
  for (const endAt = performance.now() + ms; performance.now() < endAt; );
}

test('an answer that arrived while the process was busy is used: its own delay does not count as an unavailable database', async () => {
  await using database = await createTestDatabase();
  const db = connect({ url: database.url, maxConnections: 1 });
  await sql`select 1`.execute(db);
  const answer = answerInTime(sql<{ one: number }>`select 1 as one`.execute(db), { hasStandIn: true });
  // The query is sent; its answer arrives while the process reads nothing.
  await turn();
  fallBehind(1_500);
  expect((await answer).rows).toEqual([{ one: 1 }]);
  await db.destroy();
});
