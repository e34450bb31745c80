// Agents and functions of a running fleet, deployed and watched as a user does.
import { setTimeout as sleep } from 'node:timers/promises';
import { Berth } from 'berth-sdk';
import type { Fleet } from '../../engines/fleet/fleet.ts';
import { type Answer, Client } from './client.ts';
import { isFull } from './size.ts';

const isolations = [
  { isolation: 'runc', runtime: 'runc', generation: 'mk2' },
  { isolation: 'gvisor', runtime: 'runsc', generation: 'mk3' },
] as const;

export type IsolationUnderTest = (typeof isolations)[number];

/** The isolation classes that a guarantee is tested on. The small size tests the one named here, the full size both. */
export const isolationsOf = (mattersMost: 'runc' | 'gvisor') =>
  isolations.filter(({ isolation }) => isFull || isolation === mattersMost);

export const clientOf = (fleet: Pick<Fleet, 'url' | 'key'>, workspace = 'main'): Client =>
  new Client({ url: fleet.url, key: fleet.key, workspace, version: '2026-04-28' });

type Address = Pick<Fleet, 'url' | 'key'>;

/** The SDK, for tests that are not about what is sent. Calls of workloads need the gateway. */
export const berthOf = ({ url, key }: Address, gatewayUrl?: string): Berth =>
  new Berth({ url, key, workspace: 'main', ...(gatewayUrl !== undefined && { gatewayUrl }) });

export interface Runtime {
  readonly image?: string;
  readonly generation?: 'mk2' | 'mk3';
  readonly memory?: number;
  readonly minScale?: number;
  readonly maxScale?: number;
  readonly port?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * The tiny image answers on 8080. One instance is kept running, so that tests that are not about scaling need not
 * wait for a start.
 */
const runtimeOf = ({ image = 'berth-tiny:latest', port = 8080, env = {}, memory = 128, ...rest }: Runtime) => ({
  image,
  memory,
  minScale: 1,
  ...rest,
  envs: Object.entries({ PORT: String(port), ...env }).map(([name, value]) => ({ name, value })),
});

export const agent = (name: string, runtime: Runtime = {}) => ({
  metadata: { name },
  spec: { runtime: runtimeOf(runtime) },
});

/** Deploys an agent by the SDK. Resolves when it serves, and throws with the reason where it fails. */
export function deployAgent(fleet: Address, name: string, runtime: Runtime = {}) {
  const { spec } = agent(name, runtime);
  return berthOf(fleet).agents.deploy({ name, image: spec.runtime.image, spec });
}

/** Waits until the agent's status is one of these, and returns the agent. */
export async function settled(
  client: Client,
  path: string,
  statuses: readonly string[] = ['DEPLOYED', 'FAILED', 'DEACTIVATED'],
  timeoutMs = 60_000,
): Promise<Answer['body']> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { status, body } = await client.get(path);
    if (status === 200 && statuses.includes(body.status)) return body;
    if (Date.now() > deadline)
      throw new Error(`${path} is ${status} ${body?.status} after ${timeoutMs} ms: ${JSON.stringify(body?.events)}`);
    await sleep(50);
  }
}

export async function gone(client: Client, path: string, timeoutMs = 30_000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const { status, body } = await client.get(path);
    if (status === 404) return;
    if (Date.now() > deadline) throw new Error(`${path} is still there: ${JSON.stringify(body)}`);
    await sleep(50);
  }
}

export const lastMessage = (resource: Answer['body']): string => resource.events.at(-1)?.message ?? '';

/** The live instances of a resource, as the database knows them. */
export function instancesOf({ database }: Pick<Fleet, 'database'>, name: string) {
  return database
    .selectFrom('instances')
    .innerJoin('resources', 'resources.uid', 'instances.resource_uid')
    .innerJoin('runners', 'runners.id', 'instances.runner_id')
    .select(['instances.id', 'instances.address', 'instances.revision', 'instances.state', 'runners.name as runner'])
    .where('resources.name', '=', name)
    .where('instances.ended_at', 'is', null)
    .where('instances.desired', '=', 'running')
    .execute();
}
