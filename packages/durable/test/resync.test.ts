// Only the database knows what is unfinished; Restate may lose all its data.
import { resync, startHandlers, startRelay } from '@berth/durable';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { until } from '../../../tests/harness/until.ts';
import { startDatabaseAndRestate } from './database-and-restate.ts';
import { silent, unfinishedWork, workHandlers, workMessage } from './work.ts';

const pieces = 50;

test(`wiping Restate in the middle of ${pieces} pieces of work loses none and doubles none`, async () => {
  await using engines = await startDatabaseAndRestate();
  const keys = Array.from({ length: pieces }, (_, index) => `piece-${index}`);
  let resynced = 0;
  const handlers = await startHandlers({
    handlers: workHandlers(engines.database),
    adminUrl: engines.restate.adminUrl,
    port: 0,
    logger: silent,
    checkEveryMs: 100,
    onFirstRegistered: async () => {
      resynced += await resync({
        database: engines.database,
        sender: engines.sender,
        sources: [unfinishedWork],
        pageSize: 7,
      });
    },
  });
  const relay = startRelay({
    database: engines.database,
    databaseUrl: engines.databaseUrl,
    sender: engines.sender,
    logger: silent,
    pollMs: 20,
  });
  await engines.addWork(keys);
  // A third are timers far in the future, a third have begun, a third wait in the outbox.
  for (const [index, key] of keys.entries()) {
    if (index % 3 === 0) await engines.sender.send(workMessage, key, {}, { delayMs: 3_600_000 });
    else if (index % 3 === 1) await engines.sender.send(workMessage, key, { holdMs: 400 + 20 * index });
    else await sql`insert into outbox (topic, key) values ('reconcile', ${key})`.execute(engines.database);
  }
  await until(async () => Object.keys(await engines.effects()).length >= 10);
  await engines.restate.kill();
  await engines.restate.wipe();
  await engines.restate.start();
  await engines.allDone();
  await relay.stop();
  await handlers.stop();
  expect(resynced).toBeGreaterThan(0);
  expect(resynced).toBeLessThan(pieces);
  expect(await engines.effects()).toEqual(Object.fromEntries(keys.map((key) => [key, 1])));
});

test('a resync repeated under its id runs nothing again', async () => {
  await using engines = await startDatabaseAndRestate();
  const handlers = await startHandlers({
    handlers: workHandlers(engines.database),
    adminUrl: engines.restate.adminUrl,
    port: 0,
    logger: silent,
  });
  await engines.addWork(['one', 'two', 'three']);
  await sql`update work set wanted = 2`.execute(engines.database);
  const options = {
    database: engines.database,
    sender: engines.sender,
    sources: [unfinishedWork],
    id: 'same',
    pageSize: 2,
  };
  expect(await resync(options)).toBe(3);
  await until(async () => Object.keys(await engines.effects()).length === 3);
  expect(await resync(options)).toBe(3);
  expect(await resync({ ...options, id: 'another' })).toBe(3);
  await engines.allDone();
  await handlers.stop();
  for (const key of ['one', 'two', 'three']) expect(await engines.runsOf(key)).toHaveLength(2);
});
