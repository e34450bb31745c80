import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pathParameters } from '../path-params.ts';
import type { Kind } from './kind.ts';
import { operationsOf, resourceInput, resourceSchema } from './kind-operations.ts';
import { kinds } from './registry.ts';

const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
const named = (name: string): Kind => byName.get(name) as Kind;

function bare(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault) {
    return bare(schema.unwrap());
  }
  return schema;
}

/** The schema found by walking keys; `*` enters an array or a map. */
function walk(schema: unknown, path: readonly string[]): unknown {
  const here = bare(schema);
  const [key, ...rest] = path;
  if (key === undefined) return here;
  if (key === '*' && here instanceof z.ZodArray) return walk(here.element, rest);
  if (key === '*' && here instanceof z.ZodRecord) return walk(here.valueType, rest);
  return here instanceof z.ZodObject ? walk(here.shape[key], rest) : undefined;
}

describe.each(kinds.map((kind) => [kind.kind, kind] as const))('%s', (_, kind) => {
  test('every immutable path is a field that clients may send', () => {
    const missing = kind.immutable.filter((path) => walk(resourceInput(kind), path.split('.')) === undefined);
    expect(missing).toEqual([]);
  });

  test('every secret path is a field of the answer', () => {
    const spec = resourceSchema(kind).shape.spec;
    expect(kind.secrets.filter(({ path }) => walk(spec, path) === undefined)).toEqual([]);
    for (const { path, when } of kind.secrets) {
      if (when !== undefined) expect(walk(spec, [...path.slice(0, -1), when])).toBeInstanceOf(z.ZodBoolean);
    }
  });

  test('a replacement fills nothing in: what was not sent stays absent', () => {
    expect(kind.spec.partial().parse({})).toEqual({});
  });

  test('defaults are values the resource may have', () => {
    const spec = kind.spec.extend({ ...kind.specReadOnly }).partial();
    expect(spec.parse(kind.specDefaults ?? {})).toEqual(kind.specDefaults ?? {});
  });

  test('a client may send back a resource as it received it', () => {
    const sent = {
      metadata: { name: 'a.example', createdAt: 'x', plan: 'x' },
      spec: { infrastructureId: 'x', status: 'failed' },
    };
    const read = kind.spec.partial().parse(sent.spec);
    expect(read).not.toHaveProperty('infrastructureId');
    expect(read).not.toHaveProperty('status');
    const metadata = kind.metadataInput.partial({ name: true }).parse({ createdAt: 'x', plan: 'x', workspace: 'x' });
    expect(metadata).toEqual({});
  });

  test('parents stand in the path, in order', () => {
    expect((kind.parents ?? []).map(({ param }) => param)).toEqual(pathParameters(kind.path));
    expect((kind.parents ?? []).filter((parent) => !byName.has(parent.kind))).toEqual([]);
  });

  test('a status and an arrival come together', () => {
    expect(kind.arrival === undefined).toBe(kind.status === undefined);
    if (kind.arrival !== undefined) expect(kind.statuses).toContain(kind.arrival({}).status);
  });

  test('revisions are stored by the kinds that list them', () => {
    if (kind.permissions.revisions !== undefined) expect(kind.revisions).toBe(true);
  });
});

test('no kind without an engine has a status that claims more than it is stored', () => {
  const statusOf = (name: string, spec = {}) => named(name).arrival?.(spec).status;
  const arrivals = Object.fromEntries(kinds.filter(({ arrival }) => arrival).map(({ kind }) => [kind, statusOf(kind)]));
  expect(arrivals).toEqual({
    agent: 'DEPLOYING',
    application: 'DEPLOYING',
    drive: 'DEPLOYING',
    egressgateway: 'DEPLOYED',
    egressip: 'DEPLOYING',
    function: 'DEPLOYING',
    job: 'DEPLOYED',
    model: 'DEPLOYED',
    preview: 'DEPLOYED',
    sandbox: 'DEPLOYING',
    volume: 'DEPLOYING',
    vpc: 'DEPLOYED',
  });
  for (const name of ['agent', 'function', 'application', 'sandbox', 'model', 'job']) {
    expect(statusOf(name, { enabled: false })).toBe('DEACTIVATED');
  }
  for (const name of ['agent', 'function', 'sandbox']) {
    expect(named(name).arrival?.({}).message).toMatch(/runner/);
  }
  expect(named('job').arrival?.({}).message).toMatch(/executions run its image/i);
  expect(named('application').arrival?.({}).message).toMatch(/does not have/);
  expect(named('customdomain').specDefaults).toEqual({ status: 'pending' });
});

test('the listings that are paged are those of the interface', () => {
  const paged = kinds.filter(({ listing }) => listing.paged).map(({ kind }) => kind);
  expect(paged.sort()).toEqual(
    ['agent', 'application', 'drive', 'function', 'job', 'model', 'policy', 'sandbox', 'volume'].sort(),
  );
});

test('members write workloads and storage, only admins write what governs them', () => {
  const writtenBy = (role: string) =>
    kinds.filter(({ permissions }) => permissions.create?.role === role).map(({ kind }) => kind);
  expect(writtenBy('admin').sort()).toEqual(
    ['customdomain', 'egressgateway', 'egressip', 'integrationconnection', 'policy', 'vpc'].sort(),
  );
  const readers = kinds.flatMap(({ permissions }) => [permissions.list?.role, permissions.get?.role]);
  expect(new Set(readers)).toEqual(new Set(['member']));
});

