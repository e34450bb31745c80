// Every change of routes sends a notice, after the change is visible to all readers.
import { listen, routesChannel } from '@berth/database';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { ApiWithMachines } from '../../api/test/nodes/api-with-machines.ts';
import { reconcileOnce } from '../../orchestrator/test/reconcile-once.ts';

let deployment: ApiWithMachines;
let listener: ReturnType<typeof listen>;
let heard: string[] = [];

beforeAll(async () => {
  deployment = await ApiWithMachines.start(1);
  listener = listen({
    url: deployment.api.databaseUrl,
    channel: routesChannel,
    onNotification: (word) => heard.push(word),
  });
  // The listener reports a change of everything once when it connects.
  await vi.waitUntil(() => heard.length > 0, 60_000);
});
beforeEach(() => {
  heard = [];
});
afterAll(async () => {
  await listener.close();
  await deployment[Symbol.asyncDispose]();
});

const uidOf = async (name: string): Promise<string> =>
  (
    await deployment.api.database
      .selectFrom('resources')
      .select('uid')
      .where('name', '=', name)
      .executeTakeFirstOrThrow()
  ).uid;

test('a write of an agent or a function names it, one of another kind is not announced', async () => {
  const { admin } = deployment.api;
  await admin.post('/policies', { metadata: { name: 'p' }, spec: { type: 'location', locations: [] } });
  const spec = { runtime: { image: 'registry.example.org/a:1' } };
  await admin.post('/agents', { metadata: { name: 'a' }, spec });
  await admin.post('/functions', { metadata: { name: 'f' }, spec });
  const uids = [await uidOf('a'), await uidOf('f')];
  await expect.poll(() => heard).toEqual(uids);
  heard = [];
  await admin.delete('/functions/f');
  await expect.poll(() => heard).toEqual(uids.slice(1));
});

test('a decision about a resource sends a notice with its name, and a decision without a change sends none', async () => {
  await deployment.api.admin.post('/agents', {
    metadata: { name: 'b' },
    spec: { runtime: { image: 'registry.example.org/a:1' } },
  });
  const uid = await uidOf('b');
  const notified: string[] = [];
  const reconcile = () => reconcileOnce(deployment.api.database, uid, (word) => void notified.push(word));
  const machine = await deployment.join();
  const stream = await machine.connect({ isolation: ['runc', 'gvisor'] });
  await reconcile();
  expect(notified).toEqual([uid]);
  await reconcile();
  expect(notified).toEqual([uid]);
  stream.close();
});

test('a report of a runner sends a notice with the resource, and the loss of a runner concerns every resource', async () => {
  const machine = await deployment.join();
  const stream = await machine.connect();
  const { id, resourceUid } = await deployment.place(machine.identity.runnerId);
  await machine.report(stream.session, { instance: id, sequence: 1, state: 'ready', starts: 1 });
  await expect.poll(() => heard).toContain(resourceUid);
  await expect.poll(() => heard).toContain('');
});
