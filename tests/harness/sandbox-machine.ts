// One machine with sandboxes of one isolation class, and a gateway on it: the smallest complete deployment.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { IsolationClass } from '@berth/contract/node';
import { sql } from 'kysely';
import { z } from 'zod';
import { importBaseImage } from '../../engines/base-image.ts';
import { type Fleet, startFleet } from '../../engines/fleet/fleet.ts';
import type { Machine } from '../../engines/fleet/machine.ts';
import { KeepAliveClient, type Reply } from './keep-alive-client.ts';
import { metricsOf } from './metrics-of.ts';

export interface SandboxMachineOptions {
  readonly name: string;
  readonly isolation: IsolationClass;
  /** Number of sandboxes kept ready. */
  readonly pool: number;
  readonly workspaces?: readonly string[];
  readonly settings?: Readonly<Record<string, string>>;
}

export interface Wish {
  readonly name: string;
  readonly workspace: string;
  readonly memoryMb?: number;
  readonly envs?: number;
  readonly ttl?: string;
  /** Declared ports, so that `/port/{n}` reaches them. */
  readonly ports?: readonly number[];
}

type Named = Pick<Wish, 'name' | 'workspace'>;

const memoryMb = 4096;
const connections = 128;
const sleepMs = 10_000;
const deployMs = 120_000;
const restMs = 500;

export class SandboxMachine implements AsyncDisposable {
  readonly fleet: Fleet;
  readonly machine: Machine;
  readonly image: string;
  readonly pool: number;
  readonly gateway: string;
  readonly #made: AsyncDisposableStack;
  readonly #api: KeepAliveClient;
  readonly #gateway: KeepAliveClient;

  private constructor(
    sandboxes: Pick<SandboxMachine, 'fleet' | 'machine' | 'image' | 'pool'>,
    gateway: string,
    made: AsyncDisposableStack,
  ) {
    this.fleet = sandboxes.fleet;
    this.machine = sandboxes.machine;
    this.image = sandboxes.image;
    this.pool = sandboxes.pool;
    this.gateway = gateway;
    this.#made = made;
    const headers = { authorization: `Bearer ${sandboxes.fleet.key}`, 'service-version': '2026-04-28' };
    this.#api = new KeepAliveClient(`${sandboxes.fleet.url}/v0`, headers, connections);
    this.#gateway = new KeepAliveClient(gateway, headers, connections);
  }

  static async start({
    name,
    isolation,
    pool,
    workspaces = ['main'],
    settings,
  }: SandboxMachineOptions): Promise<SandboxMachine> {
    await using made = new AsyncDisposableStack();
    const image = 'node:24-bookworm-slim';
    const fleet = made.use(
      await startFleet({
        name,
        workspaces,
        machines: 1,
        prepare: ({ dockerUrl }) => importBaseImage(dockerUrl),
        settings: {
          BERTH_RUNNER_ISOLATION: JSON.stringify([isolation]),
          ...(isolation === 'runc' && { BERTH_PLACEMENT_RUNC_FOR: 'everything' }),
          BERTH_RUNNER_WARM: JSON.stringify([{ image, count: pool, memoryMb }]),
          ...settings,
        },
      }),
    );
    const [machine] = fleet.machines;
    if (machine === undefined) throw new Error('the fleet has no machine');
    const { url } = await fleet.startGateway({
      inside: machine,
      settings: {
        BERTH_GATEWAY_HOST: '0.0.0.0',
        BERTH_GATEWAY_HOSTS: JSON.stringify([machine.address]),
        BERTH_GATEWAY_LOCAL_RUNNER: `${machine.stateFolder}/ingress.sock`,
      },
    });
    const gateway = `http://${machine.address}:${new URL(url).port}`;
    const sandboxes = new SandboxMachine({ fleet, machine, image, pool }, gateway, made.move());
    await sandboxes.untilRested();
    return sandboxes;
  }

