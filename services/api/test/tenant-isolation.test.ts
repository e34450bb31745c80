// Two accounts with one resource of every kind each. No response to one account reveals anything about the other: a
// foreign resource gets the same bytes as a missing one, and no listing contains a foreign row.
import { kindOperations, kinds, type Operation, operations } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { createLogger } from '@berth/telemetry';
import { noDurations, openUsage, storeRows } from '@berth/usage';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestClickhouse, type TestClickhouse } from '../../../engines/test-clickhouse.ts';
import type { Answer, Client } from '../../../tests/harness/client.ts';
import { requiredQuery } from '../../../tests/harness/required-query.ts';
import {
  addAccount,
  addCall,
  addStatement,
  createEverything,
  type FurtherAccount,
  fill,
  itemBody,
  itemName,
  tenantRegions,
} from '../../../tests/harness/tenant.ts';
import { startTestApi, type TestApi } from '../../../tests/harness/test-api.ts';

interface Tenant {
  readonly word: string;
  readonly client: Client;
  readonly account: FurtherAccount;
  readonly params: Readonly<Record<string, string>>;
  /** Values that only this tenant may see. */
  readonly marks: readonly string[];
}

let clickhouse: TestClickhouse;
let api: TestApi;
let yankee: Tenant;
let zulu: Tenant;

beforeAll(async () => {
  clickhouse = await startTestClickhouse();
  api = await startTestApi({ config: { regions: tenantRegions, dnsServers: ['127.0.0.1:1'] }, clickhouse });
  yankee = await addTenant('yankee');
  zulu = await addTenant('zulu');
  for (const { word } of [yankee, zulu]) await api.admin.post('/users', { email: `admin@${word}.example` });
});
afterAll(async () => {
  await api[Symbol.asyncDispose]();
  await clickhouse[Symbol.asyncDispose]();
});

/** Writes a log line, usage and a request of the tenant's agent, as a runner and a gateway would deliver them. */
async function writeOutput(workspaceId: string, word: string, accountId: string): Promise<void> {
  const usage = openUsage({ url: clickhouse.url, logger: createLogger({ role: 'test' }, { level: 'error' }) });
  await usage.logs.write([
    {
      workspaceId,
      resourceType: 'agents',
      resourceUid: uuidv7(),
      workload: `${word}-agent`,
      revision: '1',
      instanceId: uuidv7(),
      sequence: 0,
      timeNs: `${Date.now()}000000`,
      stream: 'stdout',
      text: `${word} spoke`,
    },
  ]);
  await usage.requests.write([
    {
      ...{ workspaceId, resourceType: 'agents', resourceUid: uuidv7(), workload: `${word}-agent` },
      ...{ minuteMs: Math.floor(Date.now() / 60_000) * 60_000, gateway: uuidv7() },
      ...{ requests: 1, clientErrors: 0, serverErrors: 0, bytesIn: 0, bytesOut: 0 },
      ...{ durations: noDurations(), firstBytes: noDurations() },
    },
  ]);
  const hourMs = Math.floor(Date.now() / 3_600_000) * 3_600_000 - 3_600_000;
  const owned = {
    accountId,
    workspaceId,
    workspace: `${word}-space`,
    resourceType: 'agent',
    resourceName: `${word}-agent`,
  };
  const metered = { dimension: 'agent_compute_runtime_gbs', source: uuidv7(), interval: 0, part: 0 } as const;
  const amount = { fromMs: hourMs, toMs: hourMs + 1000, rate: 1_048_576, amount: 0 };
  await storeRows(api.database, usage.ledger, [{ ...owned, ...metered, ...amount, resourceUid: uuidv7() }]);
  await usage.close();
}

async function addTenant(word: string): Promise<Tenant> {
  const account = await addAccount(api, word);
  const own = await createEverything(account.client, word);
  const { client_id, id } = { client_id: own.clientId ?? '', id: own.apiKeyId ?? '' };
  const workspace = (await account.client.get(`/workspaces/${account.workspace}`)).body;
  await writeOutput(workspace.id, word, account.accountId);
  const month = await addStatement(api, account);
  const params = {
    ...own,
    ...(await addCall(api, account, word)),
    workspaceName: account.workspace,
    workspace: account.workspace,
    accountId: account.accountId,
    month,
    // Of a provider; the connection has none.
    modelId: `${word}-offered`,
  };
  return {
    word,
    client: account.client,
    account,
    params,
    marks: [word, account.accountId, account.userId, workspace.id, client_id, id],
  };
}

