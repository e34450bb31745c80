// Backup and restore of a whole deployment by the operator's commands. It is restored into another database and another database of
// ClickHouse; Restate and the machine stay as they are, with what they did since the backup.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, open, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, type Database, tablesChanged, tablesLeftOut } from '@berth/database';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callDocker } from '../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { importImage } from '../../engines/import-image.ts';
import { postgresOf } from '../../engines/postgres.ts';
import { runFolder } from '../../engines/run.ts';
import { runServerCommand, ServerProcess } from '../../engines/server-process.ts';
import { tinyImageSettings, tinyImageTar } from '../../engines/tiny-image.ts';
import { isFull } from '../harness/size.ts';
import { berthOf, clientOf, deployAgent } from '../harness/workloads.ts';

const batch = 5_000;
const resources = isFull ? 200_000 : 2_000;
/** The tiny image, in which everything runs as root. */
const image = 'berth-tiny-root:latest';
/** Only Debian's PostgreSQL comes with pg_dump, which must have the version of the server. */
const bin = '/usr/lib/postgresql/15/bin';
const pgRestore = join(bin, 'pg_restore');

let fleet: Fleet;
let machine: Machine;
let folder: string;
/** Made while clients wrote, and the deployment that is restored from it. */
let backup: string;
let restored: Readonly<Record<string, string>>;
let later: string;
const made = new AsyncDisposableStack();

beforeAll(async () => {
  fleet = made.use(
    await startFleet({
      name: 'backup',
      workspaces: ['main'],
      machines: 1,
      gateways: 1,
      database: postgresOf(() => '15'),
      prepare: async ({ dockerUrl }) =>
        importImage(dockerUrl, 'berth-tiny-root', await tinyImageTar(), [...tinyImageSettings, 'USER 0:0']),
      settings: {
        BERTH_RUNNER_ISOLATION: '["runc"]',
        BERTH_PLACEMENT_RUNC_FOR: 'everything',
        BERTH_API_LIMITS: '{"drives": 1000000}',
        BERTH_RUNNER_WARM: JSON.stringify([{ image, count: 1, memoryMb: 256 }]),
      },
    }),
  );
  const [first] = fleet.machines;
  if (first === undefined) throw new Error('the fleet has no machine');
  machine = first;
  folder = await mkdtemp(join(await runFolder(), 'backup-'));
  await writeFile(join(folder, 'key'), randomBytes(32).toString('base64'), { mode: 0o600 });
  await deployAgent(fleet, 'web', { generation: 'mk2', env: { GREETING: 'hello' } });
  await sandboxes().create({ name: 'kept', image, memory: 256 });
  await writeIn('kept', 'of before');
  await fill(resources);
}, 300_000);
afterAll(() => made.disposeAsync(), 120_000);

const sandboxes = (gateway = fleet.gateways[0]?.url) => berthOf(fleet, gateway).sandboxes;

async function writeIn(name: string, text: string): Promise<void> {
  const { exitCode } = await (await sandboxes().get(name)).exec(`echo ${text} > /tmp/file`);
  expect(exitCode).toBe(0);
}

/** Copies a drive, with its counters, because creating so many one by one takes minutes. */
async function fill(count: number): Promise<void> {
  expect((await clientOf(fleet).post('/drives', { metadata: { name: 'drive' }, spec: { size: 1 } })).status).toBe(200);
  const { uid } = await fleet.database
    .selectFrom('resources')
    .select('uid')
    .where('kind', '=', 'drive')
    .executeTakeFirstOrThrow();
  // A statement may take a minute.
  for (let from = 1; from <= count; from += batch)
    await sql`
    insert into resources (uid, workspace_id, kind, name, labels, spec, state, status, created_by, updated_by, search)
    select gen_random_uuid(), workspace_id, kind, name || number, labels, spec, state, status, created_by, updated_by, search || number
    from resources, generate_series(${from}::int, ${Math.min(count, from + batch - 1)}::int) as number where uid = ${uid}`.execute(
      fleet.database,
    );
  await sql`update resource_counts set live = live + ${count} where kind = 'drive'`.execute(fleet.database);
  await sql`update quota_usage set used = used + ${count} where resource_type = 'drives'`.execute(fleet.database);
}

function command(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runServerCommand(args, {
    ...Object.fromEntries(Object.entries(fleet.env).filter(([name]) => !/^BERTH_(API|HEALTH|RUNNER)/.test(name))),
    BERTH_BACKUP_KEY_FILE: join(folder, 'key'),
    BERTH_BACKUP_PG_DUMP: JSON.stringify([join(bin, 'pg_dump')]),
    BERTH_BACKUP_PG_RESTORE: JSON.stringify([pgRestore]),
    ...env,
  });
}

/** Runs a command that succeeds, and returns its output. */
async function succeed(...call: Parameters<typeof command>): Promise<string> {
  const { code, output, errors } = await command(...call);
  if (code !== 0) throw new Error(`${call[0].join(' ')}: ${output}\n${errors}`);
  return output;
}

