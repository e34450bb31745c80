// A deployment becomes running containers or reports why it cannot, and a deletion leaves nothing behind. Real engines,
// real runner.
import { bytesPerMb } from '@berth/contract/node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { callDocker } from '../../engines/docker-api.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { wireAddresses } from '../../engines/wire.ts';
import { execute } from '../harness/execute.ts';
import { leftovers } from '../harness/leftovers.ts';
import { pushTinyImage, type Registry, startRegistry } from '../harness/registry.ts';
import { importScriptImage } from '../harness/script-image.ts';
import { isFull } from '../harness/size.ts';
import { agent, clientOf, gone, instancesOf, isolationsOf, lastMessage, settled } from '../harness/workloads.ts';
import { deleteTests } from './deploy/delete-tests.ts';

let fleet: Fleet;
/** Registry whose password the runner has; holds the hub's images too. */
let registry: Registry;
/** Registry that asks for a password which the runner does not have. */
let strange: Registry;

beforeAll(async () => {
  [registry, strange] = [await startRegistry('own'), await startRegistry('strange')];
  fleet = await startFleet({
    name: 'deploy',
    workspaces: ['main', 'other', 'doomed'],
    machines: 1,
    settings: {
      BERTH_RUNNER_REGISTRIES: JSON.stringify([
        { host: registry.host, username: registry.username, password: registry.password },
      ]),
      BERTH_PLACEMENT_IMAGE_REGISTRY: registry.host,
      // The registries are in a private network; at the last address nothing listens.
      BERTH_API_ALLOWED_REGISTRIES: JSON.stringify(['*', strange.host, `${wireAddresses(1)[0]}:9`]),
      BERTH_RUNNER_MEMORY_MB: '16384',
      // The full size keeps the operators' default of 45 seconds.
      ...(isFull ? {} : { BERTH_PLACEMENT_START_TIMEOUT_SECONDS: '10' }),
    },
  });
  // The pull of this image is retried for most of a minute: the agent is deployed first and checked later.
  await clientOf(fleet).post('/agents', agent('nowhere', { image: `${machine().outside}:9/tiny:1` }));
});
afterAll(async () => {
  await fleet?.[Symbol.asyncDispose]();
  await Promise.all([registry?.stop(), strange?.stop()]);
});

const machine = () => {
  const [first] = fleet.machines;
  if (first === undefined) throw new Error('the fleet has no machine');
  return first;
};

const containers = async (): Promise<{ Names: string[]; Labels: Record<string, string> }[]> =>
  JSON.parse((await callDocker(machine().dockerUrl, 'GET /containers/json?all=1')).body.toString());

const instanceContainers = async () =>
  (await containers()).filter(({ Labels }) => Labels['berth.instance'] !== undefined);

