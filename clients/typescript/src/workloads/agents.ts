// Agents: servers from an image, which run while there are requests for them.
import type { Agent, AgentSpecInput } from '../generated/management.ts';
import { NotFoundError, UnavailableError } from '../http/errors.ts';
import { pause } from '../http/pause.ts';
import type { ManagementApi } from '../management-api.ts';

/** Settings of a deployment. */
export interface Deployment {
  /** Name of the agent in its workspace. */
  readonly name: string;
  /** Image of its instances. */
  readonly image: string;
  /** MB of one instance. */
  readonly memory?: number | undefined;
  /** Variables of its instances. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Open to everyone. */
  readonly public?: boolean | undefined;
  /** Further settings, as in the interface. */
  readonly spec?: AgentSpecInput | undefined;
  /** Ends the wait; what is written stays written. */
  readonly signal?: AbortSignal | undefined;
  /** Called with each new event of the deployment. */
  readonly onEvent?: ((message: string) => void) | undefined;
}

const pollMs = 500;
const waiting = new Set(['UPLOADING', 'BUILDING', 'BUILT', 'DEPLOYING']);

/** Agents of the workspace. */
export class Agents {
  readonly #api: ManagementApi;

  constructor(api: ManagementApi) {
    this.#api = api;
  }

  /** Creates the agent, or deploys a new revision of it. Resolves when it serves, and throws with the reason where it fails. */
  async deploy(deployment: Deployment): Promise<Agent> {
    const { name, signal, onEvent } = deployment;
    const spec = specOf(deployment);
    const known = await this.#find(name);
    const seen = known?.events?.length ?? 0;
    const written =
      known === undefined
        ? await this.#api.request('createAgent', { body: { metadata: { name }, spec }, signal })
        : await this.#api.request('updateAgent', {
            params: { agentName: name },
            body: { metadata: {}, spec },
            signal,
          });
    return this.#settled(written, seen, signal, onEvent);
  }

  /** The agent of a name, with its status and events. */
  get(name: string): Promise<Agent> {
    return this.#api.request('getAgent', { params: { agentName: name } });
  }

  /** A request to the agent, as `fetch` makes it, with the key. Nothing is repeated: the agent may act on it. */
  async call(name: string, path = '/', init: RequestInit = {}): Promise<Response> {
    const { metadata } = await this.get(name);
    const address = `${await this.#api.gatewayUrl()}/${metadata.workspace}/agents/${encodeURIComponent(name)}`;
    return this.#api.transport.fetch(`${address}${path.startsWith('/') ? '' : '/'}${path}`, init);
  }

  /** Deletes the agent. */
  async delete(name: string): Promise<void> {
    await this.#api.request('deleteAgent', { params: { agentName: name } });
  }

  async #find(name: string): Promise<Agent | undefined> {
    try {
      return await this.get(name);
    } catch (error) {
      if (error instanceof NotFoundError) return undefined;
      throw error;
    }
  }

  async #settled(
    written: Agent,
    known: number,
    signal: AbortSignal | undefined,
    onEvent: ((message: string) => void) | undefined,
  ): Promise<Agent> {
    let [agent, seen] = [written, known];
    for (;;) {
      const events = agent.events ?? [];
      for (const { message } of events.slice(seen)) if (message !== undefined) onEvent?.(message);
      seen = events.length;
      if (!waiting.has(agent.status ?? '')) break;
      await pause(pollMs, signal);
      agent = await this.get(agent.metadata.name);
    }
    if (agent.status !== 'FAILED') return agent;
    const reason = (agent.events ?? []).findLast(({ message }) => message !== undefined)?.message;
    throw new UnavailableError({ code: 'deployment_failed', status: undefined, message: reason ?? 'It failed.' });
  }
}

function specOf({ image, memory, env, public: isPublic, spec = {} }: Deployment): AgentSpecInput {
  const envs = env && Object.entries(env).map(([name, value]) => ({ name, value }));
  return {
    ...spec,
    ...(isPublic !== undefined && { public: isPublic }),
    runtime: { ...spec.runtime, image, ...(memory !== undefined && { memory }), ...(envs && { envs }) },
  };
}
