// The api as an operator runs it, in its own process, on a PostgreSQL with durable writes.
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiConfig, createWorkspace } from '@berth/api';
import { defaultBrand } from '@berth/contract';
import { connect, migrate } from '@berth/database';
import { createKeyring, firstRun, masterKeyRing } from '@berth/identity';
import { postgres } from './postgres.ts';
import { runFolder } from './run.ts';
import { type ServerProcess, startServer } from './server-process.ts';

export interface Deployment extends AsyncDisposable {
  readonly url: string;
  readonly key: string;
  readonly ownerId: string;
  /** Ids of the workspaces named at the start, in that order. */
  readonly workspaceIds: readonly string[];
  /** Starts a server; several may run at a time. */
  serve(): Promise<ServerProcess>;
}

export async function startDeployment(name: string, workspaces: readonly string[]): Promise<Deployment> {
  const folder = await runFolder(`deployment-${name}-${process.pid}`);
  const dataFolder = join(folder, postgres.name);
  const engine = await postgres.start({ dataFolder, durable: true });
  await migrate(engine.url);
  const masterKey = randomBytes(32);
  const database = connect({ url: engine.url, maxConnections: 2 });
  const keyring = createKeyring(masterKeyRing([{ id: 'bench', key: masterKey }]));
  const owner = await firstRun(database, keyring, defaultBrand, {
    email: 'bench@example.com',
    accountName: 'Bench',
    tier: 'tier_9',
    plan: 'bench',
  });
  const config = ApiConfig.parse({});
  const workspaceIds: string[] = [];
  for (const workspace of workspaces) {
    workspaceIds.push(
      await createWorkspace(database, keyring, config, {
        name: workspace,
        accountId: owner.accountId,
        ownerId: owner.userId,
      }),
    );
  }
  await database.destroy();
  const env = {
    BERTH_POSTGRES_URL: engine.url,
    BERTH_MASTER_KEYS: JSON.stringify([{ id: 'bench', key: masterKey.toString('base64') }]),
  };
  return {
    url: engine.url,
    key: owner.apiKey,
    ownerId: owner.userId,
    workspaceIds,
    serve: () => serve(env),
    async [Symbol.asyncDispose]() {
      await engine.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function serve(env: Readonly<Record<string, string>>): Promise<ServerProcess> {
  return startServer({
    roles: 'api',
    env: {
      ...env,
      BERTH_API_PORT: '0',
      BERTH_HEALTH_PORTS_API: '0',
      BERTH_API_NODE_ENABLED: 'false',
      // A bench sends all its requests with one key.
      BERTH_API_RATE_LIMITS_PER_KEY_PER_SECOND: '0',
    },
    log: () => {},
  });
}