/** Parameters of the deployment, not of a tenant: the same for every caller. */
const ofEverybody = new Set(['integrationName', 'templateName', 'featureKey', 'month']);
const paramNames = ({ path }: Operation): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
const namesTenantData = (operation: Operation): boolean => paramNames(operation).some((name) => !ofEverybody.has(name));

/** Well-formed values that do not exist. */
const missingValue: Readonly<Record<string, string>> = {
  apiKeyId: '0198c0de-0000-7000-8000-000000000001',
  accountId: '0198c0de-0000-7000-8000-000000000002',
  domainName: 'missing.example.com',
  subOrEmail: 'missing@example.com',
  resourceType: 'sandbox',
};

/** Bodies that pass the schema, so that the refusal is about the missing resource. */
const bodies: Readonly<Record<string, object>> = {
  createJobExecution: { tasks: [] },
  createJobExecutionByAddress: { tasks: [] },
  createApplicationCustomDomain: { metadata: { name: 'new.example.com' }, spec: {} },
  createPreviewToken: { metadata: { name: 'new' }, spec: {} },
  createServiceAccountKey: { name: 'new' },
  updateServiceAccount: { name: 'new' },
  updateUserRole: { role: 'member' },
};
const creatable = new Map(
  kindOperations
    .filter(({ verb }) => verb === 'create')
    .map(({ kind, operation }) => [operation.id, itemBody(kind, itemName(kind, 'missing'), 'missing')]),
);
const bodyOf = ({ id }: Operation): object => bodies[id] ?? creatable.get(id) ?? { metadata: {}, spec: {} };

const address = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  (operation.base === 'api_url' ? '/' : '') + fill(operation.path, params);

const ask = (operation: Operation, client: Client, params: Readonly<Record<string, string>>): Promise<Answer> =>
  client.send(
    operation.method,
    address(operation, params),
    operation.body === undefined ? {} : { body: bodyOf(operation) },
  );

function bytes({ status, headers, text }: Answer): string {
  const kept = [...headers].filter(([name]) => !['x-request-id', 'date'].includes(name));
  return JSON.stringify([status, kept, text]);
}

/**
 * PUT creates these when they are missing, so a foreign name simply becomes a new resource in the caller's workspace, or
 * a new budget of the caller's account.
 */
const makesWhatIsMissing = new Set([
  'putBudget',
  ...kindOperations
    .filter(({ kind, verb }) => kind.upsert === true && verb === 'replace')
    .map(({ operation }) => operation.id),
]);

/** Accepting or declining an invitation names a workspace that the caller is not in; its refusal is compared too. */
const withParams = operations.filter((operation) => namesTenantData(operation) && operation.access.kind !== 'public');

describe('a foreign thing is answered with the bytes of a missing one', () => {
  const plain = withParams.filter(({ id }) => !makesWhatIsMissing.has(id));
  test.each(plain.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
    '%s',
    async (_name, operation) => {
      const names = paramNames(operation).filter((name) => !ofEverybody.has(name) && name !== 'resourceType');
      const missing = { ...zulu.params };
      for (const name of names) missing[name] = missingValue[name] ?? 'missing';
      const nothing = await ask(operation, yankee.client, missing);
      expect([nothing.status, nothing.body?.error]).toEqual([404, 'not_found']);
      expect(bytes(await ask(operation, yankee.client, zulu.params))).toBe(bytes(nothing));
      // A foreign child below the caller's own parent gets the same response.
      for (const [index] of names.entries()) {
        const mixed = { ...yankee.params };
        for (const foreign of names.slice(index)) mixed[foreign] = zulu.params[foreign] ?? '';
        expect(bytes(await ask(operation, yankee.client, mixed)), JSON.stringify(mixed)).toBe(bytes(nothing));
      }
    },
  );

  test.each(kinds.filter(({ upsert }) => upsert === true))(
    'PUT of a $kind by a foreign name makes one of the own workspace and leaves the foreign one alone',
    async (kind) => {
      const path = fill(`${kind.path}/{${kind.param}}`, zulu.params);
      const before = await zulu.client.get(path);
      const made = await yankee.client.put(path, { metadata: { displayName: 'mine' }, spec: {} });
      expect(made.body.metadata).toMatchObject({ displayName: 'mine', workspace: yankee.account.workspace });
      expect((await zulu.client.get(path)).text).toBe(before.text);
      expect((await yankee.client.delete(path)).status).toBe(200);
      expect((await zulu.client.get(path)).text).toBe(before.text);
    },
  );

  test('PUT of a budget by a foreign name makes one of the own account and leaves the foreign one alone', async () => {
    const path = (of: Tenant) => `/accounts/${of.account.accountId}/budgets/${zulu.params.budgetName}`;
    const before = await zulu.client.get(path(zulu));
    expect((await yankee.client.put(path(yankee), { amount: 7 })).status).toBe(200);
    const foreign = await yankee.client.put(path(zulu), { amount: 7 });
    expect([foreign.status, foreign.body.error]).toEqual([404, 'not_found']);
    expect((await yankee.client.delete(path(yankee))).status).toBe(200);
    expect((await zulu.client.get(path(zulu))).text).toBe(before.text);
  });

  test('nothing of the other tenant was changed or taken away by all of this', async () => {
    for (const kind of kinds.filter((one) => one.permissions.get !== undefined)) {
      const { status, text } = await zulu.client.get(fill(`${kind.path}/{${kind.param}}`, zulu.params));
      expect(status, kind.kind).toBe(200);
      expect(text).toContain('zulu');
    }
  });
});

