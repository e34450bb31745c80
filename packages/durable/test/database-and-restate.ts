// A database and a Restate per test file, with the test work of work.ts, and processes that can be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Database } from '@berth/database';
import { createSender, type Sender } from '@berth/durable';
import { sql } from 'kysely';
import { createTestDatabase } from '../../../engines/test-database.ts';
import { startTestRestate, type TestRestate } from '../../../engines/test-restate.ts';
import { until } from '../../../tests/harness/until.ts';
import { createWorkTables, type WorkProgram } from './work.ts';

export type DatabaseAndRestate = AsyncDisposable & {
  databaseUrl: string;
  database: Database;
  restate: TestRestate;
  sender: Sender;
  addWork(keys: readonly string[]): Promise<void>;
  /** Resolves when no work is left; throws after the timeout. */
  allDone(timeoutMs?: number): Promise<void>;
  /** Number of effects per key. */
  effects(): Promise<Record<string, number>>;
  runsOf(key: string): Promise<{ pid: number; started: number; ended: number | undefined }[]>;
  spawn(program: WorkProgram): Promise<ChildProcess>;
};

const started: ChildProcess[] = [];

export async function startDatabaseAndRestate(): Promise<DatabaseAndRestate> {
  const [home, restate] = await Promise.all([createTestDatabase(), startTestRestate()]);
  const database = connect({ url: home.url, maxConnections: 20 });
  await createWorkTables(database);
  const engines: DatabaseAndRestate = {
    databaseUrl: home.url,
    database,
    restate,
    sender: createSender({ ingressUrl: restate.ingressUrl }),
    async addWork(keys) {
      await sql`insert into work (key) select unnest(${[...keys]}::text[])`.execute(database);
    },
    allDone: (timeoutMs) =>
      until(async () => {
        const { rows } = await sql`select 1 from work where done < wanted limit 1`.execute(database);
        return rows.length === 0;
      }, timeoutMs),
    async effects() {
      const { rows } = await sql<{ key: string; count: number }>`
        select key, count(*)::int as count from effects group by key order by key`.execute(database);
      return Object.fromEntries(rows.map(({ key, count }) => [key, count]));
    },
    async runsOf(key) {
      const { rows } = await sql<{ pid: number; started_at: Date; ended_at: Date | null }>`
        select pid, started_at, ended_at from runs where key = ${key} order by id`.execute(database);
      return rows.map(({ pid, started_at, ended_at }) => ({
        pid,
        started: started_at.getTime(),
        ended: ended_at?.getTime(),
      }));
    },
    spawn: spawnWork,
    async [Symbol.asyncDispose]() {
      for (const child of started.splice(0)) child.kill('SIGKILL');
      await database.destroy();
      await Promise.all([restate[Symbol.asyncDispose](), home.drop()]);
    },
  };
  return engines;
}

async function spawnWork(program: WorkProgram): Promise<ChildProcess> {
  const child = spawn(process.execPath, [`${import.meta.dirname}/work.ts`, JSON.stringify(program)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  if (child.stdout !== null) await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
  return child;
}
