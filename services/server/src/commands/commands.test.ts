// The operator's commands on a real database, with a collected standard output.
import { randomBytes } from 'node:crypto';
import { ApiConfig } from '@berth/api';
import { connect, type Database, uuidv7 } from '@berth/database';
import { createAuthenticator, createKeyring, masterKeyRing } from '@berth/identity';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../../engines/test-database.ts';
import { runCommand } from '../../test/run-command.ts';

let testDatabase: TestDatabase;
let database: Database;
let masterKeys: { id: string; key: Buffer }[];
beforeEach(async () => {
  testDatabase = await createTestDatabase();
  database = connect({ url: testDatabase.url, maxConnections: 2 });
  masterKeys = [{ id: 'first', key: randomBytes(32) }];
});
afterEach(async () => {
  await database.destroy();
  await testDatabase.drop();
});

const run = (name: string, ...argv: string[]): Promise<string[]> =>
  runCommand(name, { postgres: { url: testDatabase.url }, masterKeys, api: ApiConfig.parse({}) }, ...argv);

const init = (...more: string[]) =>
  run('init', '--email', 'ada@example.com', '--account', 'Ada', '--workspace', 'first-space', ...more);

const keyIn = (lines: string[]): string => /service_\w{46}/.exec(lines.join('\n'))?.[0] ?? '';
const whoHas = (key: string) => createAuthenticator(database).authenticate(key);

describe('init', () => {
  test('makes an account, its admin and a ready workspace, and prints a key that works', async () => {
    const principal = await whoHas(keyIn(await init()));
    expect(principal).toMatchObject({
      email: 'ada@example.com',
      memberships: [{ workspaceName: 'first-space', role: 'admin' }],
      accounts: [{ role: 'admin' }],
    });
    const workspace = await database.selectFrom('workspaces').select(['status', 'region']).executeTakeFirst();
    expect(workspace).toEqual({ status: 'ready', region: 'local' });
  });

  test('runs once: afterwards it refuses, or does nothing when asked to run only if needed', async () => {
    await init();
    await expect(init()).rejects.toThrow('has an account already');
    expect(await init('--if-needed')).toEqual([]);
    expect(await database.selectFrom('api_keys').select('id').execute()).toHaveLength(1);
  });

  test('with a forbidden workspace name leaves nothing behind', async () => {
    const argv = ['--email', 'ada@example.com', '--account', 'Ada', '--workspace', 'api'];
    await expect(run('init', ...argv)).rejects.toThrow('api is reserved. Choose another name.');
    expect(await database.selectFrom('accounts').select('id').execute()).toEqual([]);
  });

  test('names the flag that is missing or unknown', async () => {
    await expect(run('init', '--email', 'ada@example.com')).rejects.toThrow('--account is missing');
    await expect(init('--nonsense', 'x')).rejects.toThrow('--nonsense');
  });
});

describe('create-user', () => {
  test('makes a user of no account, or with a role in the only account', async () => {
    await init();
    const nobody = await whoHas(keyIn(await run('create-user', '--email', 'bob@example.com')));
    expect(nobody).toMatchObject({ email: 'bob@example.com', accounts: [], memberships: [] });
    const admin = await whoHas(
      keyIn(await run('create-user', '--email', 'eve@example.com', '--account-role', 'admin')),
    );
    expect(admin).toMatchObject({ accounts: [{ role: 'admin' }] });
  });

  test('names the next step when the role, the account or the address is not valid', async () => {
    const create = (...more: string[]) => run('create-user', '--email', 'bob@example.com', ...more);
    await expect(create('--account-role', 'admin')).rejects.toThrow('Run init first.');
    await init();
    await expect(create('--account-role', 'owner')).rejects.toThrow('--account-role:');
    await expect(create('--account', 'nonsense')).rejects.toThrow('There is no account nonsense');
    await expect(run('create-user', '--email', 'ada@example.com')).rejects.toThrow('exists already');
    const about = { display_name: 'B', owner_email: 'b@example.com', plan: 'free', tier: 'tier_0' };
    await database
      .insertInto('accounts')
      .values({ id: crypto.randomUUID(), ...about })
      .execute();
    await expect(create('--account-role', 'member')).rejects.toThrow('Say which one with --account');
  });
});

test('create-key prints another key of a user, and nothing else', async () => {
  const first = keyIn(await init());
  const lines = await run('create-key', '--email', 'Ada@example.com', '--expires-in', '30d');
  expect(lines).toEqual([keyIn(lines)]);
  expect(keyIn(lines)).not.toBe(first);
  expect(await whoHas(keyIn(lines))).toMatchObject({ email: 'ada@example.com' });
  await expect(run('create-key', '--email', 'nobody@example.com')).rejects.toThrow('create them with create-user');
  await expect(run('create-key', '--email', 'ada@example.com', '--expires-in', '1y')).rejects.toThrow('--expires-in:');
});

test('rotate-keys gives every data key to the first master key, then reports 0', async () => {
  await init();
  masterKeys = [{ id: 'second', key: randomBytes(32) }, ...masterKeys];
  expect(await run('rotate-keys')).toEqual(['2 data keys rewrapped']);
  expect(await run('rotate-keys')).toEqual(['0 data keys rewrapped']);
  const { id } = await database.selectFrom('workspaces').select('id').executeTakeFirstOrThrow();
  const keyring = createKeyring(masterKeyRing(masterKeys.slice(0, 1)));
  expect(await keyring.workspaceKey(database, id)).toHaveLength(32);
});

describe('runners', () => {
  const addRunner = async (name: string): Promise<string> => {
    const id = uuidv7();
    const runner = { id, name, region: 'local', status: 'up' as const, memory_mb: 4_096, isolation: ['runc'] };
    await database.insertInto('runners').values(runner).execute();
    return id;
  };
  const addInstance = (runnerId: string, endedAt: Date | null) =>
    database
      .insertInto('instances')
      .values({
        id: uuidv7(),
        workspace_id: uuidv7(),
        resource_uid: uuidv7(),
        revision: 'rev-1',
        runner_id: runnerId,
        spec: '{}',
        reserved_mb: 0,
        ended_at: endedAt,
      })
      .execute();

  test('a join token is made for a region that exists, and for no other', async () => {
    const [token = ''] = await run('create-join-token', '--region', 'local');
    expect(token).toMatch(/^[\w-]+\.[0-9a-f]{64}$/);
    expect(await database.selectFrom('runner_tokens').select('region').execute()).toEqual([{ region: 'local' }]);
    await expect(run('create-join-token', '--region', 'moon')).rejects.toThrow('Choose one of: local');
  });

  test('the machines are listed with what they run', async () => {
    expect((await run('list-runners')).at(-1)).toContain('create-join-token');
    await addInstance(await addRunner('first'), null);
    const [, line = ''] = await run('list-runners');
    expect(line.split(/ {2,}/)).toEqual(['first', 'local', 'up', '1', '0 of 4096 MB', 'runc', 'always']);
  });

  test('a machine is removed once nothing runs on it', async () => {
    const id = await addRunner('old');
    await addInstance(id, null);
    await expect(run('remove-runner', '--name', 'old')).rejects.toThrow('still holds 1 instances');
    await database.updateTable('instances').set({ ended_at: new Date() }).execute();
    await run('remove-runner', '--name', 'old');
    expect(await database.selectFrom('runners').select('id').execute()).toEqual([]);
    await expect(run('remove-runner', '--name', 'old')).rejects.toThrow('no runner old');
  });
});
