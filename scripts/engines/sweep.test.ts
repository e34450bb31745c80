import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { engineFolder } from './folders.ts';
import { postgres } from './postgres.ts';
import { restate } from './restate.ts';
import { sweepAbandonedRuns } from './sweep.ts';

test('the engine of a killed run is ended by the next, the engine of a living run is not', async () => {
  const runs = await engineFolder(`sweep-${process.pid}`);
  const [dead, living] = [join(runs, `${spawnSync('true').pid}-unit`), join(runs, `${process.pid}-unit`)];
  await mkdir(dead);
  await mkdir(living);
  const abandoned = await postgres.start({ dataFolder: join(dead, 'postgres'), durable: false });
  const used = await postgres.start({ dataFolder: join(living, 'postgres'), durable: false });
  try {
    await sweepAbandonedRuns(runs);
    expect(await postgres.ready(abandoned.url)).toBe(false);
    expect(existsSync(dead)).toBe(false);
    expect(await postgres.ready(used.url)).toBe(true);
  } finally {
    await used.stop();
    await rm(runs, { recursive: true });
  }
});

test('the engines that single tests of a killed run started are ended too', async () => {
  const runs = await engineFolder(`sweep-several-${process.pid}`);
  const dead = join(runs, `${spawnSync('true').pid}-unit`);
  const [one, two] = [join(dead, 'restate-one'), join(dead, 'restate-two')];
  const urls = [
    await restate.start({ dataFolder: one, durable: false }),
    await restate.start({ dataFolder: two, durable: false }),
  ];
  await sweepAbandonedRuns(runs);
  for (const { url } of urls) expect(await restate.ready(url)).toBe(false);
  expect(existsSync(dead)).toBe(false);
  await rm(runs, { recursive: true });
});

test('a durable engine finds its data again after a stop', async () => {
  const dataFolder = await engineFolder(`again-${process.pid}`, 'postgres');
  const first = await postgres.start({ dataFolder });
  await first.stop();
  expect(await postgres.ready(first.url)).toBe(false);
  const second = await postgres.start({ dataFolder, port: Number(new URL(first.url).port) });
  try {
    expect(second.url).toBe(first.url);
  } finally {
    await second.stop();
    await rm(join(dataFolder, '..'), { recursive: true });
  }
});
