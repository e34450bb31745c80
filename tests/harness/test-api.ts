// A real api on its own real database, with users to call it.
import { randomBytes } from 'node:crypto';
import { ApiConfig, createWorkspace, startApi } from '@berth/api';
import type { Brand } from '@berth/contract';
import { connect, type Database } from '@berth/database';
import { createKeyring, createUser, firstRun, type MasterKeyRing, masterKeyRing } from '@berth/identity';
import { PlacementConfig } from '@berth/instances';
import { createLogger, createMetricsRegistry } from '@berth/telemetry';
import type { z } from 'zod';
import { startTestClickhouse } from '../../engines/test-clickhouse.ts';
import { createTestDatabase } from '../../engines/test-database.ts';
import { Client } from './client.ts';
import { conformanceBrand } from './conformance-brand.ts';

export interface TestApi extends AsyncDisposable {
  readonly url: string;
  readonly databaseUrl: string;
  /** Address that runners connect to, if the config enables it. */
  readonly nodeUrl: string;
  readonly masterKeys: MasterKeyRing;
  /** The same for the environment of a process. */
  readonly masterKeysVariable: string;
  readonly database: Database;
  readonly accountId: string;
  /** Account admin and admin of the first workspace. */
  readonly admin: Client;
  readonly adminKey: string;
  readonly workspace: string;
  /** A user of the account (or of none) with a personal key. */
  user(options?: {
    account?: 'admin' | 'member' | 'none';
    memberOf?: string;
    role?: 'member' | 'admin';
  }): Promise<{ key: string; client: Client; id: string; email: string }>;
  /** A further workspace of the first account, owned by the admin. */
  addWorkspace(name: string): Promise<void>;
  /** Moves the api's clock. */
  advance(ms: number): void;
}

export interface TestApiOptions {
  readonly config?: z.input<typeof ApiConfig>;
  /** By default, sandboxes that name no image get one. */
  readonly placement?: z.input<typeof PlacementConfig>;
  /** By default, only addresses on the internet are called. */
  readonly providers?: Parameters<typeof startApi>[0]['providers'];
  readonly brand?: Brand;
  readonly tier?: string;
  /** Without one, output of workloads is not stored; `own` is started and ended with the api. */
  readonly clickhouse?: 'own' | { readonly url: string };
}

const testPlacement = { imageRegistry: 'images.example.net', sandboxes: { defaultImage: 'example/sandbox:1' } };

export const testMasterKeys = (key = randomBytes(32)) => masterKeyRing([{ id: 'test', key }]);

export async function startTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  const testDatabase = await createTestDatabase();
  const masterKey = randomBytes(32);
  const masterKeys = testMasterKeys(masterKey);
  const brand = options.brand ?? conformanceBrand();
  const config = ApiConfig.parse({ port: 0, node: { enabled: false }, ...options.config, brand });
  const ownClickhouse = options.clickhouse === 'own' ? await startTestClickhouse() : undefined;
  const clickhouse = options.clickhouse === 'own' ? ownClickhouse : options.clickhouse;
  let offsetMs = 0;
  const api = await startApi({
    config,
    placement: PlacementConfig.parse(options.placement ?? testPlacement),
    ...(options.providers && { providers: options.providers }),
    databaseUrl: testDatabase.url,
    masterKeys,
    clickhouse: { url: clickhouse?.url },
    logger: createLogger({ role: 'api' }, { level: 'error' }),
    registry: createMetricsRegistry({ role: 'api' }),
    now: () => Date.now() + offsetMs,
  });
  const database = connect({ url: testDatabase.url, maxConnections: 4 });
  const keyring = createKeyring(masterKeys);
  const owner = await firstRun(database, keyring, brand, {
    email: 'owner@example.com',
    accountName: 'Example',
    tier: options.tier ?? 'tier_9',
    plan: 'self-hosted',
  });
  const workspace = 'main';
  const addWorkspace = (name: string) =>
    createWorkspace(database, keyring, config, { name, accountId: owner.accountId, ownerId: owner.userId });
  await addWorkspace(workspace);
  const clientOf = (key: string, place?: string) =>
    new Client({ url: api.address, brand, key, workspace: place, version: '2026-04-28' });

  return {
    url: api.address,
    databaseUrl: testDatabase.url,
    nodeUrl: api.nodeAddress ?? '',
    masterKeys,
    masterKeysVariable: JSON.stringify([{ id: 'test', key: masterKey.toString('base64') }]),
    database,
    accountId: owner.accountId,
    admin: clientOf(owner.apiKey, workspace),
    adminKey: owner.apiKey,
    workspace,
    async user({ account = 'none', memberOf, role = 'member' } = {}) {
      const email = `user-${randomBytes(6).toString('hex')}@example.com`;
      const made = await createUser(database, brand, {
        email,
        ...(account === 'none' ? {} : { accountId: owner.accountId, accountRole: account }),
      });
      if (memberOf !== undefined) {
        const { id } = await database
          .selectFrom('workspaces')
          .select('id')
          .where('name', '=', memberOf)
          .executeTakeFirstOrThrow();
        await database
          .insertInto('workspace_members')
          .values({ workspace_id: id, user_id: made.userId, role })
          .execute();
      }
      return { key: made.apiKey, id: made.userId, email, client: clientOf(made.apiKey, memberOf) };
    },
    async addWorkspace(name) {
      await addWorkspace(name);
    },
    advance(ms) {
      offsetMs += ms;
    },
    async [Symbol.asyncDispose]() {
      await api.stop();
      await database.destroy();
      await testDatabase.drop();
      await ownClickhouse?.[Symbol.asyncDispose]();
    },
  };
}
