// A gateway in front of workloads that answer. The gateway is a process as an operator runs it, on the database of a
// real api, and reaches instances under leases from a real runner ingress. The statements are about addresses and the
// requests that pass through them, not about how a workload gets onto a machine: so the instances are rows, and each
// workload is a local process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { headerNames } from '@berth/contract';
import { sql } from 'kysely';
import { freePort } from '../../../engines/free-port.ts';
import { runEnvironment, runFolder } from '../../../engines/run.ts';
import { ServerProcess } from '../../../engines/server-process.ts';
import { type ApiWithWorkloads, startApiWithWorkloads } from '../../../services/gateway/test/api-with-workloads.ts';
import { startTestIngress } from '../../../services/runner/test/test-ingress.ts';
import { conformanceBrand } from '../../harness/conformance-brand.ts';
import { startGuestProcess } from '../../harness/guest-process.ts';
import { answerJson, ProviderStandIn } from '../../harness/provider-stand-in.ts';
import type { TestApi } from '../../harness/test-api.ts';
import { completeConfig } from './samples.ts';

const brand = conformanceBrand();
const repository = resolve(import.meta.dirname, '../../..');
const programs = {
  /** Answers with the request it received, headers and body included. */
  echo: join(repository, 'tests/e2e/inference/echo/server.mjs'),
  /** Remembers the inputs it received, by thread. */
  memory: join(repository, 'examples/thread-memory/server.mjs'),
  /** An MCP server made with the official SDK. */
  tools: join(repository, 'tests/e2e/inference/mcp/server.mjs'),
};

export interface Serving extends AsyncDisposable {
  readonly api: TestApi;
  /** Provider of the model `chat`. */
  readonly provider: ProviderStandIn;
  /** inference_url, without a trailing slash. */
  readonly url: string;
  /** Port of the sandbox `box` on which `echo` listens. */
  readonly echoPort: number;
  /** Working directory of the sandbox. */
  readonly folder: string;
}

/**
 * Starts the agents `echo` and `memory`, the functions `echo` and `tools`, a model `chat`, and a sandbox `box` with `echo`
 * on its own port.
 */
export async function startServing(): Promise<Serving> {
  await using made = new AsyncDisposableStack();
  const workloads = made.use(await startApiWithWorkloads({ config: completeConfig }));
  const ingress = made.use(await startTestIngress());
  await addRunner(workloads, ingress.runnerId);
  const place = await mkdtemp(join(await runFolder(), 'conformance-'));
  const folder = join(place, 'box');
  const port = await freePort();
  const provider = made.use(await ProviderStandIn.start(answerJson(modelAnswer)));
  const gateway = new ServerProcess({
    roles: 'gateway',
    log: join(place, 'gateway.log'),
    env: {
      BERTH_POSTGRES_URL: workloads.api.databaseUrl,
      BERTH_MASTER_KEYS: workloads.api.masterKeysVariable,
      BERTH_PROVIDERS_ALLOWED_RANGES: '[127.0.0.0/8]',
      BERTH_API_BRAND_LONG: brand.long,
      BERTH_API_BRAND_SHORT: brand.short,
      BERTH_API_WORKLOAD_DOMAIN: completeConfig.workloadDomain,
      BERTH_GATEWAY_PORT: String(port),
      BERTH_GATEWAY_LOCAL_RUNNER: ingress.lease,
      BERTH_HEALTH_PORTS_GATEWAY: '0',
    },
  });
  made.use(gateway);
  const threadHeader = { THREAD_ID_HEADER: headerNames(brand).threadId };
  const [echo, memory, tools, guest] = await Promise.all([
    startProgram(programs.echo),
    startProgram(programs.memory, threadHeader),
    startProgram(programs.tools),
    startGuestProcess({ workingDirectory: folder }),
    gateway.start(),
  ]);
  for (const started of [echo, memory, tools]) made.use(started);
  made.use(guest);

  const answersOn = (instance: string, at: number) =>
    ingress.endpoints.set(instance, { address: '127.0.0.1', port: at });
  for (const [kind, name, program] of [
    ['agent', 'echo', echo],
    ['agent', 'memory', memory],
    ['function', 'echo', echo],
    ['function', 'tools', tools],
  ] as const) {
    const { uid, revision } = await workloads.deploy(name, {}, workloads.api.workspace, kind);
    answersOn(await workloads.addInstance(uid, revision, ingress.runnerId), program.port);
  }
  answersOn(await addSandbox(workloads, ingress.runnerId, echo.port), Number(new URL(guest.url).port));

  await addModel(workloads.api, provider.url);

  const kept = made.move();
  return {
    ...{ api: workloads.api, provider, url: `http://127.0.0.1:${port}`, echoPort: echo.port, folder },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

async function addRunner({ database }: ApiWithWorkloads, id: string): Promise<void> {
  // The gateway reaches the ingress only by its socket: nothing listens at the address.
  const ingress = { ingress_address: '127.0.0.1:1', ingress_secret: 'never sent' };
  await database
    .insertInto('runners')
    .values({ id, name: id, region: 'one', status: 'up', ...ingress })
    .execute();
}

export const modelAnswer = {
  choices: [{ message: { role: 'assistant', content: 'In Norway.' } }],
  usage: { prompt_tokens: 9, completion_tokens: 3 },
};

async function addModel({ admin }: TestApi, url: string): Promise<void> {
  const connection = {
    integration: 'hf_private_endpoint',
    config: { BASE_URL: url },
    secret: { API_KEY: 'provider-key' },
  };
  const model = { integrationConnections: ['own'], runtime: { type: 'hf_private_endpoint', model: 'large' } };
  for (const [path, name, spec] of [
    ['/integrations/connections', 'own', connection],
    ['/models', 'chat', model],
  ] as const) {
    const made = await admin.post(path, { metadata: { name }, spec });
    if (made.status !== 200) throw new Error(made.text);
  }
}

/** Returns the instance's id. */
async function addSandbox(workloads: ApiWithWorkloads, runnerId: string, port: number): Promise<string> {
  const spec = { runtime: { ports: [{ target: port, protocol: 'HTTP' }] } };
  const made = await workloads.api.admin.post('/sandboxes', { metadata: { name: 'box' }, spec });
  if (made.status !== 200) throw new Error(made.text);
  const { rows } = await sql<{ uid: string }>`update resources set status = 'DEPLOYED'
    where kind = 'sandbox' and name = 'box' returning uid`.execute(workloads.database);
  return workloads.addInstance(rows[0]?.uid ?? '', 'boot-1', runnerId);
}

interface Program extends AsyncDisposable {
  readonly port: number;
}

async function startProgram(file: string, env: Readonly<Record<string, string>> = {}): Promise<Program> {
  const port = await freePort();
  const child = spawn(process.execPath, [file], {
    env: { ...runEnvironment(), ...env, HOST: '127.0.0.1', PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  while (!(await answersAt(port))) {
    if (hasEnded()) throw new Error(`${file} ended before it listened.`);
    await sleep(20);
  }
  return {
    port,
    async [Symbol.asyncDispose]() {
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function answersAt(port: number): Promise<boolean> {
  return new Promise((answered) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      answered(true);
    });
    socket.on('error', () => answered(false));
  });
}
