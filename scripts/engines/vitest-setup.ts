// Once per run: a PostgreSQL with its own data folder, and a migrated template that tests clone.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { migrate } from '@berth/database';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { engineFolder } from './folders.ts';
import { postgres } from './postgres.ts';
import { removeRun, sweepAbandonedRuns } from './sweep.ts';
import './test-database.ts';
import './test-restate.ts';

const TEMPLATE = 'berth_template';

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runs = await engineFolder('runs');
  await sweepAbandonedRuns(runs);
  const run = join(runs, `${process.pid}-${project.name}`);
  await mkdir(run);
  const engine = await postgres.start({ dataFolder: join(run, postgres.name), durable: false });
  await createTemplate(engine.url);
  project.provide('postgresUrl', engine.url);
  project.provide('templateDatabase', TEMPLATE);
  project.provide('runFolder', run);
  return () => removeRun(run);
}

async function createTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = `/${TEMPLATE}`;
  await migrate(url.href);
}
