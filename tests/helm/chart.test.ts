// The chart of the control plane, as Helm renders it for three sets of values.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acceptSettings } from '@berth/server';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../harness/temporary-folder.ts';
import { chartFolder, render, renderText, runHelm, validate, valueSets, valuesFile } from './chart.ts';
import { placeContainer } from './container-files.ts';
import { type KubernetesObject, ofKind, workloadsOf } from './objects.ts';
import { podRules } from './rules/pods.ts';
import { portRules } from './rules/ports.ts';
import { first } from './rules/rule.ts';
import { secretRules } from './rules/secrets.ts';
import { upgradeRules } from './rules/upgrades.ts';

/** The oldest version with which the chart works, and a current one. */
const kubernetesVersions = ['1.30', '1.37'];
const rules = [...podRules, ...secretRules, ...portRules, ...upgradeRules];

const renders = new Map<string, Promise<KubernetesObject[]>>();
/** A copy for each test, of one run of Helm. */
async function rendered(set: (typeof valueSets)[number]): Promise<KubernetesObject[]> {
  const objects = renders.get(set) ?? render(set);
  renders.set(set, objects);
  return structuredClone(await objects);
}

const url = 'postgres://berth:secret@db.example.com:5432/berth';
const keys = `[{ id: "2026-05", key: "${Buffer.from('0123456789abcdef0123456789abcdef').toString('base64')}" }]`;
const clickhouse = 'http://berth:secret@clickhouse.example.com:8123/berth';
/** Values of the Secrets that the sets name. */
const secrets = {
  ...{ 'berth-postgres/url': url, 'berth-master-keys/master-keys.yaml': keys, 'berth-clickhouse/url': clickhouse },
  ...{ 'berth-gateway/postgres': url, 'berth-gateway/clickhouse': clickhouse },
  ...{ 'database/address': url, 'keys/list': keys, 'logs/address': clickhouse },
};

describe.each(valueSets)('with the values "%s"', (set) => {
  test('helm lint --strict finds no fault', async () => {
    expect(await runHelm('lint', '--strict', chartFolder, '--values', valuesFile(set))).toContain('0 chart(s) failed');
  });

  test.each(kubernetesVersions)('Kubernetes %s knows each field, with its type', async (version) => {
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'objects.yaml');
    await writeFile(file, await renderText(valuesFile(set)));
    const objects = await rendered(set);
    expect((await validate(file, version)).match(/ passed for resource /g)).toHaveLength(objects.length);
  });

  test.each(rules)('$name', async ({ faults }) => {
    expect(faults(await rendered(set))).toEqual([]);
  });

  test('each role and the migration accept the settings and files that their containers mount', async () => {
    const objects = await rendered(set);
    const accepted: string[] = [];
    for (const { spec } of workloadsOf(objects)) {
      await using root = await temporaryFolder();
      const { args, env, config } = await placeContainer(spec.template.spec, objects, secrets, root.path);
      const name = args[0] === '--role' ? (args[1] ?? '') : (args[0] ?? '');
      acceptSettings(name, { file: config, env });
      accepted.push(name);
    }
    expect(accepted.toSorted()).toEqual(['api', 'gateway', 'migrate', 'orchestrator']);
  });
});

describe.each(rules)('a violation is found of the rule "$name":', ({ faults, plants }) => {
  test.each(Object.entries(plants))('%s', async (_, plant) => {
    const objects = await rendered('production');
    plant(objects);
    expect(faults(objects)).not.toEqual([]);
  });
});

test('a field that Kubernetes does not know is found', async () => {
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'objects.yaml');
  const text = await renderText(valuesFile('smallest'));
  await writeFile(file, text.replace('failureThreshold', 'failureTreshold'));
  await expect(validate(file, first(kubernetesVersions))).rejects.toMatchObject({
    stdout: expect.stringContaining("('failureTreshold' was unexpected)"),
  });
});

