// Restate may lose all its data: unfinished work is recorded in PostgreSQL and is found again. Full size only.
// services/orchestrator/test/concurrency.test.ts wipes Restate in the middle of deployments too, without containers.
import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startFleet } from '../../engines/fleet/fleet.ts';
import { isFull } from '../harness/size.ts';
import { agent, clientOf, settled } from '../harness/workloads.ts';

const deployments = 50;

test(`Restate's data removed in the middle of ${deployments} deployments: all of them finish`, {
  timeout: 600_000,
  skip: !isFull,
}, async () => {
  await using fleet = await startFleet({
    name: 'wipe',
    workspaces: ['main'],
    machines: 1,
    settings: { BERTH_RUNNER_MEMORY_MB: '16384' },
  });
  const client = clientOf(fleet);
  const names = Array.from({ length: deployments }, (_, index) => `work-${index}`);
  for (const name of names.slice(0, deployments / 2))
    expect((await client.post('/agents', agent(name, { generation: 'mk2' }))).status).toBe(200);
  const unfinished = await fleet.database
    .selectFrom('resources')
    .select('name')
    .where('kind', '=', 'agent')
    .where('status', '=', 'DEPLOYING')
    .execute();
  expect(unfinished.length).toBeGreaterThan(0);
  await fleet.restate.kill();
  await rm(fleet.restate.dataFolder, { recursive: true, force: true });
  for (const name of names.slice(deployments / 2))
    expect((await client.post('/agents', agent(name, { generation: 'mk2' }))).status).toBe(200);
  await sleep(500);
  await fleet.restate.start();
  for (const name of names)
    expect(await settled(client, `/agents/${name}`, ['DEPLOYED', 'FAILED'], 120_000)).toMatchObject({
      status: 'DEPLOYED',
    });
});
