// Egress IPs. Specification: Egress IP; Management endpoints; Limits.
import { kinds } from '@berth/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApi, type TestApi } from '../harness/test-api.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({
    config: { regions: [{ name: 'local', egressPools: ['203.0.113.0/24', '2001:db8::/64'] }] },
  });
  await api.admin.post('/vpcs', { metadata: { name: 'side' }, spec: {} });
  for (const vpc of ['default', 'side'])
    await api.admin.post(`/vpcs/${vpc}/egressgateways`, {
      metadata: { name: `${vpc}-exit` },
      spec: { region: 'local' },
    });
});
afterAll(() => api[Symbol.asyncDispose]());

const ips = '/vpcs/default/egressgateways/default-exit/ips';
const ip = (name: string, spec: object = { ipFamily: 'IPv4' }) => ({ metadata: { name }, spec });

test('egress-ip.create: posting below a VPC and gateway answers 200 with the egress IP, and an unknown VPC or gateway answers 404', async () => {
  const created = await api.admin.post(ips, ip('first'));
  expect(created.status).toBe(200);
  expect(created.body).toMatchObject({ metadata: { name: 'first' }, spec: { ipFamily: 'IPv4' } });
  expect((await api.admin.get(`${ips}/first`)).body).toEqual(created.body);
  const lost = [
    '/vpcs/nowhere/egressgateways/default-exit/ips',
    '/vpcs/default/egressgateways/nowhere/ips',
    // A gateway of another VPC gets the same response as a missing one.
    '/vpcs/default/egressgateways/side-exit/ips',
  ];
  for (const path of lost) expect((await api.admin.post(path, ip('second'))).status, path).toBe(404);
  const all = (await api.admin.get('/egressips')).body;
  expect(all.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['first']);
});

test('egress-ip.shape: an egress IP has metadata, spec, status and events, and a body without metadata or spec is refused', async () => {
  const { body } = await api.admin.post(ips, ip('whole'));
  expect(Object.keys(body).sort()).toEqual(['events', 'metadata', 'spec', 'status']);
  expect(body).toMatchObject({ status: 'DEPLOYING', events: [{ status: 'DEPLOYING' }] });
  const { metadata, spec } = ip('part');
  for (const refused of [{ metadata }, { spec }, {}, { metadata: 'part', spec }, { metadata, spec: 'IPv4' }, undefined])
    expect((await api.admin.post(ips, refused)).status, JSON.stringify(refused)).toBe(400);
  expect((await api.admin.get(`${ips}/part`)).status).toBe(404);
});

test('egress-ip.name-rule: a name of up to 49 lowercase letters and digits with hyphens between them is taken and any other is refused with 400', async () => {
  const taken = ['a', '7', 'a-b', 'a--b', '0-9', 'x'.repeat(49), `x${'-'.repeat(47)}9`];
  for (const name of taken) {
    const { status, body } = await api.admin.post(ips, ip(name));
    expect([status, body.metadata?.name]).toEqual([200, name]);
  }
  const refused = [
    '',
    '-',
    '-a',
    'a-',
    'x'.repeat(50),
    'Upper',
    'a_b',
    'a.b',
    'a b',
    'a/b',
    'ä',
    'a\n',
    ' a',
    '１',
    7,
    null,
    ['a'],
  ];
  for (const name of refused)
    expect((await api.admin.post(ips, { ...ip(''), metadata: { name } })).status, JSON.stringify(name)).toBe(400);
});

test('egress-ip.name-immutable: no operation renames an egress IP and creating it again under the same name answers 409', async () => {
  const created = await api.admin.post(ips, ip('fixed'));
  const again = await api.admin.post(ips, { metadata: { name: 'fixed', displayName: 'Other' }, spec: {} });
  expect(again.status).toBe(409);
  expect(Object.keys(kinds.find(({ kind }) => kind === 'egressip')?.permissions ?? {}).sort()).toEqual([
    'create',
    'delete',
    'get',
    'list',
  ]);
  for (const method of ['PUT', 'PATCH', 'POST']) {
    const { status } = await api.admin.send(method, `${ips}/fixed`, { body: ip('renamed') });
    expect([404, 405], method).toContain(status);
  }
  expect((await api.admin.get(`${ips}/fixed`)).body).toEqual(created.body);
  expect((await api.admin.get(`${ips}/renamed`)).status).toBe(404);
});

