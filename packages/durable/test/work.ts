// Test work: rows that have to be done a number of times, one handler that does them, and tables of runs and effects.
// Started as a program, it is a process that a test can kill.
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Database } from '@berth/database';
import {
  createSender,
  defineHandler,
  defineMessage,
  defineResyncSource,
  type Handler,
  type Sender,
  startHandlers,
  startRelay,
} from '@berth/durable';
import { createLogger, type Logger } from '@berth/telemetry';
import { sql } from 'kysely';
import { z } from 'zod';

export const silent: Logger = createLogger({ role: 'test' }, { level: 'silent' });

/** `holdMs` delays between the read and the write, `holdAfterMs` between the write and the answer. */
export const workMessage = defineMessage({
  name: 'reconcile',
  input: z.object({ holdMs: z.number().optional(), holdAfterMs: z.number().optional() }),
});

export async function createWorkTables(database: Database): Promise<void> {
  await sql`create table work (
    key text primary key, wanted integer not null default 1, done integer not null default 0, generation bigint not null default 1)`.execute(
    database,
  );
  await sql`create table runs (
    id bigint generated always as identity primary key, key text not null, pid integer not null,
    started_at timestamptz not null default clock_timestamp(), ended_at timestamptz)`.execute(database);
  await sql`create table effects (key text not null, generation bigint not null)`.execute(database);
}

export function workHandlers(database: Database): readonly Handler[] {
  return [
    defineHandler({
      ...workMessage,
      retry: { initialMs: 50, maxMs: 200 },
      async handle({ key, input }) {
        const run = await sql<{ id: number }>`insert into runs (key, pid) values (${key}, ${process.pid}) returning id`
          .execute(database)
          .then(({ rows }) => rows[0]?.id ?? 0);
        const { rows } = await sql<{ generation: number }>`
          select generation from work where key = ${key} and done < wanted`.execute(database);
        const [found] = rows;
        // Handlers never wait; this sleep simulates slow statements.
        await sleep(input.holdMs ?? 0);
        if (found !== undefined) await doOnce(database, key, found.generation);
        await sleep(input.holdAfterMs ?? 0);
        await sql`update runs set ended_at = clock_timestamp() where id = ${run}`.execute(database);
      },
    }),
  ];
}

/** Compare-and-set: the effect and the new generation are one statement, and an outdated generation changes nothing. */
async function doOnce(database: Database, key: string, generation: number): Promise<void> {
  await sql`
    with changed as (
      update work set done = done + 1, generation = generation + 1
      where key = ${key} and generation = ${generation} returning key, generation)
    insert into effects select key, generation from changed`.execute(database);
}

export const unfinishedWork = defineResyncSource({
  to: workMessage,
  async page(database, after, limit) {
    const { rows } = await sql<{ key: string }>`
      select key from work where done < wanted and key > ${after ?? ''} order by key limit ${limit}`.execute(database);
    return rows.map(({ key }) => ({ key, message: {} }));
  },
});

/** Kills the process at the worst moment: Restate has the messages, but the outbox rows still exist. */
function killedAfterSend(sender: Sender): Sender {
  return {
    ...sender,
    async sendMany(messages) {
      const results = await sender.sendMany(messages);
      if (messages.length > 0) process.kill(process.pid, 'SIGKILL');
      return results;
    },
  };
}

const Program = z.discriminatedUnion('role', [
  z.object({ role: z.literal('handlers'), databaseUrl: z.string(), adminUrl: z.string(), port: z.number() }),
  z.object({ role: z.literal('relay'), databaseUrl: z.string(), ingressUrl: z.string() }),
]);
export type WorkProgram = z.input<typeof Program>;

if (import.meta.main) {
  const program = Program.parse(JSON.parse(process.argv[2] ?? ''));
  const database = connect({ url: program.databaseUrl });
  if (program.role === 'handlers') {
    await startHandlers({ ...program, handlers: workHandlers(database), logger: silent });
  } else {
    const sender = killedAfterSend(createSender(program));
    startRelay({ database, databaseUrl: program.databaseUrl, sender, logger: silent });
  }
  process.stdout.write('started\n');
}
