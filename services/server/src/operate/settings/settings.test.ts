// The files of an installation, read by the programs that they are made for.
import { randomBytes } from 'node:crypto';
import { mkdtempDisposable, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assetUrl } from '@berth/release';
import { loadConfig } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { roles } from '../../roles/registry.ts';
import { serverSections } from '../../sections/server.ts';
import { mergeSections } from '../../server-config.ts';
import { imageNames } from '../install/image-names.ts';
import type { Choices } from '../install/install-record.ts';
import { placesBelow } from '../machine/places.ts';
import { ports } from '../machine/ports.ts';
import { writeWholeFile } from '../machine/write-file.ts';
import { composeVariables } from '../up/compose.ts';
import { instancesMb, settingsText } from './berth-settings.ts';
import { caddyfile } from './caddyfile.ts';
import { keptValues } from './kept-values.ts';

const plain: Choices = {
  ...{ email: 'operator@berth.internal', address: '192.0.2.7', withLogs: true, hasAcmeRoot: false, hasWildcard: false },
  takesRunners: false,
};
const named: Choices = { ...plain, domain: 'example.com', email: 'ops@example.com' };
const secrets = {
  masterKey: { id: '2026-11', key: randomBytes(32).toString('base64') },
  postgresPassword: 'p_-1',
  clickhousePassword: 'c_-2',
};
const places = placesBelow('/');
const textOf = (choices: Choices) =>
  settingsText({ choices, secrets, places, sandboxImage: 'berth-sandbox-base:1.2.3', instancesMb: 2_186 });

async function readBack(choices: Choices) {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'berth-settings-'));
  const file = join(folder.path, 'berth.yaml');
  await writeWholeFile(file, textOf(choices));
  expect((await stat(file)).mode & 0o777).toBe(0o400);
  const schema = z.object({ ...mergeSections(roles), ...serverSections(roles) });
  return {
    config: z.any().parse(loadConfig(schema, { file, env: {} })),
    kept: await keptValues(file, () => 'another'),
  };
}

test('the server accepts the settings, and later settings keep the secrets of the first', async () => {
  const { config, kept } = await readBack(plain);
  expect(config.api).toMatchObject({ publicUrl: 'https://192.0.2.7', workloadUrls: 'paths' });
  expect(config.gateway.hosts).toEqual(['192.0.2.7']);
  expect(config.runner.gateways).toContainEqual({ address: '192.0.2.7', port: 443 });
  expect(config.health.ports).toEqual({ api: 17_020, orchestrator: 17_021, runner: 17_022, gateway: 17_023 });
  expect(kept).toEqual({ secrets, instancesMb: 2_186 });
});

test('with a domain api and gateway have names, and workloads only with a certificate for wildcard names', async () => {
  expect((await readBack(named)).config.api).toMatchObject({
    publicUrl: 'https://api.example.com',
    gatewayUrl: 'https://run.example.com',
    workloadDomain: 'example.com',
    workloadUrls: 'paths',
  });
  expect((await readBack({ ...named, hasWildcard: true })).config.api.workloadUrls).toBe('hosts');
});

test('other machines reach a node listener only where the deployment takes runners, and are told where', async () => {
  const closed = (await readBack(plain)).config;
  expect(closed.api.node).toMatchObject({ host: '127.0.0.1', port: ports.nodeListener });
  expect(closed.api.install).toEqual({ gateways: [] });
  const open = (await readBack({ ...plain, takesRunners: true })).config;
  expect(open.api.node).toMatchObject({ host: '0.0.0.0', port: 8_081 });
  expect(open.api.install).toEqual({
    ...{ archive: places.archive, nodeUrl: 'https://192.0.2.7:8081' },
    gateways: [443, 80].map((port) => ({ address: '192.0.2.7', port })),
  });
  expect(open.runner).toMatchObject({ apiUrl: 'https://127.0.0.1:8081', ingress: { host: '127.0.0.1' } });
});

test('without logs no service knows a ClickHouse', async () => {
  expect((await readBack({ ...plain, withLogs: false })).config.clickhouse).toEqual({ logRetentionDays: 30 });
});

test('a machine of 4 GB keeps memory for the control plane', () => {
  expect(instancesMb(3_900)).toBe(2_010);
  expect(instancesMb(1_000)).toBe(512);
});

test('the edge asks for certificates of two names, and never of names of sandboxes', () => {
  const text = caddyfile({ ...named, acmeCa: 'https://ca.example/dir', hasAcmeRoot: true });
  const sites = [...text.matchAll(/^(\S.*) \{$/gm)].map(([, site]) => site).filter((site) => !site?.startsWith('('));
  expect(sites).toEqual(['api.example.com', 'run.example.com', 'http://run.example.com']);
  expect(text).toContain('acme_ca https://ca.example/dir');
  expect(text).toContain('acme_ca_root /etc/caddy/acme-root.pem');
  expect(text).not.toContain('on_demand');
  expect(caddyfile({ ...named, hasWildcard: true })).toContain(
    '*.local.example.com, *.local.preview.example.com {\n\ttls /etc/caddy/wildcard.pem /etc/caddy/wildcard.key',
  );
  expect(caddyfile(plain)).toContain('https://192.0.2.7 {\n\ttls internal');
});

test('compose gets every variable that it asks for, and engines listen on the ports that the settings name', async () => {
  const read = (name: string) => readFile(new URL(name, assetUrl('deploy/')), 'utf8');
  const compose = await read('compose/compose.yaml');
  const states = { BERTH_ENGINES_STATE: 'a', BERTH_SERVICES_STATE: 'b', BERTH_EDGE_STATE: 'c' };
  const given = composeVariables(imageNames('1.2.3', {}), states).match(/^\w+(?==)/gm);
  const asked = new Set([...compose.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
  expect(asked.difference(new Set(given))).toEqual(new Set());
  const { services } = parse(compose, { merge: true });
  expect(services.postgres.environment.PGPORT).toBe(String(ports.postgres));
  expect(services['gateway-2'].environment.BERTH_HEALTH_PORTS_GATEWAY).toBe(String(ports.secondGatewayHealth));
  const restate = await read('engines/restate.toml');
  for (const port of [ports.restateIngress, ports.restateAdmin, ports.restateNode])
    expect(restate).toContain(`"127.0.0.1:${port}"`);
  expect(await read('compose/clickhouse.xml')).toContain(`<http_port>${ports.clickhouse}</http_port>`);
});

test('every service uses the network of the host and takes no more rights than it has', async () => {
  const compose = await readFile(new URL('compose/compose.yaml', assetUrl('deploy/')), 'utf8');
  const { services } = z
    .object({ services: z.record(z.string(), z.looseObject({})) })
    .parse(parse(compose, { merge: true }));
  for (const service of Object.values(services))
    expect(service).toMatchObject({
      ...{ network_mode: 'host', restart: 'unless-stopped', security_opt: ['no-new-privileges:true'] },
      mem_limit: expect.any(String),
    });
});
