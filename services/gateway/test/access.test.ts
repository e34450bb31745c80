// Access to workloads: callers with access reach them, and all others learn nothing about them.
import { createAuthenticator, gatewayKey } from '@berth/identity';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conformanceBrand } from '../../../tests/harness/conformance-brand.ts';
import { type DatabaseLine, openDatabaseLine } from '../../../tests/harness/database-line.ts';
import { createGatekeeper, type Gatekeeper } from '../src/access/gatekeeper.ts';
import { errorAnswer, GatewayError } from '../src/errors/gateway-error.ts';
import type { FoundWorkload, Route } from '../src/routing/route.ts';
import { createWorkloadCache } from '../src/routing/workload-cache.ts';
import { callScope } from '../src/workloads/call-scope.ts';
import { type ApiWithWorkloads, byPath, silent, startApiWithWorkloads } from './api-with-workloads.ts';

const brand = conformanceBrand();
const branded = `X-${brand.long}-Authorization`;
let workloads: ApiWithWorkloads;
let line: DatabaseLine;
let keeper: Gatekeeper<Route, FoundWorkload>;
let catalogue: ReturnType<typeof createWorkloadCache>;
let member: { key: string; id: string };
let foreigner: { key: string; id: string };
/** Advances the clocks of the gateway's caches. */
let skipped = 0;

beforeAll(async () => {
  workloads = await startApiWithWorkloads();
  line = await openDatabaseLine(workloads.api.databaseUrl);
  const now = () => performance.now() + skipped;
  catalogue = createWorkloadCache({ database: line.database, databaseUrl: line.url, logger: silent, now });
  const authenticator = createAuthenticator(line.database, { staleMs: 60_000, now });
  keeper = createGatekeeper({ authenticator, cache: catalogue, brand, scopeOf: callScope });
  await workloads.api.addWorkspace('other');
  await workloads.deploy('private');
  await workloads.deploy('open', { public: true });
  member = await workloads.api.user({ memberOf: 'main' });
  foreigner = await workloads.api.user({ memberOf: 'other' });
});
afterAll(async () => {
  await catalogue.close();
  await line[Symbol.asyncDispose]();
  await workloads[Symbol.asyncDispose]();
});

const bearer = (key: string): string[] => ['Authorization', `Bearer ${key}`];

/** `admit` may throw synchronously or reject; an async wrapper makes both a rejection. */
const admit = async (named: Route, rawHeaders: string[]) => keeper.admit(named, rawHeaders);

/** The whole refusal, byte for byte except the time. */
async function refusal(named: Route, rawHeaders: string[]): Promise<string> {
  const error = await admit(named, rawHeaders).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof GatewayError)) throw new Error(`not refused: ${error}`);
  const context = { brand, docsUrl: '/docs', requestId: 'r', now: 0 };
  return JSON.stringify(errorAnswer(error.code, context, error.details));
}

const host = (label: string): Route => ({ by: 'host', region: 'local', label, path: '/' });
const everyName: Route[] = [
  byPath('private'),
  byPath('missing'),
  byPath('private', 'other'),
  byPath('private', 'no-such-workspace'),
  byPath('%70rivate'),
  byPath('x', ''),
  host('agt-private-main'),
  host('agt-missing-main'),
];

describe('without a good credential', () => {
  test.each([
    ['none', [], 'AUTHENTICATION_REQUIRED'],
    ['an unknown key', bearer(`${brand.short}_${'A'.repeat(40)}`), 'AUTHENTICATION_FAILED'],
    ['a bearer of another form', bearer('something-else'), 'AUTHENTICATION_FAILED'],
    ['another scheme', ['Authorization', 'Basic eDp5'], 'AUTHENTICATION_FAILED'],
    ['an empty branded header', [branded, ''], 'AUTHENTICATION_FAILED'],
  ])('every name is answered alike: %s', async (_, rawHeaders, code) => {
    const answers = new Set<string>();
    for (const named of everyName) answers.add(await refusal(named, rawHeaders));
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain(code);
    expect(JSON.parse([...answers][0] ?? '').status).toBe(401);
  });

  test('a bad branded header is not made good by another one', async () => {
    expect(await refusal(byPath('private'), [branded, 'Bearer bad', ...bearer(member.key)])).toContain(
      'AUTHENTICATION_FAILED',
    );
  });
});

test('a foreign workload is the same as a missing one, byte for byte', async () => {
  const answers = new Set<string>();
  for (const named of everyName) answers.add(await refusal(named, bearer(foreigner.key)));
  answers.add(await refusal(byPath('missing'), bearer(member.key)));
  answers.add(await refusal(byPath('private'), bearer((await workloads.api.user()).key)));
  expect([...answers]).toHaveLength(1);
  expect(JSON.parse([...answers][0] ?? '').status).toBe(404);
  expect([...answers][0]).toContain('WORKLOAD_NOT_FOUND');
});

