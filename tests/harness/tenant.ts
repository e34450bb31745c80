// A tenant with one resource of every kind. All its names contain the tenant's own word: an answer to another tenant
// that contains the word is a leak.

import { type Kind, kinds } from '@berth/contract';
import { uuidv7 } from '@berth/database';
import { createUser } from '@berth/identity';
import type { Client } from './client.ts';
import { conformanceBrand } from './conformance-brand.ts';
import type { TestApi } from './test-api.ts';

/** Region with an egress pool, which egress gateways need; nothing is ever sent to its addresses. */
export const tenantRegions = [{ name: 'local', egressPools: ['203.0.113.0/24'] }];

const specs: Readonly<Record<string, (word: string) => object>> = {
  egressgateway: () => ({ region: 'local' }),
  customdomain: () => ({ domainType: 'previews' }),
  agent: (word) => ({ policies: [`${word}-policy`] }),
  preview: () => ({ port: 3000 }),
};

/** Kinds that others refer to or belong to come first. */
const rank = ({ kind, parents = [] }: Kind): number => (kind === 'policy' ? -1 : parents.length);
const inOrder: readonly Kind[] = kinds.toSorted((a, b) => rank(a) - rank(b));

export const fill = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const value = params[name];
    if (value === undefined) throw new Error(`${path}: nothing to put in the place of ${name}`);
    return encodeURIComponent(value);
  });

export const itemName = (kind: Kind, word: string): string =>
  kind.kind === 'customdomain' ? `${word}.example.com` : `${word}-${kind.kind}`;

export const itemBody = (kind: Kind, name: string, word: string) => ({
  metadata: { name, displayName: `${word} shown`, labels: { [word]: word }, externalId: `${word}-external` },
  spec: specs[kind.kind]?.(word) ?? {},
});

/** Creates one resource of every kind with everything below them; returns a value for every path parameter there is. */
export async function createEverything(client: Client, word: string): Promise<Record<string, string>> {
  const params: Record<string, string> = { externalId: `${word}-external`, resourceType: 'sandbox' };
  for (const kind of inOrder) {
    const name = itemName(kind, word);
    const created = await client.post(fill(kind.path, params), itemBody(kind, name, word));
    if (created.status !== 200) throw new Error(`${kind.kind} was not created: ${created.text}`);
    params[kind.param] = name;
  }
  const previews = `/sandboxes/${params.sandboxName}/previews/${params.previewName}`;
  const token = await client.post(`${previews}/tokens`, { metadata: { name: `${word}-token` }, spec: {} });
  if (token.status !== 200) throw new Error(`no token: ${token.text}`);
  params.tokenName = `${word}-token`;
  params.job = params.jobId ?? '';
  const execution = await client.post(`/jobs/${params.jobId}/executions`, {
    executionId: `${word}-execution`,
    tasks: [{ [word]: word }],
  });
  params.executionId = execution.body.executionId;
  const robot = await client.post('/service_accounts', { name: `${word} robot`, description: word });
  params.clientId = robot.body.client_id;
  const key = await client.post(`/service_accounts/${params.clientId}/api_keys`, { name: `${word} key` });
  params.apiKeyId = key.body.id;
  const reference = `registry.example.com/${word}/image:${word}`;
  const image = await client.post('/images', { resourceType: 'sandbox', name: `${word}-image`, image: reference });
  if (image.status !== 200) throw new Error(`no image: ${image.text}`);
  params.imageName = `${word}-image`;
  params.tagName = word;
  await client.put(
    `/volume_templates/${params.volumeTemplateName}`,
    { metadata: {}, spec: {} },
    { query: { version: word } },
  );
  params.versionName = word;
  const invited = await client.post('/users', { email: `${word}@example.com` });
  if (invited.status !== 200) throw new Error(`nobody invited: ${invited.text}`);
  params.subOrEmail = `${word}@example.com`;
  params.accountId = (await client.get('/accounts')).body[0].id;
  params.budgetName = `${word}-budget`;
  const budget = await client.put(`/accounts/${params.accountId}/budgets/${params.budgetName}`, { amount: 100 });
  if (budget.status !== 200) throw new Error(`no budget: ${budget.text}`);
  return params;
}

/** Stores a statement with one line, as orchestrators do, and returns its month. */
export async function addStatement(
  { database }: Pick<TestApi, 'database'>,
  { accountId, workspace }: Pick<FurtherAccount, 'accountId' | 'workspace'>,
): Promise<string> {
  const month = '2026-01';
  const line = { micro: '3600000000', pico: '41400000000' };
  await database.insertInto('statements').values({ account_id: accountId, month, pico: line.pico }).execute();
  await database
    .insertInto('statement_lines')
    .values({
      ...{ account_id: accountId, month, usage_month: month, workspace_id: uuidv7(), workspace },
      ...{ billing_dimension: 'sandbox_compute_runtime_gbs', ...line },
    })
    .execute();
  return month;
}

/** Adds an asynchronous call of the tenant's agent that has ended, with its callback. */
export async function addCall(
  { database }: Pick<TestApi, 'database'>,
  { accountId, workspace }: Pick<FurtherAccount, 'accountId' | 'workspace'>,
  word: string,
): Promise<{ invocationId: string; deliveryId: string }> {
  const [invocationId, deliveryId] = [uuidv7(), uuidv7()];
  const { uid, name, workspace_id } = await database
    .selectFrom('resources')
    .innerJoin('workspaces', 'workspaces.id', 'resources.workspace_id')
    .select(['resources.uid', 'resources.name', 'resources.workspace_id'])
    .where('workspaces.name', '=', workspace)
    .where('kind', '=', 'agent')
    .executeTakeFirstOrThrow();
  await database
    .insertInto('invocations')
    .values({
      ...{ id: invocationId, account_id: accountId, workspace_id, workspace_name: workspace, resource_uid: uid },
      ...{ resource_name: name, is_by_member: true, method: 'POST', path: `/${word}`, body_bytes: 0, max_runs: 1 },
      ...{ timeout_seconds: 60, trigger_id: 'hook', status: 'failed', ended_at: new Date() },
    })
    .execute();
  await database
    .insertInto('deliveries')
    .values({
      ...{ id: deliveryId, workspace_id, resource_uid: uid, trigger_id: 'hook', invocation_id: invocationId },
      ...{ url: `https://${word}.example`, host: `${word}.example`, secret: 'sealed', body: '{}' },
      given_up_at: new Date(),
    })
    .execute();
  return { invocationId, deliveryId };
}

export interface FurtherAccount {
  readonly accountId: string;
  readonly workspace: string;
  readonly client: Client;
  readonly key: string;
  readonly userId: string;
}

/** Creates a second account in the deployment, its admin, and a workspace made by the admin. */
export async function addAccount(api: Pick<TestApi, 'database' | 'admin'>, word: string): Promise<FurtherAccount> {
  const accountId = uuidv7();
  await api.database
    .insertInto('accounts')
    .values({ id: accountId, display_name: word, owner_email: `owner@${word}.example`, plan: 'free', tier: 'tier_9' })
    .execute();
  const email = `admin@${word}.example`;
  const { userId, apiKey } = await createUser(api.database, conformanceBrand(), {
    email,
    accountId,
    accountRole: 'admin',
  });
  const workspace = `${word}-space`;
  const client = api.admin.with({ key: apiKey, workspace });
  const made = await client.post('/workspaces', { name: workspace });
  if (made.status !== 200) throw new Error(`no workspace: ${made.text}`);
  return { accountId, workspace, client, key: apiKey, userId };
}
