// Cost of a test's own database: cloning a migrated template, as a share of creating and migrating one.
import { rm } from 'node:fs/promises';
import { migrate } from '@berth/database';
import pg from 'pg';
import { postgres } from '../engines/postgres.ts';
import { runFolder } from '../engines/run.ts';
import type { Bench } from './bench.ts';

export const testDatabase: Bench = {
  name: 'test-database',
  about: 'clone of a migrated template / create and migrate',
  async *run({ full }) {
    const rounds = full ? 50 : 10;
    const dataFolder = await runFolder(postgres.name);
    const engine = await postgres.start({ dataFolder, durable: false });
    const admin = new pg.Client({ connectionString: engine.url });
    await admin.connect();
    try {
      await createMigrated(admin, engine.url, 'template_source');
      const migratedMs = await medianMs(rounds, (round) => createMigrated(admin, engine.url, `migrated_${round}`));
      const clonedMs = await medianMs(rounds, async (round) => {
        await admin.query(`create database cloned_${round} template template_source strategy file_copy`);
      });
      yield {
        name: 'clone / migrate',
        value: clonedMs / migratedMs,
        unit: 'x',
        bound: { atMost: 0.5 },
        detail: { rounds, clonedMs, migratedMs },
      };
    } finally {
      await admin.end();
      await engine.stop();
      await rm(dataFolder, { recursive: true, force: true });
    }
  },
};

async function createMigrated(admin: pg.Client, adminUrl: string, name: string): Promise<void> {
  await admin.query(`create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  await migrate(url.href);
}

async function medianMs(rounds: number, work: (round: number) => Promise<void>): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedAt = performance.now();
    await work(round);
    durations.push(performance.now() - startedAt);
  }
  const sorted = durations.toSorted((left, right) => left - right);
  return Math.round((sorted[Math.floor(rounds / 2)] ?? 0) * 10) / 10;
}