describe.each(isolationsOf('gvisor'))('on $isolation', ({ isolation, generation }) => {
  const client = () => clientOf(fleet);

  test('an HTTP server goes to DEPLOYED and answers inside its network', async () => {
    const name = `web-${isolation}`;
    const created = await client().post('/agents', agent(name, { generation }));
    expect(created.status).toBe(200);
    expect(created.body.status).toBe('DEPLOYING');
    const deployed = await settled(client(), `/agents/${name}`);
    expect(deployed.status).toBe('DEPLOYED');
    const [instance] = await instancesOf(fleet, name);
    expect(machine().inside('busybox', 'wget', '-q', '-O', '-', `http://${instance?.address}:8080/`)).toBe('berth\n');
    const inspected = JSON.parse(
      (await callDocker(machine().dockerUrl, `GET /containers/berth-${instance?.id}/json`)).body.toString(),
    );
    expect(inspected.HostConfig).toMatchObject({
      Runtime: isolation === 'gvisor' ? 'runsc' : 'runc',
      Privileged: false,
      CapDrop: ['ALL'],
      Memory: 128 * bytesPerMb,
    });
  });

  test('the documented environment is there', async () => {
    const name = `env-${isolation}`;
    const image = await importScriptImage(
      machine().dockerUrl,
      'berth-env',
      'mkdir /dev/shm/www; env > /dev/shm/www/index.html; exec httpd -f -p $PORT -h /dev/shm/www',
    );
    await client().post('/agents', agent(name, { generation, image, port: 9000, env: { COLOUR: 'blue' } }));
    expect(await settled(client(), `/agents/${name}`)).toMatchObject({ status: 'DEPLOYED' });
    const [instance] = await instancesOf(fleet, name);
    const lines = machine().inside('busybox', 'wget', '-q', '-O', '-', `http://${instance?.address}:9000/`).split('\n');
    for (const line of [
      'COLOUR=blue',
      'HOST=0.0.0.0',
      'PORT=9000',
      'SERVICE_WORKSPACE=main',
      `SERVICE_NAME=${name}`,
      'SERVICE_TYPE=agent',
      'SERVICE_CLOUD=true',
      'SERVICE_REGION=local',
      'DO_NOT_TRACK=1',
    ])
      expect(lines).toContain(line);
  });

  test('a port on which nothing listens fails within 60 s and names the port', async () => {
    const name = `port-${isolation}`;
    await client().post('/agents', agent(name, { generation, port: 9999 }));
    const failed = await settled(client(), `/agents/${name}`, ['FAILED'], 60_000);
    expect(lastMessage(failed)).toContain('9999');
    if (isolation === 'runc') expect(lastMessage(failed)).toContain('8080');
  });

  test('a crash loop fails after three starts', async () => {
    const name = `crash-${isolation}`;
    const image = await importScriptImage(machine().dockerUrl, 'berth-crash', 'echo the disk is on fire >&2; exit 3');
    await client().post('/agents', agent(name, { generation, image }));
    const failed = await settled(client(), `/agents/${name}`, ['FAILED'], 60_000);
    expect(lastMessage(failed)).toContain('the disk is on fire');
    const uid = await fleet.database
      .selectFrom('resources')
      .select('uid')
      .where('name', '=', name)
      .executeTakeFirstOrThrow();
    const row = await fleet.database
      .selectFrom('instances')
      .select(['starts', 'code'])
      .where('resource_uid', '=', uid.uid)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ starts: 3, code: 'crash_loop' });
  });

  test('out of memory is named as such', async () => {
    const name = `oom-${isolation}`;
    const image = await importScriptImage(machine().dockerUrl, 'berth-oom', 'a=x; while true; do a=$a$a; done');
    await client().post('/agents', agent(name, { generation, image, memory: 128 }));
    const failed = await settled(client(), `/agents/${name}`, ['FAILED'], 60_000);
    expect(lastMessage(failed)).toContain('memory');
    expect(lastMessage(failed)).toContain('128 MB');
  });

  test('a new revision takes over when it is ready, and a failed revision leaves the old one serving', async () => {
    const name = `green-${isolation}`;
    await client().post('/agents', agent(name, { generation }));
    const first = await settled(client(), `/agents/${name}`);
    expect(first.status).toBe('DEPLOYED');
    const [before] = await instancesOf(fleet, name);
    await client().put(`/agents/${name}`, agent(name, { generation, env: { COLOUR: 'green' } }));
    await settled(client(), `/agents/${name}`, ['DEPLOYED']);
    const revisions = (await client().get(`/agents/${name}/revisions`)).body;
    expect(revisions.map(({ active, status }: { active: boolean; status: string }) => ({ active, status }))).toEqual([
      { active: true, status: 'DEPLOYED' },
      { active: false, status: 'DEACTIVATED' },
    ]);
    await client().put(`/agents/${name}`, agent(name, { generation, image: 'berth-crash:latest' }));
    const failed = await settled(client(), `/agents/${name}`, ['FAILED']);
    expect(failed.events.map(({ status }: { status: string }) => status)).toContain('DEPLOYED');
    const [serving] = await instancesOf(fleet, name);
    expect(serving?.id).not.toBe(before?.id);
    expect(machine().inside('busybox', 'wget', '-q', '-O', '-', `http://${serving?.address}:8080/`)).toBe('berth\n');
  });

  test('deactivate stops it, activate brings it back', async () => {
    const name = `switch-${isolation}`;
    await client().post('/agents', agent(name, { generation }));
    await settled(client(), `/agents/${name}`, ['DEPLOYED']);
    const off = await client().put(`/agents/${name}`, { metadata: {}, spec: { enabled: false } });
    expect(off.body.status).toBe('DEACTIVATING');
    await settled(client(), `/agents/${name}`, ['DEACTIVATED']);
    expect(await instancesOf(fleet, name)).toEqual([]);
    await client().put(`/agents/${name}`, { metadata: {}, spec: { enabled: true } });
    await settled(client(), `/agents/${name}`, ['DEPLOYED']);
    expect(await instancesOf(fleet, name)).toHaveLength(1);
  });

  test('minScale instances run', async () => {
    const name = `many-${isolation}`;
    await client().post('/agents', agent(name, { generation, minScale: 2 }));
    await settled(client(), `/agents/${name}`, ['DEPLOYED']);
    await expect
      .poll(async () => (await instancesOf(fleet, name)).filter(({ state }) => state === 'ready'))
      .toHaveLength(2);
  });
});