/** An empty database beside the one of the fleet. */
async function emptyDatabase(name: string): Promise<string> {
  await sql`create database ${sql.id(name)} template template0`.execute(fleet.database);
  const url = new URL(fleet.postgres.url);
  url.pathname = `/${name}`;
  return url.href;
}

async function withDatabase<T>(url: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = connect({ url, maxConnections: 1, statementMs: 0 });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

const tablesOf = async (database: Database): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace order by 1`.execute(
    database,
  );
  return rows.map(({ name }) => name);
};

/** Hash of all rows of each table, in any order of the rows. */
async function hashes(url: string): Promise<Record<string, string>> {
  return withDatabase(url, async (database) => {
    const found: Record<string, string> = {};
    for (const name of await tablesOf(database)) {
      const { rows } = await sql<{ hash: string }>`
        select count(*) || ' ' || coalesce(md5(string_agg(row, '' order by row)), '') as hash
        from (select md5(each::text) as row from ${sql.table(name)} as each) as hashed`.execute(database);
      found[name] = rows[0]?.hash ?? '';
    }
    return found;
  });
}

const isOneOf = (tables: readonly string[], table: string): boolean =>
  tables.some((name) => table === name || table.startsWith(`${name}_`));

/** State of the container of an instance; undefined when there is none. */
async function stateOf(instance: string): Promise<string | undefined> {
  const { body } = await callDocker(machine.dockerUrl, 'GET /containers/json?all=1');
  const found: { Names: string[]; State: string }[] = JSON.parse(body.toString());
  return found.find(({ Names }) => Names.includes(`/berth-${instance}`))?.State;
}

async function instanceOf(name: string): Promise<string> {
  const { rows } = await sql<{ id: string }>`
    select instances.id from instances join resources on resources.uid = resource_uid
    where resources.name = ${name} and ended_at is null`.execute(fleet.database);
  return rows[0]?.id ?? '';
}

test('a backup is made while clients write, can be restored, and is readable by its owner alone', async () => {
  const client = clientOf(fleet);
  let isOver = false;
  let written = 0;
  const statuses = new Set<number>();
  const write = async (writer: number): Promise<void> => {
    for (let number = 0; !isOver; number += 1) {
      const answer = await client.post('/drives', { metadata: { name: `w${writer}-${number}` }, spec: { size: 1 } });
      statuses.add(answer.status);
      written += 1;
    }
  };
  const writers = [1, 2, 3].map(write);
  await expect.poll(() => written).toBeGreaterThan(10);
  const before = written;
  backup = (await succeed(['backup', '--to', join(folder, 'all')])).trim();
  const during = written - before;
  isOver = true;
  await Promise.all(writers);
  expect(during).toBeGreaterThan(0);
  expect([...statuses]).toEqual([200]);
  for (const name of await readdir(backup)) expect((await stat(join(backup, name))).mode & 0o777).toBe(0o600);
  expect(await succeed(['verify-backup', '--from', backup])).toContain('can be restored');
  const { rows } = await sql<{
    name: string;
  }>`select datname as name from pg_database where datname like 'berth_verify%'`.execute(fleet.database);
  expect(rows).toEqual([]);
  console.log(`${during} writes while the backup was made`);
});

test('every row is restored as it was, but those of the tables that the code names', async () => {
  // The sandbox was a row of the warm pool when the backup was made.
  await sandboxes().create({ name: 'later', image, memory: 256 });
  await writeIn('later', 'of after');
  later = await instanceOf('later');
  const [gateway] = fleet.gateways;
  await Promise.all([fleet.api, fleet.orchestrator, gateway?.process].map((role) => role?.stop()));
  const quiet = (await succeed(['backup', '--to', join(folder, 'all')])).trim();
  const expected = await hashes(fleet.postgres.url);
  const target = await emptyDatabase('quiet');
  const plainMs = isFull ? [await restorePlain('before')] : [];
  const startedAt = performance.now();
  await succeed(['restore', '--from', quiet, '--without-usage'], { BERTH_POSTGRES_URL: target });
  const restoreMs = performance.now() - startedAt;
  const found = await hashes(target);
  const left = [...tablesLeftOut, ...tablesChanged];
  const same = Object.keys(expected).filter((table) => !isOneOf(left, table));
  expect(same.length).toBeGreaterThan(30);
  for (const table of same) expect(`${table} ${found[table]}`).toBe(`${table} ${expected[table]}`);
  expect(Object.keys(found)).toEqual(Object.keys(expected));
  if (!isFull) return;
  // Before and after, because the machine may be busier in one of the moments.
  plainMs.push(await restorePlain('after'));
  const ratio = (restoreMs * plainMs.length) / plainMs.reduce((sum, each) => sum + each, 0);
  console.log(
    `restore ${restoreMs.toFixed(0)} ms, pg_restore alone ${plainMs.map(Math.round)} ms: ${ratio.toFixed(2)}`,
  );
  expect(ratio).toBeLessThanOrEqual(1.5);
}, 600_000);

/** Milliseconds of pg_restore alone, for the dump as pg_dump writes it. */
async function restorePlain(name: string): Promise<number> {
  const dump = join(folder, 'plain.dump');
  execFileSync(join(bin, 'pg_dump'), ['--format=custom', `--file=${dump}`, `--dbname=${fleet.postgres.url}`]);
  const target = await emptyDatabase(name);
  const startedAt = performance.now();
  execFileSync(pgRestore, ['--single-transaction', '--exit-on-error', `--dbname=${target}`, dump]);
  return performance.now() - startedAt;
}

test('nothing is written without the master key, with a changed byte, with another key, or over other rows', async () => {
  const target = { BERTH_POSTGRES_URL: await emptyDatabase('refused') };
  const from = (path: string): string[] => ['restore', '--from', path, '--without-usage'];
  const other = [{ id: 'other', key: randomBytes(32).toString('base64') }];
  const keyless = await command(from(backup), { ...target, BERTH_MASTER_KEYS: JSON.stringify(other) });
  expect(keyless.code).toBe(1);
  expect(keyless.output).toContain('do not open the backup, which needs: fleet');
  for (const name of await readdir(backup)) {
    const changed = join(folder, 'changed', name);
    await cp(backup, changed, { recursive: true });
    const file = await open(join(changed, name), 'r+');
    const { size } = await file.stat();
    const at = Math.floor(size / 2);
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, at);
    await file.write(Buffer.of(buffer.readUInt8() ^ 1), 0, 1, at);
    await file.close();
    const refused = await command(from(changed), target);
    expect(`${name} ${refused.code}`).toBe(`${name} 1`);
    expect(refused.output).toMatch(/was changed|is not as it was written/);
  }
  const key = join(folder, 'other-key');
  await writeFile(key, randomBytes(32).toString('base64'), { mode: 0o600 });
  expect((await command([...from(backup), '--key-file', key], target)).output).toContain('the key is another one');
  expect(await withDatabase(target.BERTH_POSTGRES_URL, tablesOf)).toEqual([]);
  expect((await command(from(backup))).output).toContain('is not empty');
});

test('the deployment goes on from its backup: its keys, its secrets, its agents, and the files of its sandboxes', async () => {
  const ledger = new URL(fleet.clickhouse.url);
  await fetch(ledger, { method: 'POST', body: 'CREATE DATABASE restored' });
  ledger.pathname = '/restored';
  restored = { BERTH_POSTGRES_URL: await emptyDatabase('restored'), BERTH_CLICKHOUSE_URL: ledger.href };
  await succeed(['restore', '--from', backup], restored);
  for (const roles of ['api', 'orchestrator'])
    await made
      .use(new ServerProcess({ roles, env: { ...fleet.env, ...restored }, log: join(folder, `${roles}.log`) }))
      .start();
  const gateway = await fleet.startGateway({ settings: restored });
  const { rows } = await withDatabase(restored.BERTH_POSTGRES_URL ?? '', (database) =>
    sql<{ live: number; counted: number }>`
      select live, (select count(*) from resources where kind = 'drive' and terminated_at is null) as counted
      from resource_counts where kind = 'drive'`.execute(database),
  );
  // The resources and their counter are of one moment, although clients wrote meanwhile.
  expect(rows[0]?.live).toBeGreaterThan(resources);
  expect(rows[0]?.counted).toBe(rows[0]?.live);
  const answered = async (): Promise<number> => (await berthOf(fleet, gateway.url).agents.call('web')).status;
  await expect.poll(() => answered().catch(() => 0), { timeout: 60_000 }).toBe(200);
  const kept = await sandboxes(gateway.url).get('kept');
  await expect
    .poll(async () => (await kept.exec('cat /tmp/file').catch(() => undefined))?.stdout, { timeout: 60_000 })
    .toBe('of before\n');
  // A secret of the agent opens: it is sent to a runner with a new instance.
  await deployAgent(fleet, 'web', { generation: 'mk2', env: { GREETING: 'hello again' } });
  expect(await answered()).toBe(200);
});

test('a sandbox that was made after the backup stays with its files and is listed until its removal is ordered', async () => {
  const listed = () => succeed(['orphans'], restored);
  await expect.poll(listed, { timeout: 30_000 }).toContain(later);
  expect((await listed()).split('\n').find((line) => line.includes(later))).toMatch(/^machine-1 .* sandbox +main /);
  expect(await stateOf(later)).toBe('running');
  const archive = `GET /containers/berth-${later}/archive?path=/tmp/file`;
  expect((await callDocker(machine.dockerUrl, archive)).body.toString()).toContain('of after\n');
  // A runner that starts again keeps them too.
  await machine.runner.kill();
  await machine.runner.start();
  await sandboxes().create({ name: 'new', image, memory: 256 });
  expect(await stateOf(later)).toBe('running');
  await succeed(['orphans', '--remove', '--runner', 'machine-1'], restored);
  await expect.poll(listed, { timeout: 60_000 }).toContain('There are none.');
  expect(await stateOf(later)).toBeUndefined();
});
