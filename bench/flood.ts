// Known callers and key revocation while unknown callers flood the gateway. The callers request a disabled
// workload, which the gateway answers itself after it has checked key and workload: no container is needed,
// and only admission is measured.
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bytesPerMb, defaultBrand } from '@berth/contract';
import { connect, type Database } from '@berth/database';
import { createUser } from '@berth/identity';
import { startDeployment } from '../engines/deployment.ts';
import { freePort } from '../engines/free-port.ts';
import { runFolder } from '../engines/run.ts';
import { ServerProcess } from '../engines/server-process.ts';
import { Client } from '../tests/harness/client.ts';
import { heapSize } from '../tests/harness/heap-size.ts';
import { residentMb } from '../tests/harness/resident-mb.ts';
import type { Bench } from './bench.ts';
import { prepareFlood } from './flood/start-flood.ts';
import { median, quantile, rounded } from './support/statistics.ts';

const path = '/main/agents/off';
const perSecond = 2_000;
const knownCallers = 20;
/** Status with which the gateway answers an admitted caller. */
const admitted = 503;

export const flood: Bench = {
  name: 'flood',
  about: `a gateway on loopback judges ${knownCallers} known callers, quiet and under ${perSecond} requests per second with unknown keys, hosts and preview tokens`,
  async *run({ full }) {
    await using made = new AsyncDisposableStack();
    const deployment = made.use(await startDeployment('flood', ['main']));
    const server = made.use(await deployment.serve());
    const database = made.adopt(connect({ url: deployment.url, maxConnections: 2 }), (open) => open.destroy());
    const previewHost = await prepare(
      new Client({
        url: server.address,
        brand: defaultBrand,
        key: deployment.key,
        workspace: 'main',
        version: '2026-04-28',
      }),
    );
    const addMember = () => newMember(database, deployment.workspaceIds[0] ?? '');
    const [port, inspectorPort] = [await freePort(), await freePort()];
    const gateway = made.use(
      new ServerProcess({
        roles: 'gateway',
        env: {
          BERTH_POSTGRES_URL: deployment.url,
          BERTH_GATEWAY_PORT: String(port),
          BERTH_HEALTH_PORTS_GATEWAY: '0',
          NODE_OPTIONS: `--inspect=127.0.0.1:${inspectorPort}`,
        },
        log: join(await runFolder(`flood-${process.pid}`), 'gateway.log'),
      }),
    );
    await gateway.start();
    const keys = await Promise.all(Array.from({ length: knownCallers }, async () => (await addMember()).apiKey));
    const agent = new Agent({ keepAlive: true });
    made.defer(() => agent.destroy());
    const call = (key: string): Promise<number> => callOnce(agent, port, key);
    // Code is compiled and every key is cached before anything is measured.
    await measureKnown(call, keys, 5);
    const quiet = await measureKnown(call, keys, full ? 20 : 5);
    const memory = () => memoryMib(gateway.pid, inspectorPort);
    const seconds = full ? 60 : 10;
    const strangers = made.use(await prepareFlood({ port, perSecond, seconds: seconds + 2, path, previewHost }));
    const before = await memory();
    const cpuBefore = await scheduled(gateway.pid);
    const flooding = strangers.run();
    await sleep(1_000);
    const [known, revocations, early] = await Promise.all([
      measureKnown(call, keys, seconds),
      measureRevocations(call, { addMember, database }, seconds),
      sleep((seconds * 1_000) / 3).then(memory),
    ]);
    const cpuAfter = await scheduled(gateway.pid);
    const late = await memory();
    const told = await flooding;
    const [p50, quietP50] = [median(known.times), median(quiet.times)];
    yield {
      name: 'known callers: p50 in the flood / quiet',
      value: p50 / quietP50,
      unit: 'x',
      // On a machine with busy cores this measures the other load; the gateway's wait for a core is reported below.
      bound: { atMost: 2 },
      detail: {
        quietMs: rounded(quietP50),
        floodMs: rounded(p50),
        quietP99Ms: rounded(quantile(quiet.times, 0.99)),
        floodP99Ms: rounded(quantile(known.times, 0.99)),
        requests: known.times.length,
      },
    };
    yield {
      name: 'known callers: share that was not admitted',
      value: known.refused / known.times.length,
      unit: 'x',
      bound: { atMost: 0 },
    };
    yield {
      name: 'a revoked key: last request that was admitted, after the revocation',
      value: Math.max(...revocations.admittedMs),
      unit: 'ms',
      bound: { atMost: 1_000 },
      detail: { keys: revocations.admittedMs.length, firstCallsTried: revocations.firstCalls },
    };
    yield {
      name: 'what the gateway holds after a collection: end of the flood / a third into it',
      value: late.heldMib / early.heldMib,
      unit: 'x',
      // The cache of unknown callers is bounded, and full after a quarter of a minute.
      ...(full ? { bound: { atMost: 1.1 } } : {}),
      detail: {
        ...{ quietMib: before.heldMib, earlyMib: early.heldMib, lateMib: late.heldMib },
        quietResidentMib: before.residentMib,
        earlyResidentMib: early.residentMib,
        lateResidentMib: late.residentMib,
      },
    };
    const answered = Object.values(told.statuses).reduce((sum, count) => sum + count, 0) + known.times.length;
    const ranMs = cpuAfter.ranMs - cpuBefore.ranMs;
    yield {
      name: 'CPU of the gateway a request',
      value: (ranMs * 1_000) / answered,
      unit: 'µs',
      // `waitedForACoreMs` is time in which the gateway could have run while the machine
      // gave the core to other processes.
      detail: { ranMs: Math.round(ranMs), waitedForACoreMs: Math.round(cpuAfter.waitedMs - cpuBefore.waitedMs) },
    };
    yield {
      name: 'flood that was sent',
      value: told.sent / (seconds + 2),
      unit: 'per second',
      detail: { notSent: told.late, connections: told.opened, ...told.statuses },
    };
    yield {
      name: 'CPU of the program that sends it, a request',
      value: (told.cpuMs * 1_000) / told.sent,
      unit: 'µs',
    };
  },
};

