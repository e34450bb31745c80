// Every operation of the management API, called once by each client, and its answer held against its schema.
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { kindOperations, type Operation, operations } from '@berth/contract';
import { Berth, type BerthError, type OperationId } from 'berth-sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { python, pythonProgram } from '../../../engines/python.ts';
import { checkAnswer } from '../../harness/check-answer.ts';
import { requiredQuery } from '../../harness/required-query.ts';
import {
  addAccount,
  addCall,
  addStatement,
  createEverything,
  itemBody,
  itemName,
  tenantRegions,
} from '../../harness/tenant.ts';
import { startTestApi, type TestApi } from '../../harness/test-api.ts';

const clientFolder = resolve(import.meta.dirname, '../../../clients/python');
const run = promisify(execFile);

let api: TestApi;

beforeAll(async () => {
  await python.install();
  api = await startTestApi({ config: { regions: tenantRegions, dnsServers: ['127.0.0.1:1'] }, clickhouse: 'own' });
});
afterAll(() => api?.[Symbol.asyncDispose]());

interface Request {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Reads before writes, and deletions at the end: of what lies in something else before that. */
const rank = ({ method, path, id }: Operation): number =>
  ({ GET: 0, PUT: 1, POST: 2, DELETE: 3 })[method] * 1_000 -
  path.split('/').length +
  (id === 'leaveWorkspace' ? 1e6 : 0);

const kindBodies = new Map(
  kindOperations.map(({ kind, verb, operation }) => [
    operation.id,
    verb === 'create'
      ? itemBody(kind, itemName(kind, 'made'), 'made')
      : { metadata: {}, spec: itemBody(kind, itemName(kind, 'made'), 'made').spec },
  ]),
);
const otherBodies = (word: string): Readonly<Record<string, unknown>> => ({
  createJobExecution: { tasks: [{}] },
  createProfileKey: { name: 'made', expires_in: '30d' },
  createServiceAccount: { name: 'made' },
  createServiceAccountKey: { name: 'made' },
  createWorkspace: { name: `${word}-made` },
  inviteUser: { email: 'invited@example.com', role: 'member' },
  putBudget: { amount: 7 },
  updateServiceAccount: { name: 'changed' },
  updateUserRole: { role: 'admin' },
});

async function startTenant(word: string) {
  const account = await addAccount(api, word);
  const own = await createEverything(account.client, word);
  const params: Readonly<Record<string, string>> = {
    ...own,
    ...(await addCall(api, account, word)),
    workspaceName: account.workspace,
    workspace: account.workspace,
    accountId: account.accountId,
    month: await addStatement(api, account),
    ...{ modelId: 'offered', templateName: 'agent-http', integrationName: 'github', featureKey: 'known' },
  };
  const requests = operations
    .toSorted((one, other) => rank(one) - rank(other))
    .map(
      (operation): Request => ({
        id: operation.id,
        params: Object.fromEntries(
          [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, params[name] ?? 'none']),
        ),
        query: requiredQuery[operation.id] ?? {},
        body:
          operation.body === undefined
            ? undefined
            : (kindBodies.get(operation.id) ?? otherBodies(word)[operation.id] ?? {}),
      }),
    );
  return { account, requests };
}

interface Reached {
  readonly status: number;
  readonly body?: unknown;
  readonly code?: string;
}

/** Returns the ids of the operations that succeeded. */
function checkReached(answers: Readonly<Record<string, Reached>>): string[] {
  expect(Object.keys(answers).toSorted()).toEqual(operations.map(({ id }) => id).toSorted());
  const refused: string[] = [];
  for (const operation of operations) {
    const { status, body, code } = answers[operation.id] ?? { status: 0 };
    if (status === 200) checkAnswer(operation, 200, body === null ? undefined : body);
    else refused.push(`${operation.id}: ${status} ${code}`);
  }
  // Each refusal is one of the service, with a code of its own, and no address that is not there.
  expect(refused.filter((text) => !/: 4\d\d [a-z_]+$|: 503 [a-z_]+$/i.test(text) || / http_\d+$/.test(text))).toEqual(
    [],
  );
  expect(refused.filter((text) => text.endsWith('404 route_not_found'))).toEqual([]);
  return operations.map(({ id }) => id).filter((id) => answers[id]?.status === 200);
}

async function byTypescript(): Promise<string[]> {
  const { account, requests } = await startTenant('typescript');
  const berth = new Berth({ url: api.url, key: account.key, workspace: account.workspace, maxTries: 1 });
  const answers: Record<string, Reached> = {};
  for (const { id, ...given } of requests)
    answers[id] = await berth.request(id as OperationId, given as never).then(
      (body: unknown) => ({ status: 200, body }),
      (error: BerthError) => ({ status: error.status ?? 0, code: error.code }),
    );
  return checkReached(answers);
}

async function byPython(): Promise<string[]> {
  const { account, requests } = await startTenant('python');
  const file = join(tmpdir(), `berth-requests-${process.pid}.json`);
  await writeFile(file, JSON.stringify(requests));
  const settings = { url: api.url, key: account.key, workspace: account.workspace };
  const { stdout } = await run(await pythonProgram('python'), [join(clientFolder, 'tests/every_operation.py'), file], {
    env: {
      PATH: '/usr/bin:/bin',
      PYTHONPATH: join(clientFolder, 'src'),
      PYTHONDONTWRITEBYTECODE: '1',
      STORY: JSON.stringify(settings),
    },
    maxBuffer: 64 * 1024 * 1024,
  });
  await rm(file);
  return checkReached(JSON.parse(stdout));
}

test('both clients reach every operation, and read the same answers', async () => {
  const [typescript, fromPython] = [await byTypescript(), await byPython()];
  console.log(
    `${operations.length} operations; ${typescript.length} succeed in TypeScript, ${fromPython.length} in Python`,
  );
  expect(fromPython).toEqual(typescript);
  expect(typescript.length).toBeGreaterThan(operations.length * 0.7);
});