test('list items of sandboxes and volumes carry no events', () => {
  for (const name of ['sandbox', 'volume']) {
    const list = operationsOf(named(name)).find(({ verb }) => verb === 'list')?.operation.answer;
    const item = { metadata: { name: 'a' }, spec: {}, events: [{ type: 'deployment' }] };
    expect(list?.parse([item])).toEqual([{ metadata: { name: 'a' }, spec: {} }]);
  }
});

describe('sandbox', () => {
  const parse = (spec: unknown) => resourceInput(named('sandbox')).safeParse({ metadata: {}, spec });

  test('needs no name on creation', () => {
    expect(parse({}).success).toBe(true);
  });

  test('null clears the lifetime rules, and an empty text the ttl', () => {
    expect(parse({ lifecycle: null, runtime: { ttl: null } }).success).toBe(true);
    expect(parse({ runtime: { ttl: '' } }).success).toBe(true);
    expect(parse({ network: null }).success).toBe(false);
    expect(parse({ runtime: { ttl: 'soon' } }).success).toBe(false);
  });

  test('drops fields that only an answer may hold, outside of its runtime', () => {
    const { data } = parse({ runtime: {}, future: 1 });
    expect(data?.spec).toEqual({ runtime: {} });
  });

  test('takes at most one persistent volume, and a size for ephemeral ones', () => {
    const volume = { name: 'v', mountPath: '/v' };
    expect(parse({ volumes: [volume] }).success).toBe(true);
    expect(parse({ volumes: [volume, { ...volume, name: 'w' }] }).success).toBe(false);
    expect(parse({ volumes: [{ ...volume, type: 'ephemeral' }] }).success).toBe(false);
    expect(parse({ volumes: [{ ...volume, type: 'ephemeral', sizeMb: 64 }, volume] }).success).toBe(true);
  });

  test('an expiration policy has a value of its type', () => {
    const policy = (type: string, value: string) =>
      parse({ lifecycle: { expirationPolicies: [{ type, value }] } }).success;
    expect(policy('ttl-idle', '30m')).toBe(true);
    expect(policy('date', '2030-01-01T00:00:00Z')).toBe(true);
    expect(policy('ttl-idle', '2030-01-01T00:00:00Z')).toBe(false);
    expect(policy('date', '30m')).toBe(false);
  });
});

test('a function takes the one port that it is reached at', () => {
  const parse = (...targets: number[]) =>
    resourceInput(named('function')).safeParse({
      metadata: { name: 'f' },
      spec: { runtime: { ports: targets.map((target) => ({ target })) } },
    });
  expect(parse(3000).success).toBe(true);
  expect(parse(3000, 3001).error?.issues[0]?.message).toBe('a function listens on one port');
});

describe('triggers', () => {
  const parse = (trigger: unknown) =>
    resourceInput(named('job')).safeParse({ metadata: { name: 'j' }, spec: { triggers: [trigger] } });

  test('a bad schedule is refused with the field it is wrong in', () => {
    expect(parse({ type: 'cron', configuration: { schedule: '*/5 * * * *' } }).success).toBe(true);
    const refused = parse({ type: 'cron', configuration: { schedule: '99 * * * *' } });
    expect(refused.error?.issues[0]).toMatchObject({
      path: ['spec', 'triggers', 0, 'configuration', 'schedule'],
      message: expect.stringContaining('minute'),
    });
  });

  test('a schedule that never fires is refused with the fields that exclude each other', () => {
    expect(parse({ type: 'cron', configuration: { schedule: '0 0 29 2 *' } }).success).toBe(true);
    const refused = parse({ type: 'cron', configuration: { schedule: '0 0 30 2 *' } });
    expect(refused.error?.issues[0]).toMatchObject({
      path: ['spec', 'triggers', 0, 'configuration', 'schedule'],
      message: expect.stringMatching(/day-of-month and month: .* never fires/),
    });
  });

  test('an http trigger of a job needs a path of the right form, and one of an agent does not', () => {
    const http = (path?: string) => ({ type: 'http', configuration: path === undefined ? {} : { path } });
    for (const path of ['hooks/orders', '/hooks']) expect(parse(http(path)).success).toBe(true);
    for (const [path, reason] of [
      [undefined, 'needs a path'],
      ['a//b', 'segments of letters'],
      ['jobs/a', 'reserved'],
    ] as const)
      expect(parse(http(path)).error?.issues[0]).toMatchObject({
        path: ['spec', 'triggers', 0, 'configuration', 'path'],
        message: expect.stringContaining(reason),
      });
    const ofAgent = (trigger: object) =>
      resourceInput(named('agent')).safeParse({ metadata: { name: 'a' }, spec: { triggers: [trigger] } });
    for (const type of ['http', 'http-async']) {
      expect(ofAgent({ ...http(), type }).success).toBe(true);
      expect(ofAgent({ ...http('/hooks'), type }).success).toBe(true);
      expect(ofAgent({ ...http('a//b'), type }).error?.issues[0]?.message).toContain('segments of letters');
    }
    expect(
      ofAgent({ ...http('a//b'), type: 'cron', configuration: { schedule: '0 4 * * *', path: 'a//b' } }).success,
    ).toBe(true);
  });

  test('a callback secret sent by a client is dropped', () => {
    const { data } = parse({
      type: 'http-async',
      configuration: { callbackUrl: 'https://a.test', callbackSecret: 'mine' },
    });
    expect(data?.spec.triggers).toEqual([
      { type: 'http-async', enabled: true, configuration: { callbackUrl: 'https://a.test' } },
    ]);
  });

  test('an asynchronous request lasts at most 15 minutes', () => {
    expect(parse({ type: 'http-async', configuration: { timeout: 900 } }).success).toBe(true);
    expect(parse({ type: 'http-async', configuration: { timeout: 901 } }).success).toBe(false);
  });
});
