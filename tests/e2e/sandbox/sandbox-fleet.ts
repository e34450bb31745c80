// A whole deployment with one machine of one isolation class. Tests create sandboxes in it and reach them as any client
// does.
import type { IsolationClass } from '@berth/contract/node';
import { expect, vi } from 'vitest';
import { importBaseImage } from '../../../engines/base-image.ts';
import { type Fleet, startFleet } from '../../../engines/fleet/fleet.ts';
import { buildGuest } from '../../../engines/guest/runtime.ts';
import type { Client } from '../../harness/client.ts';
import { type GuestClient, guestClient } from '../../harness/guest-client.ts';
import { clientOf } from '../../harness/workloads.ts';

/** Short, so that every check can be repeated after the sandbox has slept. */
const idleSeconds = 2;

export interface Sandbox extends GuestClient {
  readonly name: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Waits until the sandbox sleeps. */
  asleep(): Promise<void>;
  state(): Promise<string>;
}

export interface SandboxFleet extends AsyncDisposable {
  readonly fleet: Fleet;
  readonly api: Client;
  readonly image: string;
  /** Asks the api for a sandbox and returns its answer, also a refusal. */
  ask(name: string, wish?: SandboxWish): ReturnType<Client['post']>;
  /** Creates a sandbox, reached through the first gateway. Throws unless it is deployed. */
  create(name: string, wish?: SandboxWish): Promise<Sandbox>;
  sandbox(name: string, gateway?: number): Sandbox;
}

interface SandboxWish {
  readonly memory?: number;
  readonly ports?: readonly number[];
  readonly envs?: Readonly<Record<string, string>>;
  readonly ttl?: string;
}

export async function startSandboxFleet(
  isolation: IsolationClass,
  settings: Readonly<Record<string, string>> = {},
): Promise<SandboxFleet> {
  const fleet = await startFleet({
    name: `sandbox-${isolation}`,
    workspaces: ['main'],
    machines: 1,
    gateways: 2,
    settings: {
      BERTH_RUNNER_GUEST_FOLDER: await buildGuest(),
      BERTH_RUNNER_ISOLATION: JSON.stringify([isolation]),
      ...(isolation === 'runc' && { BERTH_PLACEMENT_RUNC_FOR: 'everything' }),
      BERTH_RUNNER_WARM_LATELY: '2',
      BERTH_PLACEMENT_SANDBOXES_IDLE_SECONDS: String(idleSeconds),
      ...settings,
    },
  });
  const [image = ''] = await importBaseImage(fleet.machines[0]?.dockerUrl ?? '');
  const api = clientOf(fleet);
  const headers = { authorization: `Bearer ${fleet.key}` };
  const stateOf = async (name: string): Promise<string> => (await api.get(`/sandboxes/${name}`)).body.state;

  function sandbox(name: string, gateway = 0): Sandbox {
    return {
      ...guestClient(`${fleet.gateways[gateway]?.url}/main/sandboxes/${name}`, headers),
      ...{ name, headers },
      state: () => stateOf(name),
      asleep: () =>
        vi.waitFor(async () => expect(await stateOf(name)).toBe('STANDBY'), { timeout: 30_000, interval: 200 }),
    };
  }

  const ask: SandboxFleet['ask'] = (name, { memory = 512, ports = [], envs = {}, ttl } = {}) =>
    api.post('/sandboxes', {
      metadata: { name },
      spec: {
        runtime: {
          ...{ image, memory, ...(ttl === undefined ? {} : { ttl }) },
          ports: ports.map((target) => ({ target, protocol: 'HTTP' })),
          envs: Object.entries(envs).map(([key, value]) => ({ name: key, value })),
        },
      },
    });

  return {
    ...{ fleet, api, image, sandbox, ask },
    async create(name, wish) {
      const { status, body } = await ask(name, wish);
      if (status !== 200 || body.status !== 'DEPLOYED')
        throw new Error(`${name}: ${status} ${body.status} ${JSON.stringify(body.events ?? body)}`);
      return sandbox(name);
    },
    [Symbol.asyncDispose]: () => fleet[Symbol.asyncDispose](),
  };
}
