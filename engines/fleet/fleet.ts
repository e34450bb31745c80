// A whole deployment as an operator runs it: PostgreSQL, Restate, ClickHouse, api, orchestrator and machines with
// runners. Each is a separate process that can be killed and started again.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ApiConfig, createWorkspace } from '@berth/api';
import { defaultBrand } from '@berth/contract';
import { connect, type Database, migrate } from '@berth/database';
import { createJoinToken, createKeyring, createNodeAuthority, firstRun, masterKeyRing } from '@berth/identity';
import { sql } from 'kysely';
import { clickhouse } from '../clickhouse.ts';
import { docker } from '../docker.ts';
import type { Engine } from '../engine.ts';
import { freePort } from '../free-port.ts';
import { buildGuest } from '../guest/runtime.ts';
import { installedRunsc } from '../gvisor.ts';
import { postgres } from '../postgres.ts';
import { restate } from '../restate.ts';
import { runFolder } from '../run.ts';
import { ServerProcess } from '../server-process.ts';
import { removeEngines } from '../sweep.ts';
import { type Killable, startKillable } from './killable.ts';
import { type EngineSettings, Machine } from './machine.ts';

export type FleetOptions = {
  name: string;
  workspaces: readonly string[];
  machines: number;
  /** Number of gateways, or a list with the variables of each. */
  gateways?: number | readonly Variables[];
  /** All gateways then have the same address. */
  gatewaysShareOnePort?: boolean;
  /** Variables of the server, for all roles. */
  settings?: Variables;
  /** PostgreSQL of another version than the chosen one. */
  database?: Engine;
  /** Engine settings of each machine. */
  engine?: EngineSettings;
  /** Prepares a machine before its runner starts, for example with images. */
  prepare?: (machine: Machine) => Promise<unknown>;
};

type Variables = Readonly<Record<string, string>>;

const connectTimeoutSeconds = 60;

export type FleetGateway = { readonly url: string; readonly process: ServerProcess };

export type GatewayPlace = {
  /** Runs the gateway in this machine's network, where its containers are. */
  inside?: Machine;
  settings?: Variables;
};

export type Fleet = AsyncDisposable & {
  readonly folder: string;
  readonly url: string;
  readonly key: string;
  readonly database: Database;
  readonly workspaceIds: readonly string[];
  readonly postgres: Killable;
  readonly restate: Killable & { readonly dataFolder: string };
  readonly clickhouse: Killable;
  /** Variables of the api and the orchestrator. */
  readonly env: Variables;
  readonly api: ServerProcess;
  readonly orchestrator: ServerProcess;
  readonly machines: readonly Machine[];
  readonly gateways: readonly FleetGateway[];
  /** Port of the api for runners, on every address of this machine. */
  readonly nodePort: number;
  /** For a machine outside the fleet. */
  createJoinToken(): Promise<string>;
  /** Starts an additional gateway. */
  startGateway(place?: GatewayPlace): Promise<FleetGateway>;
};

