// The settings of engines for small machines: real servers start with them. ClickHouse has no server here, so its file is read as
// XML, and the names in it are compared with those of its engine.
import { execFileSync } from 'node:child_process';
import { copyFile, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { connect, migrate } from '@berth/database';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { clickhouse } from './clickhouse.ts';
import { requireDebianPackages } from './debian-packages.ts';
import { postgres } from './postgres.ts';
import { restate } from './restate.ts';
import { runFolder } from './run.ts';

const folder = resolve(import.meta.dirname, '../deploy/engines');

test('PostgreSQL starts with every setting of postgres.conf, and takes the schema', async () => {
  const dataFolder = await runFolder(`small-postgres-${process.pid}`);
  const settingsFile = join(dataFolder, 'small-machine.conf');
  await copyFile(join(folder, 'postgres.conf'), settingsFile);
  const server = await postgres.start({ dataFolder, settingsFile });
  await using made = new AsyncDisposableStack();
  made.defer(() => server.stop());
  await migrate(server.url);
  const database = made.adopt(connect({ url: server.url }), (open) => open.destroy());
  const { rows } = await sql<{ name: string; applied: boolean; error: string | null }>`
    select name, applied, error from pg_file_settings where sourcefile = ${settingsFile}`.execute(database);
  const written = (await readFile(settingsFile, 'utf8')).split('\n').filter((line) => /^\w+ = /.test(line));
  expect(rows).toHaveLength(written.length);
  // The port and the address are given by the test.
  expect(rows.filter(({ error }) => error !== null)).toEqual([]);
  const shown = await sql<{ max_connections: string }>`show max_connections`.execute(database);
  expect(shown.rows).toEqual([{ max_connections: '120' }]);
});

test('Restate starts with restate.toml', async () => {
  const dataFolder = await runFolder(`small-restate-${process.pid}`);
  const server = await restate.start({ dataFolder, settings: await readFile(join(folder, 'restate.toml'), 'utf8') });
  await using made = new AsyncDisposableStack();
  made.defer(() => server.stop());
  expect((await fetch(`${server.adminUrl}/health`)).status).toBe(200);
  const log = await readFile(join(dataFolder, 'log'), 'utf8');
  expect(log).not.toMatch(/unknown|unrecognized|deprecated/i);
});

const Names = z.object({ top: z.array(z.string()), mergeTree: z.array(z.string()), removed: z.array(z.string()) });
const readNames = `
import json, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
print(json.dumps({
    "top": [e.tag for e in root if e.get("remove") is None],
    "mergeTree": [e.tag for e in root.find("merge_tree")],
    "removed": [e.tag for e in root if e.get("remove") == "1"],
}))`;

test('clickhouse.xml is XML, and its engine knows the settings', async () => {
  requireDebianPackages('Python', ['python3'], ['/usr/bin/python3']);
  const file = join(folder, 'clickhouse.xml');
  const { top, mergeTree, removed } = Names.parse(
    JSON.parse(execFileSync('/usr/bin/python3', ['-c', readNames, file], { encoding: 'utf8' })),
  );
  await using made = new AsyncDisposableStack();
  const server = made.adopt(
    await clickhouse.start({ dataFolder: await runFolder(`small-clickhouse-${process.pid}`) }),
    (running) => running.stop(),
  );
  const known = async (table: string): Promise<Set<string>> => {
    const answer = await fetch(server.url, {
      method: 'POST',
      body: `select name from system.${table} format JSONCompact`,
    });
    const { data } = z.object({ data: z.array(z.tuple([z.string()])) }).parse(await answer.json());
    return new Set(data.map(([name]) => name));
  };
  const sections = ['listen_host', 'logger', 'merge_tree'];
  const settings = await known('server_settings');
  expect(top.filter((name) => !sections.includes(name) && !settings.has(name))).toEqual([]);
  const ofTables = await known('merge_tree_settings');
  expect(mergeTree.filter((name) => !ofTables.has(name))).toEqual([]);
  expect(removed.every((name) => name.endsWith('_log'))).toBe(true);
  expect(removed).toEqual(expect.arrayContaining(['trace_log', 'metric_log', 'asynchronous_metric_log', 'query_log']));
});