describe('no answer holds anything of another tenant', () => {
  const reads = operations.filter(
    ({ method, path }) => method === 'GET' && !/\{(?:integration|template)Name\}/.test(path),
  );
  const queries: readonly Readonly<Record<string, string>>[] = [
    {},
    { q: 'zulu' },
    { externalId: 'zulu-external' },
    { showTerminated: 'true' },
    { status: 'DEPLOYED,DEPLOYING,DEACTIVATED' },
    { sort: 'name:asc' },
    { anchor: 'end' },
    { countResources: 'true' },
    { account: 'zulu' },
    { search: 'spoke' },
    { resourceType: 'agents', workloadIds: 'zulu-agent' },
  ];

  /** Operations whose response contains no tenant data, even for the tenant itself. */
  const sameForEverybody = new Set([
    'getChangelog',
    'getConfiguration',
    // The models of a provider are its own.
    'getConnectionModel',
    'getCurrentUsage',
    'getDiscovery',
    'getDriveKeys',
    'getFeature',
    'listAccountQuotas',
    'listConnectionEndpoints',
    'listConnectionModels',
    'listFeatures',
    'listJobExecutionTasks',
    'listLocations',
    'listTemplateFiles',
    'listMcpHub',
    'listMetricsGroups',
    'listMetricsResourceTypes',
    'listPublicIps',
    'listSandboxHub',
    'listStatements',
    'listTemplates',
  ]);

  /** Sums of an account name no resource; these do. */
  const byResource: Readonly<Record<string, object>> = { getAccountMetrics: { groupBy: 'resource_uuid' } };

  /** In the tests above one tenant tries the other's names in its own workspace, so its own audit log contains them. */
  const namesTried = ['zulu'];

  const read = async (operation: Operation, client: Client, query: Readonly<Record<string, string>>, of: Tenant) => {
    const params = { ...of.params, featureKey: 'anything' };
    const asked = { ...requiredQuery[operation.id], ...byResource[operation.id], ...query };
    return client.send('GET', address(operation, params), { query: asked });
  };

  test.each(reads.map((operation) => [`GET ${operation.path}`, operation] as const))('%s', async (_name, operation) => {
    for (const version of ['2026-04-28', '2026-04-16']) {
      for (const query of queries) {
        const client = yankee.client.with({ version });
        const { text } = await read(operation, client, query, yankee);
        // A response may repeat what the caller sent.
        const sent = [...Object.values(query), ...(operation.tag === 'Audit' ? namesTried : [])];
        const told = zulu.marks.filter((mark) => !sent.some((text) => text.includes(mark)));
        for (const mark of told) expect(text.includes(mark), `${mark} of the other tenant in ${text}`).toBe(false);
      }
    }
  });

  test('while each tenant does see its own, so the test above looks at something', async () => {
    const silent: string[] = [];
    for (const operation of reads) {
      const { text } = await read(operation, zulu.client, {}, zulu);
      if (!zulu.marks.some((mark) => text.includes(mark))) silent.push(operation.id);
    }
    expect(silent.filter((id) => !sameForEverybody.has(id)).toSorted()).toEqual([]);
  });
});
