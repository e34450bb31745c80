// Workload, storage and network kinds as records: each can be created, read, listed and deleted.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Client } from '../harness/client.ts';
import { startTestApi, type TestApi } from '../harness/test-api.ts';
import { addExit, bodyFor, completeConfig, ipPath, nameFor, type Sample, samples } from './support/samples.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ config: completeConfig });
  await addExit(api.admin);
});
afterAll(() => api[Symbol.asyncDispose]());

const namesIn = async (client: Client, path: string): Promise<string[]> => {
  const { body } = await client.get(path);
  return (body.data ?? body).map(({ metadata }: { metadata: { name: string } }) => metadata.name);
};

/** Creates, reads, lists and deletes a resource, checking the result after every step. */
async function passThroughLife(sample: Sample, client: Client = api.admin): Promise<void> {
  const { title, path } = sample;
  const name = nameFor(sample, 'living');
  expect([title, (await client.get(`${path}/${name}`)).status]).toEqual([title, 404]);
  const created = await client.post(path, bodyFor(sample, 'living'));
  expect([title, created.status]).toEqual([title, 200]);
  expect(created.body, title).toMatchObject({ metadata: { name, workspace: api.workspace }, spec: sample.spec });
  expect((await client.get(`${path}/${name}`)).body, title).toEqual(created.body);
  expect(await namesIn(client, path), title).toContain(name);
  expect([title, (await client.delete(`${path}/${name}`)).status]).toEqual([title, 200]);
  const after = await client.get(`${path}/${name}`);
  // A deleted sandbox stays readable for a while with status TERMINATED.
  if (title === 'Sandbox') expect(after.body.status).toBe('TERMINATED');
  else expect([title, after.status]).toEqual([title, 404]);
  expect(await namesIn(client, path), title).not.toContain(name);
}

test('kinds.workloads: agents, models, functions, jobs and sandboxes can each be created, read, listed and deleted inside a workspace', async () => {
  const member = await api.user({ memberOf: api.workspace });
  for (const sample of [samples.agent, samples.model, samples.function, samples.job, samples.sandbox])
    await passThroughLife(sample, member.client);
});

test('kinds.storage: volumes, drives and volume templates can each be created, read, listed and deleted inside a workspace', async () => {
  const member = await api.user({ memberOf: api.workspace });
  for (const sample of [samples.volume, samples.drive, samples.volumeTemplate])
    await passThroughLife(sample, member.client);
});

test('kinds.network: a VPC holds egress gateways, a gateway holds egress IPs, and custom domains and connections are managed beside them', async () => {
  for (const sample of [samples.vpc, samples.egressGateway, samples.egressIp, samples.customDomain, samples.connection])
    await passThroughLife(sample);
  await api.admin.post('/vpcs', bodyFor(samples.vpc, 'own'));
  const gateways = '/vpcs/own/egressgateways';
  const gateway = await api.admin.post(gateways, bodyFor(samples.egressGateway, 'door'));
  expect(gateway.body.metadata).toMatchObject({ name: 'door', vpcName: 'own' });
  const ip = await api.admin.post(`${gateways}/door/ips`, bodyFor(samples.egressIp, 'address'));
  expect(ip.body.metadata).toMatchObject({ name: 'address', vpcName: 'own', gatewayName: 'door' });
  expect(await namesIn(api.admin, gateways)).toEqual(['door']);
  expect(await namesIn(api.admin, `${gateways}/door/ips`)).toEqual(['address']);
  expect((await api.admin.get(`${ipPath}/address`)).status).toBe(404);
  const statuses = [];
  for (const path of ['/vpcs/own', `${gateways}/door`, `${gateways}/door/ips/address`, `${gateways}/door`, '/vpcs/own'])
    statuses.push((await api.admin.delete(path)).status);
  expect(statuses, 'what holds something stays until it is empty').toEqual([409, 409, 200, 200, 200]);
});