test('egress-ip.display-name-limit: a displayName of 63 characters with spaces and signs is taken and one of 64 is refused', async () => {
  const longest = `Büro 7 / "North" & <East> — 100 % 出口 🚢 ${'x '.repeat(40)}`;
  const displayName = [...longest].slice(0, 63).join('');
  const { status, body } = await api.admin.post(ips, { metadata: { name: 'named', displayName }, spec: {} });
  expect([status, body.metadata?.displayName]).toEqual([200, displayName]);
  for (const tooLong of [`${displayName}y`, '🚢'.repeat(64)]) {
    const refused = await api.admin.post(ips, { metadata: { name: 'unnamed', displayName: tooLong }, spec: {} });
    expect(refused.status).toBe(400);
  }
  // The limit counts characters, not bytes or UTF-16 units.
  const ships = await api.admin.post(ips, { metadata: { name: 'ships', displayName: '🚢'.repeat(63) }, spec: {} });
  expect(ships.status).toBe(200);
});

test('egress-ip.ip-family: ipFamily takes IPv4 and IPv6, reads IPv4 when absent, and any other value is refused with 400', async () => {
  const familyOf = async (name: string, spec: object) => {
    await api.admin.post(ips, ip(name, spec));
    return (await api.admin.get(`${ips}/${name}`)).body.spec?.ipFamily;
  };
  expect(await familyOf('four', { ipFamily: 'IPv4' })).toBe('IPv4');
  expect(await familyOf('six', { ipFamily: 'IPv6' })).toBe('IPv6');
  expect(await familyOf('unsaid', {})).toBe('IPv4');
  for (const ipFamily of ['IPv5', 'ipv4', 'IPV6', '', 4, null, ['IPv4']])
    expect((await api.admin.post(ips, ip('odd', { ipFamily }))).status, JSON.stringify(ipFamily)).toBe(400);
});

test('egress-ip.read-only: gatewayName, vpcName, workspace, times, owners, publicIp, status and events come from the service and are ignored in a body', async () => {
  const before = Date.now();
  const { body } = await api.admin.post(ips, {
    metadata: {
      name: 'honest',
      gatewayName: 'side-exit',
      vpcName: 'side',
      workspace: 'elsewhere',
      createdAt: '2001-01-01T00:00:00.000Z',
      updatedAt: '2001-01-01T00:00:00.000Z',
      createdBy: 'nobody',
      updatedBy: 'nobody',
    },
    spec: { ipFamily: 'IPv4', publicIp: '198.51.100.1' },
    status: 'DEPLOYED',
    events: [{ type: 'deployment', status: 'DEPLOYED', message: 'Mine.' }],
  });
  const owner = (await api.admin.get('/vpcs/default')).body.metadata.createdBy;
  expect(body.metadata).toMatchObject({
    gatewayName: 'default-exit',
    vpcName: 'default',
    workspace: api.workspace,
    createdBy: owner,
    updatedBy: owner,
  });
  for (const time of [body.metadata.createdAt, body.metadata.updatedAt])
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before - 1);
  expect(body.spec).toEqual({ ipFamily: 'IPv4' });
  expect(body.status).toBe('DEPLOYING');
  expect(JSON.stringify(body.events)).not.toContain('Mine.');
  expect((await api.admin.get(`${ips}/honest`)).body).toEqual(body);
});

test('egress-ip.public-ip-hidden: publicIp is not shown while the address is not provisioned', async () => {
  for (const ipFamily of ['IPv4', 'IPv6']) {
    const name = `hidden-${ipFamily.toLowerCase()}`;
    const created = await api.admin.post(ips, ip(name, { ipFamily }));
    const [listed] = (await api.admin.get(ips)).body;
    const read = (await api.admin.get(`${ips}/${name}`)).body;
    for (const shown of [created.body, listed, read]) {
      expect(shown).toMatchObject({ metadata: { name }, status: 'DEPLOYING' });
      expect(shown.spec).not.toHaveProperty('publicIp');
    }
  }
  const reserved = await api.database.selectFrom('egress_addresses').select('address').execute();
  const listing = await api.admin.get('/egressips');
  expect(reserved.length).toBe(listing.body.length);
  for (const { address } of reserved) expect(listing.text).not.toContain(`"${address}"`);
});