describe('images', () => {
  const client = () => clientOf(fleet);

  beforeAll(async () => {
    for (const name of ['main/tiny:1', 'other/tiny:1', 'service/mcp-tiny:1'])
      await pushTinyImage(machine().dockerUrl, registry, name);
    await pushTinyImage(machine().dockerUrl, strange, 'tiny:1');
  });

  test('an image is pulled with the password of its registry, and kept', async () => {
    const image = `${registry.host}/main/tiny:1`;
    await client().post('/agents', agent('pulled', { image }));
    expect(await settled(client(), '/agents/pulled')).toMatchObject({ status: 'DEPLOYED' });
    await callDocker(machine().dockerUrl, `GET /images/${image}/json`);
  });

  test('another workspace’s folder of the registry, and an image id, are refused', async () => {
    for (const image of [`${registry.host}/other/tiny:1`, `sha256:${'a'.repeat(64)}`])
      expect((await client().post('/agents', agent('stolen', { image }))).status).toBe(400);
  });

  test('a hub image comes from the registry that the operator names, and the server gets the secrets of its connection', async () => {
    const connection = {
      metadata: { name: 'code' },
      spec: { integration: 'github', secret: { GITHUB_TOKEN: 'tok-123' } },
    };
    expect((await client().post('/integrations/connections', connection)).status).toBe(200);
    const envs = [{ name: 'PORT', value: '8080' }];
    const spec = {
      integrationConnections: ['code'],
      runtime: { image: 'service/mcp-tiny:1', memory: 128, generation: 'mk2', envs },
    };
    expect((await client().post('/functions', { metadata: { name: 'hub' }, spec })).status).toBe(200);
    expect(await settled(client(), '/functions/hub')).toMatchObject({ status: 'DEPLOYED' });
    const [instance] = await instancesOf(fleet, 'hub');
    const lines = await execute(machine().dockerUrl, `berth-${instance?.id}`, ['env']);
    expect(lines).toContain('GITHUB_TOKEN=tok-123');
    expect(lines).toContain('SERVICE_TYPE=function');
  });

  test('a function whose hub entry has no image yet says so', async () => {
    await client().post('/functions', { metadata: { name: 'coming' }, spec: { integrationConnections: ['code'] } });
    expect(lastMessage(await settled(client(), '/functions/coming', ['FAILED']))).toMatch(
      /no published image|spec.runtime.image/,
    );
  });

  test('an image that does not exist fails within 60 s and says so', async () => {
    await client().post('/agents', agent('missing', { image: 'agent/nothing:1' }));
    expect(lastMessage(await settled(client(), '/agents/missing', ['FAILED']))).toMatch(
      /has no image .* Check its name and tag/,
    );
  });

  test('a registry that refuses fails within 60 s and says so', async () => {
    await client().post('/agents', agent('refused', { image: `${strange.host}/tiny:1` }));
    expect(lastMessage(await settled(client(), '/agents/refused', ['FAILED']))).toMatch(
      /refused|password|credentials/i,
    );
  });

  test('a registry that is not there fails and says so', async () => {
    expect(lastMessage(await settled(client(), '/agents/nowhere', ['FAILED'], 60_000))).toContain(
      `${machine().outside}:9`,
    );
  });
});

describe('delete', () => {
  test('a running agent is DELETING until its container is gone, then 404, and its name is free', async () => {
    const client = clientOf(fleet);
    await client.post('/agents', agent('short-lived'));
    await settled(client, '/agents/short-lived', ['DEPLOYED']);
    const answer = await client.delete('/agents/short-lived');
    expect(answer.body.status).toBe('DELETING');
    expect((await client.delete('/agents/short-lived')).status).toBeOneOf([200, 404]);
    await gone(client, '/agents/short-lived');
    expect((await client.post('/agents', agent('short-lived'))).status).toBe(200);
    await settled(client, '/agents/short-lived', ['DEPLOYED']);
  });

  test('deleting a workspace takes its containers along', async () => {
    const client = clientOf(fleet, 'other');
    for (const name of ['a', 'b']) await client.post('/agents', agent(name));
    for (const name of ['a', 'b']) await settled(client, `/agents/${name}`, ['DEPLOYED']);
    const [, otherId] = fleet.workspaceIds;
    const ofOther = async () =>
      (await instanceContainers()).filter(({ Labels }) => Labels['berth.workspace'] === otherId);
    expect(await ofOther()).toHaveLength(2);
    expect((await clientOf(fleet).delete('/workspaces/other')).status).toBe(200);
    await expect.poll(ofOther, { timeout: 30_000, interval: 200 }).toHaveLength(0);
  });

  test('a deleted workload leaves no container, no network, no address and no reservation', async () => {
    const client = clientOf(fleet);
    for (const kind of ['agents', 'functions']) {
      const { body } = await client.get(`/${kind}`, { query: { limit: 200 } });
      for (const { metadata } of body.data) await client.delete(`/${kind}/${metadata.name}`);
      for (const { metadata } of body.data) await gone(client, `/${kind}/${metadata.name}`, 60_000);
    }
    await expect.poll(() => leftovers(fleet), { timeout: 30_000, interval: 500 }).toEqual([]);
  });
});

describe('delete from every state', () => deleteTests(() => fleet));