describe('a member', () => {
  test('reaches the workload by every address', async () => {
    for (const named of [byPath('private'), host('agt-private-main')]) {
      expect(await keeper.admit(named, bearer(member.key))).toMatchObject({
        workload: { name: 'private', workspace: 'main' },
        principal: { subject: member.id, subjectType: 'user' },
        consumed: 'authorization',
      });
    }
    const both = [branded, `Bearer ${member.key}`, 'Authorization', 'Basic own'];
    expect(await keeper.admit(byPath('private'), both)).toMatchObject({ consumed: 'branded' });
  });

  test('is refused soon after losing the key', async () => {
    const { key, id } = await workloads.api.user({ memberOf: 'main' });
    await keeper.admit(byPath('private'), bearer(key));
    await workloads.database.deleteFrom('api_keys').where('user_id', '=', id).execute();
    const revokedAt = performance.now();
    let acceptedUntil = revokedAt;
    const isAccepted = async (): Promise<boolean> => {
      const askedAt = performance.now();
      const accepted = await admit(byPath('private'), bearer(key)).then(
        () => true,
        () => false,
      );
      if (accepted) acceptedUntil = askedAt;
      return accepted;
    };
    await expect.poll(isAccepted, { interval: 5 }).toBe(false);
    // The limit is one second: authenticator.test.ts asserts it with a test clock.
    expect(acceptedUntil - revokedAt).toBeLessThan(5_000);
    expect(await refusal(byPath('private'), bearer(key))).toContain('AUTHENTICATION_FAILED');
  });
});

describe('a public workload', () => {
  test('takes every caller, and consumes no foreign credential', async () => {
    const stranger = { workload: { name: 'open' }, principal: undefined, consumed: undefined };
    expect(await keeper.admit(byPath('open'), [])).toMatchObject(stranger);
    expect(await keeper.admit(byPath('open'), bearer('a-token-of-its-own'))).toMatchObject(stranger);
    expect(await keeper.admit(byPath('open'), ['Authorization', 'Basic eDp5'])).toMatchObject(stranger);
  });

  test('never sees a key of ours, whosever it is', async () => {
    for (const { key, id } of [member, foreigner]) {
      expect(await keeper.admit(byPath('open'), bearer(key))).toMatchObject({
        principal: { subject: id },
        consumed: 'authorization',
      });
    }
    expect(await refusal(byPath('open'), bearer(`${brand.short}_${'B'.repeat(40)}`))).toContain(
      'AUTHENTICATION_FAILED',
    );
  });
});

describe('a key limited by scopes', () => {
  const plurals = { agent: 'agents', function: 'functions', sandbox: 'sandboxes' } as const;
  const kinds = ['agent', 'function', 'sandbox'] as const;
  const keyWith = async (...scopes: string[]): Promise<string> =>
    (await workloads.api.admin.post('/profile/api_keys', { scopes })).body.apiKey;
  const named = (kind: (typeof kinds)[number]) => byPath('limited', 'main', kind);

  beforeAll(async () => {
    const body = { metadata: { name: 'limited' }, spec: { runtime: { image: 'registry.example.org/a:1' } } };
    for (const kind of kinds) {
      const { status } = await workloads.api.admin.post(`/${plurals[kind]}`, body);
      expect([kind, status]).toEqual([kind, 200]);
    }
  });

  test('opens no workload without the scope to call its kind, and is told which scope that is', async () => {
    const narrow = await keyWith('templates:list', 'agents:update', 'functions:create', 'sandboxes:control');
    for (const kind of kinds) {
      const told = await refusal(named(kind), bearer(narrow));
      expect(JSON.parse(told)).toMatchObject({ status: 403, headers: { [`X-${brand.long}-Error-Code`]: 'FORBIDDEN' } });
      expect(told).toContain(`lacks ${plurals[kind]}:call.`);
      // The second call uses the cached key and is refused the same way.
      expect(await refusal(named(kind), bearer(narrow))).toBe(told);
    }
  });

  test('opens the kinds that it may call and no others', async () => {
    for (const scope of kinds) {
      const key = await keyWith(`${plurals[scope]}:call`);
      for (const kind of kinds) {
        const isOpen = await admit(named(kind), bearer(key)).then(Boolean, () => false);
        expect([scope, kind, isOpen]).toEqual([scope, kind, scope === kind]);
      }
    }
    const admin = await keyWith('admin');
    for (const kind of kinds) expect(await admit(named(kind), bearer(admin))).toMatchObject({ workload: { kind } });
  });

  test('does not act in its owner’s name at a public workload, and learns nothing of foreign ones', async () => {
    const narrow = await keyWith('templates:list');
    expect(await refusal(byPath('open'), bearer(narrow))).toContain('agents:call');
    expect(await refusal(byPath('private', 'other'), bearer(narrow))).toContain('WORKLOAD_NOT_FOUND');
  });
});

test('every process signs with the same key, and each purpose has a key of its own', async () => {
  const keysFor = (purpose: 'sticky' | 'task-data') =>
    Promise.all(Array.from({ length: 8 }, () => gatewayKey(workloads.database, purpose)));
  const keys = [...(await keysFor('sticky')), ...(await keysFor('task-data'))];
  expect(new Set(keys.map((key) => key.toString('hex'))).size).toBe(2);
  expect(keys.every(({ length }) => length === 32)).toBe(true);
});

test('while PostgreSQL is away, known callers of known workloads pass for a minute and others get 503', async () => {
  await keeper.admit(byPath('private'), bearer(member.key));
  line.become('cut');
  skipped += 30_000;
  expect(await keeper.admit(byPath('private'), bearer(member.key))).toMatchObject({
    principal: { subject: member.id },
  });
  const unknown = await refusal(byPath('private'), bearer(`${brand.short}_${'C'.repeat(40)}`));
  expect(JSON.parse(unknown)).toMatchObject({ status: 503, headers: { 'Retry-After': '1' } });
  expect(await refusal(byPath('never-asked'), bearer(member.key))).toContain('PLATFORM_UNAVAILABLE');
  skipped += 31_000;
  expect(await refusal(byPath('private'), bearer(member.key))).toContain('PLATFORM_UNAVAILABLE');
  line.become('open');
  await expect.poll(() => admit(byPath('private'), bearer(member.key)).then(Boolean, () => false)).toBe(true);
});