test('kinds.first-status: each deployed kind reports after creation a status of the contract that claims no more than is true', async () => {
  const waits = 'DEPLOYING';
  const expected: [Sample, string, RegExp][] = [
    [samples.agent, waits, /waiting for a runner/i],
    [samples.function, waits, /waiting for a runner/i],
    [samples.sandbox, waits, /waiting for a runner/i],
    [samples.egressIp, waits, /waiting for a runner/i],
    [samples.drive, waits, /waiting for storage/i],
    [samples.volume, waits, /waiting for storage/i],
    [samples.model, 'DEPLOYED', /ready/i],
    [samples.job, 'DEPLOYED', /ready/i],
    [samples.vpc, 'DEPLOYED', /ready/i],
    [samples.egressGateway, 'DEPLOYED', /ready/i],
  ];
  for (const [sample, status, message] of expected) {
    const { body } = await api.admin.post(sample.path, bodyFor(sample, 'first'));
    expect([sample.title, body.status]).toEqual([sample.title, status]);
    expect(body.events, sample.title).toContainEqual(
      expect.objectContaining({ status, message: expect.stringMatching(message) }),
    );
    expect((await api.admin.get(`${sample.path}/first`)).body.status, sample.title).toBe(status);
  }
  // Parts that do not exist yet are not shown: no address, no storage, no running machine.
  expect((await api.admin.get(`${ipPath}/first`)).body.spec).not.toHaveProperty('publicIp');
  expect((await api.admin.get('/drives/first')).body.state).toEqual({});
  expect((await api.admin.get('/volumes/first')).body.state).toEqual({});
  expect((await api.admin.get('/sandboxes/first')).body).not.toHaveProperty('state');
  const domain = await api.admin.post('/customdomains', bodyFor(samples.customDomain, 'first'));
  expect(domain.body.spec).toMatchObject({ status: 'pending', txtRecords: expect.any(Object) });
  for (const sample of [samples.agent, samples.model, samples.job]) {
    const { metadata, spec } = bodyFor(sample, 'switched-off');
    const off = await api.admin.post(sample.path, { metadata, spec: { ...spec, enabled: false } });
    expect([sample.title, off.body.status]).toEqual([sample.title, 'DEACTIVATED']);
  }
});

test('kinds.workload-url: an agent, a function and a model each carry their own inference address in metadata.url', async () => {
  const workloads = { agt: samples.agent, mcp: samples.function, mdl: samples.model };
  const urls: string[] = [];
  for (const [prefix, sample] of Object.entries(workloads)) {
    for (const name of ['served', 'served-too']) {
      const { url } = (await api.admin.post(sample.path, bodyFor(sample, name))).body.metadata;
      expect(url).toBe(`https://${prefix}-${name}-${api.workspace}.one.${completeConfig.workloadDomain}`);
      expect((await api.admin.get(`${sample.path}/${name}`)).body.metadata.url).toBe(url);
      urls.push(url);
    }
  }
  expect(new Set(urls).size).toBe(6);
});

test('kinds.sandbox-url: a sandbox carries in metadata.url a host made of sbx-, its name, its workspace, its region and the domain', async () => {
  for (const region of ['one', 'two']) {
    const { metadata, spec } = bodyFor(samples.sandbox, `box-${region}`);
    const { body } = await api.admin.post('/sandboxes', { metadata, spec: { ...spec, region } });
    expect(body.metadata.url).toBe(
      `https://sbx-box-${region}-${api.workspace}.${region}.${completeConfig.workloadDomain}`,
    );
  }
  // A host label holds 63 characters; a name that would exceed them ends in a short id of the workspace instead of its
  // name.
  const workspace = 'a-workspace-of-thirty-two-letter';
  await api.addWorkspace(workspace);
  const long = await api.admin.with({ workspace }).post('/sandboxes', bodyFor(samples.sandbox, 'n'.repeat(40)));
  const { hostname } = new URL(long.body.metadata.url);
  expect(hostname).toMatch(new RegExp(`^sbx-n{40}-[0-9a-f]{8}\\.one\\.${completeConfig.workloadDomain}$`));
});