export async function startFleet({
  name,
  workspaces,
  machines: count,
  gateways: wanted = 0,
  gatewaysShareOnePort = false,
  settings,
  database: databaseEngine = postgres,
  engine,
  prepare = async () => {},
}: FleetOptions): Promise<Fleet> {
  await using made = new AsyncDisposableStack();
  const folder = await runFolder(`fleet-${name}-${process.pid}`);
  made.defer(() => removeEngines(folder));
  const port = await freePort();
  const [records, work, ledger] = await Promise.all([
    startKillable(databaseEngine, { dataFolder: join(folder, postgres.name), durable: true, port }),
    startKillable(restate, { dataFolder: join(folder, restate.name) }),
    startKillable(clickhouse, { dataFolder: join(folder, clickhouse.name) }),
  ]);
  await migrate(records.url);
  const database = made.adopt(connect({ url: records.url, maxConnections: 4 }), (open) => open.destroy());
  const masterKey = randomBytes(32);
  const owner = await prepareTenant(database, masterKey, workspaces);

  const ports = { api: await freePort(), node: await freePort(), handlers: await freePort() };
  const env = {
    BERTH_POSTGRES_URL: records.url,
    BERTH_MASTER_KEYS: JSON.stringify([{ id: 'fleet', key: masterKey.toString('base64') }]),
    BERTH_RESTATE_INGRESS_URL: work.first.ingressUrl,
    BERTH_RESTATE_ADMIN_URL: work.first.adminUrl,
    BERTH_CLICKHOUSE_URL: ledger.url,
    BERTH_API_PORT: String(ports.api),
    BERTH_API_NODE_HOST: '0.0.0.0',
    BERTH_API_NODE_PORT: String(ports.node),
    BERTH_ORCHESTRATOR_PORT: String(ports.handlers),
    BERTH_HEALTH_PORTS_API: '0',
    BERTH_HEALTH_PORTS_ORCHESTRATOR: '0',
    // Scaling must not disturb tests of other features.
    BERTH_SCALING_IDLE_SECONDS: '3600',
    // A developer's machine may not have gVisor.
    ...((await installedRunsc()) === undefined && { BERTH_PLACEMENT_RUNC_FOR: 'everything' }),
    // A bench sends all its requests with one key.
    BERTH_API_RATE_LIMITS_PER_KEY_PER_SECOND: '0',
    BERTH_GATEWAY_RATE_LIMITS_PER_KEY_PER_SECOND: '0',
    ...settings,
  };
  const server = (role: string): ServerProcess =>
    made.use(new ServerProcess({ roles: role, env, log: join(folder, `${role}.log`) }));
  const api = server('api');
  const orchestrator = server('orchestrator');

  const newJoinToken = () => createJoinToken(database, owner.authority, { region: 'local', lifeSeconds: 3_600 });
  const guestFolder = await buildGuest();
  const machines: Machine[] = [];
  for (let number = 1; number <= count; number += 1) {
    const machine = new Machine({
      name: `machine-${number}`,
      folder,
      dockerFolder: await runFolder(`${docker.name}-${process.pid}-${number}`),
      number,
      nodePort: ports.node,
      joinToken: await newJoinToken(),
      guestFolder,
      ...(settings && { settings }),
      ...(engine && { engine }),
    });
    machines.push(made.use(machine));
  }
  // In parallel: most of a start is spent waiting.
  await Promise.all([
    ...[api, orchestrator].map((role) => role.start()),
    ...machines.map((machine) => machine.prepare().then(() => prepare(machine))),
  ]);

  const sharedPort = await freePort();
  let started = 0;
  async function startGateway({ inside, settings: own }: GatewayPlace = {}): Promise<FleetGateway> {
    started += 1;
    const log = join(folder, `gateway-${started}.log`);
    const gatewayPort = String(gatewaysShareOnePort ? sharedPort : await freePort());
    const process = kept.use(
      new ServerProcess({
        roles: 'gateway',
        env: {
          ...env,
          BERTH_GATEWAY_PORT: gatewayPort,
          BERTH_HEALTH_PORTS_GATEWAY: '0',
          ...(inside && { BERTH_POSTGRES_URL: throughSocket(records.url, join(folder, postgres.name)) }),
          ...own,
        },
        log,
        ...(inside && { netns: inside.netns }),
      }),
    );
    await process.start();
    const scheme = own !== undefined && 'BERTH_GATEWAY_TLS_CERT_FILE' in own ? 'https' : 'http';
    return { url: `${scheme}://127.0.0.1:${gatewayPort}`, process };
  }
  let kept = made;
  const eachGateway = typeof wanted === 'number' ? Array.from({ length: wanted }, (): Variables => ({})) : wanted;
  const [gateways] = await Promise.all([
    Promise.all(eachGateway.map((own) => startGateway({ settings: own }))),
    ...machines.map(({ runner }) => runner.start()),
  ]);
  await untilConnected(database, machines.length);

  kept = made.move();
  return {
    folder,
    url: `http://127.0.0.1:${ports.api}`,
    key: owner.apiKey,
    database,
    workspaceIds: owner.workspaceIds,
    postgres: records,
    restate: { ...work, dataFolder: join(folder, restate.name, 'data') },
    clickhouse: ledger,
    env,
    api,
    orchestrator,
    machines,
    gateways,
    nodePort: ports.node,
    createJoinToken: newJoinToken,
    startGateway,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A runner is ready before the api knows it; until then nothing can be placed on it. */
async function untilConnected(database: Database, count: number): Promise<void> {
  const deadline = Date.now() + connectTimeoutSeconds * 1_000;
  for (;;) {
    const { rows } = await sql`select 1 from runners where status = 'up'`.execute(database);
    if (rows.length >= count) return;
    if (Date.now() > deadline) throw new Error(`${rows.length} of ${count} runners are connected to the api.`);
    await sleep(20);
  }
}

/** Inside a network namespace, loopback is a different network; a unix socket is a file and works there too. */
function throughSocket(url: string, folder: string): string {
  const place = new URL(url);
  place.searchParams.set('host', folder);
  return place.href;
}

async function prepareTenant(database: Database, masterKey: Buffer, workspaces: readonly string[]) {
  const masterKeys = masterKeyRing([{ id: 'fleet', key: masterKey }]);
  const keyring = createKeyring(masterKeys);
  const owner = await firstRun(database, keyring, defaultBrand, {
    email: 'fleet@example.com',
    accountName: 'Fleet',
    tier: 'tier_9',
    plan: 'fleet',
  });
  const config = ApiConfig.parse({});
  const workspaceIds: string[] = [];
  for (const name of workspaces) {
    const place = { name, accountId: owner.accountId, ownerId: owner.userId };
    workspaceIds.push(await createWorkspace(database, keyring, config, place));
  }
  return { apiKey: owner.apiKey, workspaceIds, authority: await createNodeAuthority(database, masterKeys) };
}
