import type { SandboxSpecInput } from '../generated/management.ts';
import type { ManagementApi } from '../management-api.ts';
import { Sandbox } from './sandbox.ts';

/** Settings of a new sandbox. */
export interface NewSandbox {
  /** Chosen by the client where left out. */
  readonly name?: string | undefined;
  /** Image of its file system; that of the deployment where left out. */
  readonly image?: string | undefined;
  /** MB. */
  readonly memory?: number | undefined;
  /** Variables of every process. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Ports of programs that speak HTTP. */
  readonly ports?: readonly number[] | undefined;
  /** Lifetime, for example 30m. */
  readonly ttl?: string | undefined;
  /** Pairs of your own, such as `team: search`. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Answers with the sandbox that has the name, where there is one. */
  readonly orExisting?: boolean | undefined;
  /** Further settings, as in the interface. */
  readonly spec?: SandboxSpecInput | undefined;
  /** Aborts the request. */
  readonly signal?: AbortSignal | undefined;
}

/** The service waits up to 55 seconds for a sandbox. */
const createTimeoutMs = 70_000;

/** Sandboxes of the workspace. */
export class Sandboxes {
  readonly #api: ManagementApi;

  constructor(api: ManagementApi) {
    this.#api = api;
  }

  /** Creates a sandbox. Resolves when it takes requests. */
  async create(options: NewSandbox = {}): Promise<Sandbox> {
    const { name = `sandbox-${crypto.randomUUID().slice(0, 8)}`, labels, orExisting, signal } = options;
    const info = await this.#api.request('createSandbox', {
      body: { metadata: { name, ...(labels && { labels: { ...labels } }) }, spec: specOf(options) },
      query: orExisting ? { createIfNotExist: true } : {},
      ...{ signal, timeoutMs: createTimeoutMs },
    });
    return new Sandbox(this.#api, info);
  }

  /** The sandbox of a name. */
  async get(name: string): Promise<Sandbox> {
    return new Sandbox(this.#api, await this.#api.request('getSandbox', { params: { sandboxName: name } }));
  }

  /** All sandboxes, page by page as they are read. */
  async *list(): AsyncGenerator<Sandbox> {
    for await (const info of this.#api.list('listSandboxes', {})) yield new Sandbox(this.#api, info);
  }
}

function specOf({ image, memory, env, ports, ttl, spec = {} }: NewSandbox): SandboxSpecInput {
  const runtime = {
    ...spec.runtime,
    ...(image !== undefined && { image }),
    ...(memory !== undefined && { memory }),
    ...(ttl !== undefined && { ttl }),
    ...(env !== undefined && { envs: Object.entries(env).map(([name, value]) => ({ name, value })) }),
    ...(ports !== undefined && { ports: ports.map((target) => ({ target, protocol: 'HTTP' })) }),
  };
  return { ...spec, ...(Object.keys(runtime).length > 0 && { runtime }) };
}