  /** Waits until the pool is full and nothing is left to remove, as on a machine that has been idle for a while. */
  async untilRested(timeoutMs = 300_000): Promise<void> {
    const giveUpAt = performance.now() + timeoutMs;
    for (;;) {
      const { ready, leaving } = await this.#counts();
      if (ready >= this.pool && leaving === 0) break;
      if (performance.now() > giveUpAt)
        throw new Error(`The pool has ${ready} of ${this.pool}, and ${leaving} are still leaving.`);
      await sleep(100);
    }
    await sleep(restMs);
  }

  async #counts(): Promise<{ ready: number; leaving: number }> {
    const { rows } = await sql<{ ready: number; leaving: number }>`
      select count(*) filter (where pool is not null and state = 'ready')::int as ready,
        count(*) filter (where desired <> 'running')::int as leaving
      from instances where ended_at is null`.execute(this.fleet.database);
    return rows[0] ?? { ready: 0, leaving: 0 };
  }

  async create({
    name,
    workspace,
    memoryMb: memory = memoryMb,
    envs = 5,
    ttl = '1h',
    ports = [],
  }: Wish): Promise<void> {
    const runtime = {
      image: this.image,
      memory,
      ttl,
      ports: ports.map((target) => ({ target, protocol: 'HTTP' })),
      envs: Array.from({ length: envs }, (_, at) => ({ name: `VARIABLE_${at}`, value: `value ${at} of ${name}` })),
    };
    const body = JSON.stringify({ metadata: { name }, spec: { runtime } });
    const reply = await this.#api.send('POST', `/sandboxes?workspace=${workspace}`, body);
    const status = reply.status === 200 ? Created.parse(JSON.parse(reply.text)).status : undefined;
    // When more creations are ahead of it than the answer waits for, the answer has the status at that moment.
    const reached = status === 'DEPLOYING' ? await this.#untilDeployed({ name, workspace }) : status;
    if (reached !== 'DEPLOYED') throw new Error(`create ${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
  }

  async #untilDeployed(wish: Named): Promise<string> {
    const giveUpAt = performance.now() + deployMs;
    for (;;) {
      const { status } = await this.read(wish);
      if (status !== 'DEPLOYING' || performance.now() > giveUpAt) return status;
      await sleep(200);
    }
  }

  call(wish: Named, method: string, path: string, body?: string): Promise<Reply> {
    return this.#gateway.send(method, `/${wish.workspace}/sandboxes/${wish.name}${path}`, body);
  }

  /** Runs a command and returns its output. */
  async exec(wish: Named, command: string): Promise<string> {
    const body = JSON.stringify({ command, waitForCompletion: true });
    const reply = await this.call(wish, 'POST', '/process', body);
    if (reply.status !== 200) throw new Error(`exec in ${wish.name}: ${reply.status} ${reply.text.slice(0, 500)}`);
    return Ran.parse(JSON.parse(reply.text)).stdout;
  }

  async write(wish: Named, path: string, content: string): Promise<void> {
    const target = `/filesystem/${encodeURIComponent(path)}`;
    const reply = await this.call(wish, 'PUT', target, JSON.stringify({ content }));
    if (reply.status !== 200) throw new Error(`write in ${wish.name}: ${reply.status} ${reply.text.slice(0, 500)}`);
  }

  /** Starts a process and returns its id, once it listens. */
  async startProcess(wish: Named, process: Readonly<Record<string, unknown>>): Promise<string> {
    const reply = await this.call(wish, 'POST', '/process', JSON.stringify(process));
    if (reply.status !== 200) throw new Error(`start in ${wish.name}: ${reply.status} ${reply.text.slice(0, 500)}`);
    return Started.parse(JSON.parse(reply.text)).pid;
  }

  /**
   * Passes on each line of a stream, from when it is open until this machine is disposed. `ended` is the last line of a
   * stream that the server closed.
   */
  async follow(wish: Named, path: string, onLine: (line: string) => void): Promise<void> {
    const stop = new AbortController();
    this.#made.defer(() => stop.abort());
    const url = `${this.gateway}/${wish.workspace}/sandboxes/${wish.name}${path}`;
    const response = await fetch(url, {
      headers: { authorization: `Bearer ${this.fleet.key}` },
      signal: stop.signal,
    });
    if (response.status !== 200) throw new Error(`follow ${wish.name}: ${response.status} ${await response.text()}`);
    const read = async (): Promise<void> => {
      let rest = '';
      for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) onLine(line);
      }
      onLine('ended');
    };
    read().catch((error: unknown) => {
      if (!stop.signal.aborted) onLine(`broken: ${String(error)}`);
    });
  }

  async read({ name, workspace }: Named): Promise<z.infer<typeof Record>> {
    const reply = await this.#api.send('GET', `/sandboxes/${name}?workspace=${workspace}`);
    if (reply.status !== 200) throw new Error(`read ${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
    return Record.parse(JSON.parse(reply.text));
  }

  /** Changes the sandbox's runtime and leaves the rest as it is. */
  async update({ name, workspace }: Named, runtime: Readonly<Record<string, unknown>>): Promise<void> {
    const { metadata, spec } = await this.read({ name, workspace });
    const body = JSON.stringify({ metadata, spec: { ...spec, runtime: { ...spec.runtime, ...runtime } } });
    const reply = await this.#api.send('PUT', `/sandboxes/${name}?workspace=${workspace}`, body);
    if (reply.status !== 200) throw new Error(`update ${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
  }

  /** Number of instances of the sandbox that have not ended. */
  async containersOf({ name }: Named): Promise<number> {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from instances
      where ended_at is null and spec #>> '{resource,name}' = ${name}`.execute(this.fleet.database);
    return rows[0]?.count ?? 0;
  }

  /** Number of sandboxes that the runner has woken. */
  async wakes(): Promise<number> {
    const log = join(this.fleet.folder, `runner-${this.machine.name}.log`);
    const read = async (url: string) => this.machine.inside('curl', '--silent', '--max-time', '5', url);
    const woken = [...(await metricsOf(log, read))].find(([name]) => /^berth_runner_wakes_total\{.*woken/.test(name));
    if (woken === undefined) throw new Error('The runner does not count its wakes.');
    return woken[1];
  }

  /**
   * Puts the sandbox to sleep now, instead of after the idle time. Returns how often it asked: a sandbox that is used
   * meanwhile is woken again.
   */
  async sleep({ name, workspace }: Named): Promise<number> {
    const giveUpAt = performance.now() + sleepMs;
    for (let asked = 1; ; asked += 1) {
      const reply = await this.#api.send('PUT', `/sandboxes/${name}/stop?workspace=${workspace}`, '{}');
      if (reply.status === 200 || reply.text.includes('sandbox_not_running')) return asked;
      // The lease of the previous request is kept for a moment.
      if (reply.status !== 409 || performance.now() > giveUpAt)
        throw new Error(`stop ${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
      await sleep(50);
    }
  }

  /** Expects that sleep is refused, because a client is connected to the sandbox. */
  async mayNotSleep({ name, workspace }: Named): Promise<void> {
    const reply = await this.#api.send('PUT', `/sandboxes/${name}/stop?workspace=${workspace}`, '{}');
    if (reply.status !== 409) throw new Error(`stop ${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
  }

  async remove({ name, workspace }: Named): Promise<void> {
    const reply = await this.#api.send('DELETE', `/sandboxes/${name}?workspace=${workspace}`);
    if (reply.status !== 200) throw new Error(`delete ${name}: ${reply.status} ${reply.text.slice(0, 500)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#api.close();
    this.#gateway.close();
    await this.#made.disposeAsync();
  }
}

const Created = z.object({ status: z.string() });
const Started = z.object({ pid: z.string() });
const Record = z.object({
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({ runtime: z.looseObject({}).optional() }),
  status: z.string(),
  state: z.string().optional(),
});
const Ran = z.object({ stdout: z.string() });
