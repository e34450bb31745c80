// Runs once per run: starts a PostgreSQL with its own data folder, migrates a template that tests clone, and bundles the server.
import { migrate } from '@berth/database';
import { environment } from '@berth/telemetry';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { memoryFolder, mountMemory } from './memory-folder.ts';
import { postgres } from './postgres.ts';
import { builtServer } from './server-bundle.ts';
import { serverVariable } from './server-process.ts';
import './test-database.ts';

const templateDatabase = 'berth_template';

/** The engine is stopped with the run; see vitest-run.ts. */
export default async function setup(project: TestProject): Promise<void> {
  Object.assign(environment, { [serverVariable]: (await builtServer()).program });
  await mountMemory();
  const dataFolder = await memoryFolder(`${postgres.name}-${project.name}`);
  const engine = await postgres.start({ dataFolder, durable: false });
  await createTemplate(engine.url);
  project.provide('postgresUrl', engine.url);
  project.provide('templateDatabase', templateDatabase);
}

async function createTemplate(adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  await client.query(`create database ${templateDatabase}`);
  await client.end();
  const url = new URL(adminUrl);
  url.pathname = `/${templateDatabase}`;
  await migrate(url.href);
}
