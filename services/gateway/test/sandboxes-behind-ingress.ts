// Sandboxes as rows, and a real runner ingress in front of one process that serves for all of them.
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as sendRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { startTestIngress } from '../../runner/test/test-ingress.ts';
import { createLocalConnector } from '../src/proxy/local-connector.ts';
import { createLocalFirstConnector } from '../src/proxy/local-first-connector.ts';
import { createTunnelConnector } from '../src/proxy/tunnel-connector.ts';
import { type ApiWithWorkloads, silent, startApiWithWorkloads } from './api-with-workloads.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts';

export type Way = 'tunnel' | 'local';
export const ways: readonly Way[] = ['tunnel', 'local'];

interface Program extends Disposable {
  readonly child: ChildProcess;
  readonly apiPort: number;
  readonly appPort: number;
}

async function startProgram(): Promise<Program> {
  const child = fork(fileURLToPath(new URL('./sandbox-program.ts', import.meta.url)), [], { execArgv: [] });
  const [ports] = await once(child, 'message');
  const [apiPort = 0, appPort = 0] = ports as number[];
  return {
    ...{ child, apiPort, appPort },
    [Symbol.dispose]() {
      child.kill('SIGKILL');
    },
  };
}

interface SandboxWish {
  readonly name?: string;
  readonly ports?: readonly number[];
  readonly status?: string;
  readonly isEnabled?: boolean;
  readonly expiresInSeconds?: number;
  /** State of its instance; undefined for no instance. */
  readonly instanceState?: string | undefined;
  readonly runnerId?: string;
}

export async function startSandboxesBehindIngress() {
  const workloads = await startApiWithWorkloads();
  const program = await startProgram();
  const ingress = await startTestIngress();
  const { database } = workloads;
  const { runnerId, port } = ingress;
  await database
    .insertInto('runners')
    .values({
      ...{ id: runnerId, name: runnerId, region: 'local', status: 'up' },
      ingress_address: `127.0.0.1:${port}`,
    })
    .execute();
  const endpoint = { address: '127.0.0.1', port: program.apiPort };

  async function addInstance(uid: string, state = 'ready', on: string = runnerId): Promise<string> {
    const id = await workloads.addInstance(uid, 'boot-1', on, state);
    ingress.endpoints.set(id, endpoint);
    return id;
  }

  async function addSandbox(wish: SandboxWish = {}) {
    const { status = 'DEPLOYED', isEnabled = true, expiresInSeconds = null } = wish;
    const uid = randomUUID();
    const name = wish.name ?? `s-${uid.slice(0, 8)}`;
    const declared = (wish.ports ?? [program.appPort]).map((target) => ({ target, protocol: 'HTTP' }));
    const spec = { enabled: isEnabled, runtime: { image: 'example.org/a:1', ports: declared } };
    await sql`insert into resources
      (uid, workspace_id, kind, name, spec, state, status, created_by, updated_by, search, expires_at)
      select ${uid}, id, 'sandbox', ${name}, ${JSON.stringify(spec)}, '{"boot": 1}', ${status}, 'test', 'test', ${name},
        clock_timestamp() + make_interval(secs => ${expiresInSeconds})
      from workspaces where name = 'main'`.execute(database);
    const label = `sbx-${name}-main`;
    await database.insertInto('host_labels').values({ region: 'local', label, resource_uid: uid }).execute();
    const state = 'instanceState' in wish ? wish.instanceState : 'ready';
    const instance = state === undefined ? '' : await addInstance(uid, state, wish.runnerId);
    return { uid, name, instance, host: `${label}.local.example.org` };
  }

  async function startGateway(way: Way, options: TestGatewayOptions & { wakeMs?: number } = {}): Promise<TestGateway> {
    const { wakeMs = 60_000 } = options;
    const tunnel = createTunnelConnector({
      ...{ credentials: ingress.credentials('gateway'), wakeMs, logger: silent },
    });
    const local = createLocalConnector({
      ...{ socketPath: ingress.lease, wakeMs },
      onLeaseOver: (instance) => gateway.forwarder.forget(instance),
    });
    const connector = createLocalFirstConnector(way === 'local' ? local : undefined, tunnel);
    const gateway = await startTestGateway(workloads as ApiWithWorkloads, connector, options);
    return {
      ...gateway,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]();
        await Promise.all([local.close(), tunnel.close()]);
      },
    };
  }

  return {
    ...workloads,
    ...{ program, ingress, endpoint, addSandbox, addInstance, startGateway },
    async [Symbol.asyncDispose]() {
      await ingress[Symbol.asyncDispose]();
      program[Symbol.dispose]();
      await workloads[Symbol.asyncDispose]();
    },
  };
}

export type SandboxesBehindIngress = Awaited<ReturnType<typeof startSandboxesBehindIngress>>;

export interface Wish {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

export interface Said {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
}

/** Sends one request with an unmodified target, on its own connection. */
export function call(port: number, target: string, wish: Wish = {}): Promise<Said> {
  const { method = 'GET', body } = wish;
  // Node frames the body of some methods only with an explicit length.
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const headers = { ...length, ...wish.headers };
  return new Promise((resolve, reject) => {
    const request = sendRequest(
      { port, host: '127.0.0.1', method, path: target, headers, agent: false },
      (response) => {
        text(response).then(
          (said) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: said }),
          reject,
        );
      },
    );
    request.once('error', reject);
    request.end(body);
  });
}

/** The request as the program received it. */
export const heardIn = ({ status, body }: Said) => {
  if (status !== 200) throw new Error(`${status} ${body}`);
  return JSON.parse(body) as {
    where: 'api' | 'app';
    method: string;
    url: string;
    headers: Record<string, string>;
    rawHeaders: string[];
    bytes: number;
    sha256: string;
  };
};

/** A sandbox that sleeps as soon as no lease is held on it: the worst case for callers. */
export function keepAsleep(
  { ingress, endpoint, program }: SandboxesBehindIngress,
  instance: string,
  { wakeMs = 0, keepMs = 1_000 } = {},
) {
  const { child } = program;
  let isAsleep = false;
  let sleeps = 0;
  let wakes = 0;
  ingress.admissions.set(instance, async () => {
    if (isAsleep) {
      await sleep(wakeMs);
      child.kill('SIGCONT');
      isAsleep = false;
      wakes += 1;
    }
    return { is: 'open', endpoint, keepMs };
  });
  const looking = setInterval(() => {
    if (isAsleep || ingress.leases.count > 0) return;
    child.kill('SIGSTOP');
    isAsleep = true;
    sleeps += 1;
  }, 5);
  return {
    get isAsleep() {
      return isAsleep;
    },
    get sleeps() {
      return sleeps;
    },
    get wakes() {
      return wakes;
    },
    [Symbol.dispose]() {
      clearInterval(looking);
      child.kill('SIGCONT');
      ingress.admissions.delete(instance);
    },
  };
}