/** Creates a disabled agent and a private preview; returns the host of the preview. */
async function prepare(admin: Client): Promise<string> {
  const made = [
    await admin.post('/agents', {
      metadata: { name: 'off' },
      spec: { enabled: false, runtime: { image: 'registry.example.org/a:1' } },
    }),
    await admin.post('/sandboxes', {
      metadata: { name: 'box' },
      spec: { runtime: { image: 'registry.example.org/a:1' } },
    }),
    await admin.post('/sandboxes/box/previews', { metadata: { name: 'app' }, spec: { port: 3000 } }),
  ];
  for (const { status, text } of made) if (status !== 200) throw new Error(text);
  return new URL(made[2]?.body.spec.url).host;
}

async function newMember(database: Database, workspaceId: string): Promise<{ apiKey: string; userId: string }> {
  const made = await createUser(database, defaultBrand, { email: `${randomUUID()}@example.com` });
  const row = { workspace_id: workspaceId, user_id: made.userId, role: 'member' as const };
  await database.insertInto('workspace_members').values(row).execute();
  return made;
}

const callOnce = (agent: Agent, port: number, key: string): Promise<number> =>
  new Promise((answered, failed) => {
    get({ host: '127.0.0.1', port, path, agent, headers: { authorization: `Bearer ${key}` } }, (response) => {
      response.resume().on('end', () => answered(response.statusCode ?? 0));
    }).on('error', failed);
  });

/** Sends a hundred requests a second, spread over all keys. */
async function measureKnown(
  call: (key: string) => Promise<number>,
  keys: readonly string[],
  seconds: number,
): Promise<{ times: number[]; refused: number }> {
  const times: number[] = [];
  let refused = 0;
  const open: Promise<void>[] = [];
  const endAt = performance.now() + seconds * 1_000;
  for (let sent = 0; performance.now() < endAt; sent += 1) {
    const sentAt = performance.now();
    open.push(
      call(keys[sent % keys.length] ?? '').then((status) => {
        times.push(performance.now() - sentAt);
        if (status !== admitted) refused += 1;
      }),
    );
    await sleep(10);
  }
  await Promise.all(open);
  return { times, refused };
}

/**
 * Creates, uses and revokes keys one after the other. The gateway does not know a new key until it has checked it once.
 */
async function measureRevocations(
  call: (key: string) => Promise<number>,
  { addMember, database }: { addMember: () => ReturnType<typeof newMember>; database: Database },
  seconds: number,
): Promise<{ admittedMs: number[]; firstCalls: number }> {
  const admittedMs: number[] = [];
  let firstCalls = 0;
  const endAt = performance.now() + seconds * 1_000;
  while (performance.now() < endAt) {
    const { apiKey: key, userId } = await addMember();
    do {
      firstCalls += 1;
    } while ((await call(key)) !== admitted && performance.now() < endAt);
    await database.deleteFrom('api_keys').where('user_id', '=', userId).execute();
    const revokedAt = performance.now();
    let lastMs = 0;
    for (let sentMs = 0; (await call(key)) === admitted; sentMs = performance.now() - revokedAt) {
      lastMs = sentMs;
      await sleep(10);
    }
    admittedMs.push(lastMs);
  }
  return { admittedMs, firstCalls };
}

/** CPU time and run-queue wait of the main thread, from the kernel. */
async function scheduled(pid: number): Promise<{ ranMs: number; waitedMs: number }> {
  const [ran = Number.NaN, waited = Number.NaN] = (await readFile(`/proc/${pid}/schedstat`, 'utf8'))
    .split(' ')
    .map(Number);
  return { ranMs: ran / 1e6, waitedMs: waited / 1e6 };
}

/** Heap after a full collection, and RSS before and after it: before the collection the RSS includes garbage. */
async function memoryMib(pid: number, inspectorPort: number) {
  const before = await residentMib(pid);
  const heldMib = rounded((await heapSize(inspectorPort)) / bytesPerMb);
  return { heldMib, residentMib: `${before}, then ${await residentMib(pid)}` };
}

async function residentMib(pid: number): Promise<number> {
  return Math.round(await residentMb(pid));
}