test('the values in docs/operations/kubernetes.md are accepted', async () => {
  const page = await readFile(join(chartFolder, '../../../docs/operations/kubernetes.md'), 'utf8');
  const [, values = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
  await using folder = await temporaryFolder();
  const file = join(folder.path, 'values.yaml');
  await writeFile(file, values);
  expect(await renderText(file)).toContain('https://api.example.com');
});

test('a setting that no role knows stops the migration, before anything is replaced', async () => {
  const objects = await render('smallest', '--set', 'settings.api.publicUrll=https://api.example.com');
  await using root = await temporaryFolder();
  const [job] = ofKind(objects, 'Job');
  if (job === undefined) throw new Error('There is no Job.');
  const { env, config } = await placeContainer(job.spec.template.spec, objects, secrets, root.path);
  expect(() => acceptSettings('migrate', { file: config, env })).toThrow('Did you mean api.publicUrl?');
});

test('gateways that serve no models do not hold the master keys', async () => {
  const volumesOf = (objects: KubernetesObject[]) =>
    JSON.stringify(ofKind(objects, 'Deployment').find(({ metadata }) => metadata.name === 'berth-gateway')?.spec);
  expect(volumesOf(await render('smallest', '--set', 'gateway.models=false'))).not.toContain('berth-master-keys');
  expect(volumesOf(await rendered('smallest'))).toContain('berth-master-keys');
});

test('new settings replace the pods', async () => {
  const pods = (objects: KubernetesObject[]) =>
    ofKind(objects, 'Deployment').map(({ spec }) => spec.template.metadata.annotations['checksum/settings']);
  const [before, after] = [await rendered('smallest'), await render('smallest', '--set', 'settings.log.level=debug')];
  expect(pods(before)).toHaveLength(3);
  for (const sum of pods(before)) expect(pods(after)).not.toContain(sum);
});

describe('Helm refuses', () => {
  const withValues = (...flags: readonly string[]) => render('smallest', ...flags).then(() => 'accepted', String);

  test('unknown values at every depth', async () => {
    const values = parse(await readFile(join(chartFolder, 'values.yaml'), 'utf8'));
    /** Their content is free: settings, which the server checks, and names and labels. */
    const free = ['settings', 'annotations', 'nodeSelector', 'networkPolicy.restate'];
    const paths = mappingsIn(values).filter((path) => !free.some((end) => path === end || path.endsWith(`.${end}`)));
    expect(paths.length).toBeGreaterThan(25);
    const message = await withValues('--set', paths.map((path) => `${path}${path && '.'}unknown=1`).join(','));
    const refused = [...message.matchAll(/^- (\S+): Additional property unknown is not allowed$/gm)].map(
      ([, path]) => path,
    );
    expect(refused.toSorted()).toEqual(paths.map((path) => path || '(root)').toSorted());
  });

  test.each([
    ['settings.postgres.url=postgres://berth:secret@db/berth', 'name that in secrets.postgres'],
    ['settings.masterKeys[0].id=a', 'name that in secrets.masterKeys'],
    ['settings.clickhouse.url=http://berth:secret@clickhouse/berth', 'name that in secrets.clickhouse'],
    ['settings.runner.name=one', 'runners do not run in the cluster'],
    ['settings.api.node.port=9000', 'set api.nodeService.port'],
    ['settings.orchestrator.identityKeys=null', 'settings.orchestrator.identityKeys: Invalid type'],
    [
      'ingress.enabled=true,ingress.api.host=a.example.com,ingress.gateway.hosts[0]=b.example.com',
      'settings.api.trustedProxies',
    ],
    ['ingress.enabled=true', 'ingress.api.host'],
    ['networkPolicy.restate=null', 'restate is required'],
    ['api.resources.limits.memory=null', 'memory is required'],
  ])('%s', async (values, reason) => {
    expect(await withValues('--set', values)).toContain(reason);
  });
});

/** Paths of the value itself, as '', and of all mappings inside it. */
function mappingsIn(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const inside = Object.entries(value).flatMap(([key, inner]) =>
    mappingsIn(inner, path === '' ? key : `${path}.${key}`),
  );
  return [path, ...inside];
}
