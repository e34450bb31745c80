// One stand-in for a provider, and three ways to it: gateways of Berth with their checks, nginx that passes bytes on, and
// LiteLLM. All get the same requests and give the same answers.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import { freePort } from '../../engines/free-port.ts';
import { litellm, litellmProgram } from '../../engines/litellm.ts';
import { loadTools } from '../../engines/load-tools.ts';
import { runEnvironment, runFolder } from '../../engines/run.ts';
import type { Target } from '../gateway/load.ts';
import { passOn, startNginx } from '../gateway/nginx.ts';
import { callApi } from '../support/call-api.ts';
import { endProcess } from '../support/end-process.ts';

export interface ModelTargets extends AsyncDisposable {
  readonly bare: Target;
  readonly nginx: Target;
  readonly litellm: Target;
  /** Gateways in front of the stand-in, or of another provider. */
  startGateways(count: number, provider?: string): Promise<Target>;
}

const kib = 1024;
const path = '/v1/chat/completions';

const filled = (make: (text: string) => string, bytes: number): string =>
  make('w'.repeat(bytes - Buffer.byteLength(make(''))));

/** Requests and answers of one KiB. */
const chat = filled((content) => JSON.stringify({ model: 'm', messages: [{ role: 'user', content }] }), kib);
const answer = filled(
  (content) =>
    JSON.stringify({
      ...{ id: 'chat-1', object: 'chat.completion', created: 1, model: 'm' },
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }],
      usage: { prompt_tokens: 250, completion_tokens: 180, total_tokens: 430 },
    }),
  kib,
);
export const streamedChat = JSON.stringify({ ...JSON.parse(chat), stream: true });

export async function startModelTargets(): Promise<ModelTargets> {
  await Promise.all([loadTools.install(), litellm.install()]);
  await using made = new AsyncDisposableStack();
  const folder = await runFolder(`models-${process.pid}`);
  const script = join(folder, 'chat.lua');
  await writeFile(
    script,
    `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = ${JSON.stringify(chat)}\n`,
  );
  const standIn = await freePort();
  const location = `default_type application/json; return 200 '${answer}';`;
  made.use(await startNginx({ folder: join(folder, 'provider'), port: standIn, location }));
  const hop = await freePort();
  const upstream = `127.0.0.1:${standIn}`;
  const nginx = made.use(await startNginx({ folder: join(folder, 'hop'), port: hop, location: passOn, upstream }));
  const fleet = made.use(await startFleet({ name: 'bench-models', workspaces: ['main'], machines: 0 }));
  await addModel(fleet);
  const proxy = await startLitellm(folder, standIn);
  made.defer(() => endProcess(proxy.child));
  const kept = made.move();
  return {
    bare: { urls: [`http://127.0.0.1:${standIn}${path}`], pids: [], key: 'none', script },
    nginx: { urls: [`http://127.0.0.1:${hop}${path}`], pids: [nginx.pid], key: 'none', script },
    litellm: { urls: [`http://127.0.0.1:${proxy.port}${path}`], pids: [proxy.child.pid ?? 0], key: proxy.key, script },
    async startGateways(count, provider = `http://127.0.0.1:${standIn}`) {
      const gateways = [];
      for (let number = 0; number < count; number += 1)
        gateways.push(await fleet.startGateway({ settings: settingsOf(provider) }));
      return {
        urls: gateways.map(({ url }) => `${url}/main/models/bench${path}`),
        pids: gateways.map(({ process }) => process.pid),
        key: fleet.key,
        script,
      };
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** With a token policy and a budget, so that each request is counted in tokens and in money. */
async function addModel(fleet: Fleet): Promise<void> {
  const maxTokens = { granularity: 'day', total: 2_000_000_000 };
  const connection = { integration: 'openai', secret: { API_KEY: 'provider-key' } };
  const model = { integrationConnections: ['own'], policies: ['daily'], runtime: { type: 'openai', model: 'm' } };
  for (const [path, name, spec] of [
    ['/integrations/connections', 'own', connection],
    ['/policies', 'daily', { type: 'maxToken', maxTokens }],
    ['/models', 'bench', model],
  ] as const)
    await callApi(fleet, 'POST', path, { metadata: { name }, spec });
  const [account] = z.array(z.object({ id: z.string() })).parse(await callApi(fleet, 'GET', '/accounts'));
  await callApi(fleet, 'PUT', `/accounts/${account?.id}/budgets/models`, { of: 'models', amount: 1_000_000_000 });
}

const prices = [{ provider: 'openai', model: '*', validFrom: '2020-01-01T00:00:00Z', sent: '0.25', received: '2' }];

const settingsOf = (provider: string) => ({
  BERTH_GATEWAY_MODELS_PRICES: JSON.stringify(prices),
  BERTH_PROVIDERS_ADDRESSES: JSON.stringify({ openai: provider }),
  BERTH_PROVIDERS_ALLOWED_RANGES: '[127.0.0.0/8]',
});

const litellmStartMs = 120_000;

async function startLitellm(folder: string, provider: number) {
  const [port, key] = [await freePort(), 'sk-bench'];
  const config = {
    model_list: [
      {
        model_name: 'm',
        litellm_params: { model: 'openai/m', api_base: `http://127.0.0.1:${provider}/v1`, api_key: 'provider-key' },
      },
    ],
    general_settings: { master_key: key },
  };
  const file = join(folder, 'litellm.json');
  await writeFile(file, JSON.stringify(config));
  const child = spawn(
    await litellmProgram(),
    ['--config', file, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'],
    // Its list of prices would otherwise be fetched from the internet.
    {
      env: { PATH: '/usr/bin:/bin', HOME: folder, LITELLM_LOCAL_MODEL_COST_MAP: 'True', ...runEnvironment() },
      stdio: 'ignore',
    },
  );
  const giveUpAt = performance.now() + litellmStartMs;
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/health/liveliness`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null || performance.now() > giveUpAt) throw new Error('LiteLLM did not start.');
    await sleep(200);
  }
  return { child, port, key };
}
