import { randomUUID } from 'node:crypto';
import { connect, type Database, routesChannel } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '../../../../engines/test-database.ts';
import { type DeploymentWatch, watchDeployments } from './deployment-watch.ts';

let home: Awaited<ReturnType<typeof createTestDatabase>>;
let database: Database;
let watch: DeploymentWatch;
const workspace = randomUUID();
beforeAll(async () => {
  home = await createTestDatabase();
  database = connect({ url: home.url, maxConnections: 4 });
  watch = watchDeployments({
    database,
    databaseUrl: home.url,
    logger: createLogger({ role: 'api' }, { level: 'silent' }),
  });
  const account = randomUUID();
  await sql`insert into accounts (id, display_name, owner_email, plan, tier) values (${account}, 'a', 'a@example.com', 'p', 't')`.execute(
    database,
  );
  await sql`insert into workspaces (id, account_id, name, status, created_by, updated_by)
    values (${workspace}, ${account}, 'w', 'ready', 'a', 'a')`.execute(database);
});
afterAll(async () => {
  await watch.close();
  await database.destroy();
  await home.drop();
});

const never = new AbortController().signal;
const add = async (status = 'DEPLOYING'): Promise<string> => {
  const uid = randomUUID();
  await sql`insert into resources (uid, workspace_id, kind, name, spec, status, created_by, updated_by, search)
    values (${uid}, ${workspace}, 'sandbox', ${uid}, '{}', ${status}, 'a', 'a', '')`.execute(database);
  return uid;
};
const become = (uid: string, status: string) =>
  sql`update resources set status = ${status} where uid = ${uid}`.execute(database);
const notify = (uid: string) => sql`select pg_notify(${routesChannel}, ${uid})`.execute(database);

test('a wait for a deployed or missing resource ends at once', async () => {
  for (const status of ['DEPLOYED', 'FAILED', 'TERMINATED'])
    expect(await watch.waitUntilDeployed(await add(status), 10_000, never)).toBe(true);
  expect(await watch.waitUntilDeployed(randomUUID(), 10_000, never)).toBe(true);
});

test('each of many waiting requests is notified of its own resource alone', async () => {
  const uids = await Promise.all(Array.from({ length: 40 }, () => add()));
  const heard = new Set<string>();
  const waiting = uids.flatMap((uid) =>
    [1, 2, 3].map(async (count) => {
      await watch.waitUntilDeployed(uid, 20_000, never);
      heard.add(`${uid} ${count}`);
    }),
  );
  const [first = '', ...others] = uids;
  await become(first, 'DEPLOYED');
  await notify(first);
  await Promise.all(waiting.slice(0, 3));
  expect(heard.size).toBe(3);
  for (const uid of others) await become(uid, 'DEPLOYED');
  await notify('');
  await Promise.all(waiting);
  expect(heard.size).toBe(120);
});

test('a wait ends at its limit, or when the client has closed its connection', async () => {
  const uid = await add();
  expect(await watch.waitUntilDeployed(uid, 50, never)).toBe(false);
  const client = new AbortController();
  const waited = watch.waitUntilDeployed(uid, 60_000, client.signal);
  client.abort();
  expect(await waited).toBe(false);
  expect(await watch.waitUntilDeployed(uid, 60_000, client.signal)).toBe(false);
});

test('a wait that begins after the close ends at once, so that it does not delay the stop of the api', async () => {
  const closed = watchDeployments({
    database,
    databaseUrl: home.url,
    logger: createLogger({ role: 'api' }, { level: 'silent' }),
  });
  await closed.close();
  // Longer than the test's timeout.
  expect(await closed.waitUntilDeployed(await add(), 3_600_000, never)).toBe(false);
});
