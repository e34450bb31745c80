// The messages of one workspace never delay those of another.
import { enqueue, uuidv7 } from '@berth/database';
import { type Outgoing, type RunningHandlers, type Sender, startHandlers, startRelay } from '@berth/durable';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { type DatabaseAndRestate, startDatabaseAndRestate } from './database-and-restate.ts';
import { silent, workHandlers } from './work.ts';

let engines: DatabaseAndRestate;
let handlers: RunningHandlers;

beforeAll(async () => {
  engines = await startDatabaseAndRestate();
  handlers = await startHandlers({
    handlers: workHandlers(engines.database),
    adminUrl: engines.restate.adminUrl,
    port: 0,
    logger: silent,
    checkEveryMs: 500,
  });
});
beforeEach(async () => {
  await sql`truncate outbox`.execute(engines.database);
});
afterAll(async () => {
  await handlers.stop();
  await engines[Symbol.asyncDispose]();
});

/** Starts a relay that records each batch and passes it on. */
function startListened(batchSize: number) {
  const batches: (readonly Outgoing[])[] = [];
  const sender: Sender = {
    ...engines.sender,
    sendMany(messages) {
      if (messages.length > 0) batches.push(messages);
      return engines.sender.sendMany(messages);
    },
  };
  const relay = startRelay({ ...engines, sender, logger: silent, batchSize, pollMs: 20 });
  return { batches, stop: () => relay.stop() };
}
const queue = (workspaceId: string, key: string): Promise<void> =>
  engines.database.transaction().execute((tx) => enqueue(tx, { topic: 'reconcile', key, workspaceId }));
/** Queues messages `<workspace>/<n>`, all of one workspace before those of the next. */
async function queueAll(workspaces: readonly string[], each: number): Promise<void> {
  for (const workspace of workspaces)
    for (let index = 0; index < each; index += 1) await queue(workspace, `${workspace}/${index}`);
}
const isEmpty = async (): Promise<boolean> =>
  (await sql`select 1 from outbox limit 1`.execute(engines.database)).rows.length === 0;

test('behind 20 000 messages of one workspace that of another leaves with the first batch', async () => {
  const [large, small] = [uuidv7(), uuidv7()];
  await sql`insert into outbox (topic, key, workspace_id)
    select 'reconcile', 'large-' || n, ${large} from generate_series(1, 20000) n`.execute(engines.database);
  await queue(small, 'small');
  const { batches, stop } = startListened(200);
  await until(() => batches.some((batch) => batch.some(({ key }) => key === 'small')));
  const [first = []] = batches;
  expect(first.map(({ key }) => key)).toContain('small');
  // A message that is queued during the backlog does not wait for the end of the backlog either.
  await queue(small, 'later');
  const before = batches.length;
  await until(() => batches.some((batch) => batch.some(({ key }) => key === 'later')));
  await stop();
  const place = batches.findIndex((batch) => batch.some(({ key }) => key === 'later'));
  // It may leave one batch later, if the turns were already assigned when its row was written.
  expect(place).toBeLessThanOrEqual(before + 1);
  expect(await isEmpty()).toBe(false);
});

test('with more workspaces than a batch has rows, none sends its second before all have sent one', async () => {
  const workspaces = Array.from({ length: 50 }, () => uuidv7());
  await queueAll(workspaces, 3);
  const { batches, stop } = startListened(20);
  await until(isEmpty);
  await stop();
  const sent = new Map(workspaces.map((workspace) => [workspace, 0]));
  for (const batch of batches) {
    for (const { key } of batch) {
      const [workspace = '', index] = key.split('/');
      expect(index).toBe(String(sent.get(workspace)));
      sent.set(workspace, (sent.get(workspace) ?? 0) + 1);
    }
    expect(Math.max(...sent.values()) - Math.min(...sent.values())).toBeLessThanOrEqual(1);
  }
  expect(new Set(sent.values())).toEqual(new Set([3]));
});

test('a batch is shared evenly, oldest first in each workspace, and what one does not need is sent by the others soon', async () => {
  const workspaces = [uuidv7(), uuidv7(), uuidv7()];
  await queueAll(workspaces, 7);
  await queueAll(workspaces.slice(0, 1), 20);
  const { batches, stop } = startListened(12);
  await until(isEmpty);
  await stop();
  const countsOf = (batch: readonly Outgoing[] = []) =>
    workspaces.map((workspace) => batch.filter(({ key }) => key.startsWith(workspace)).length);
  expect(batches.slice(0, 2).map(countsOf)).toEqual([
    [4, 4, 4],
    [4, 3, 3],
  ]);
  expect(countsOf(batches[2])).toEqual([12, 0, 0]);
  for (const workspace of workspaces.slice(1)) {
    const sent = batches.flat().filter(({ key }) => key.startsWith(workspace));
    expect(sent.map(({ key }) => key)).toEqual(Array.from({ length: 7 }, (_, index) => `${workspace}/${index}`));
  }
});

test('several relays send each message once, and none is forgotten at the end of a round', async () => {
  const workspaces = Array.from({ length: 30 }, () => uuidv7());
  await queueAll(workspaces, 10);
  const relays = [startListened(7), startListened(7), startListened(7)];
  await until(isEmpty);
  await Promise.all(relays.map(({ stop }) => stop()));
  const sent = relays.flatMap(({ batches }) => batches.flat().map(({ key }) => key));
  const queued = workspaces.flatMap((workspace) => Array.from({ length: 10 }, (_, index) => `${workspace}/${index}`));
  expect(sent.toSorted()).toEqual(queued.toSorted());
});
