// Places an instance without a workload: writes the row that the orchestrator would write, to test what a runner does
// with it.
import { setTimeout as sleep } from 'node:timers/promises';
import type { ImageSource, InstanceSpec, IsolationClass } from '@berth/contract/node';
import { instancesChannel, uuidv7 } from '@berth/database';
import { sql } from 'kysely';
import type { Fleet } from '../../engines/fleet/fleet.ts';

export interface Placed {
  readonly id: string;
  /** Name of its container. */
  readonly container: string;
  readonly address: string;
}

export interface PlacedWish {
  readonly workspaceId: string;
  readonly isolation: IsolationClass;
  readonly image?: string;
  /**
   * By default an image from outside on a registry that the operator lists: registries of tests have private
   * addresses.
   */
  readonly imageSource?: ImageSource;
  readonly memoryMb?: number;
  readonly cpus?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** True for a sandbox, whose first process is the guest. */
  readonly isSandbox?: boolean;
  /** Machine number, from 0. */
  readonly machine?: number;
}

/** Only ends a wait that hangs: an engine whose disk is busy with other tests needs a minute for a start. */
const readyMs = 240_000;

type State = { state: string; code: string | null; message: string | null; address: string | null };

export async function instanceState({ database }: Fleet, id: string): Promise<State> {
  return database
    .selectFrom('instances')
    .select(['state', 'code', 'message', 'address'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** The fleet's orchestrator must be stopped: it would take back an instance that belongs to no workload. */
export async function placeInstance(fleet: Fleet, wish: PlacedWish): Promise<Placed> {
  const { workspaceId, isolation, image = 'berth-tiny:latest', memoryMb = 256, cpus = 1, env = {}, isSandbox } = wish;
  const { imageSource = { origin: 'outside', isListed: true } } = wish;
  const machine = fleet.machines[wish.machine ?? 0];
  const runner = await fleet.database
    .selectFrom('runners')
    .select('id')
    .where('name', '=', machine?.name ?? '')
    .executeTakeFirstOrThrow();
  const id = uuidv7();
  const resource = { uid: uuidv7(), kind: isSandbox ? 'sandbox' : 'agent', name: `n-${id}` };
  const fields = { resource, image, imageSource, isolation, memoryMb, cpus, port: 8080, startTimeoutSeconds: 60 };
  const spec: InstanceSpec = isSandbox
    ? { ...fields, mode: 'sandbox', sandbox: { idleSeconds: 3_600 } }
    : { ...fields, mode: 'serve' };
  const stored = { ...spec, env: Object.entries(env).map(([name, value]) => ({ name, value })) };
  await fleet.database
    .insertInto('instances')
    .values({
      ...{ id, workspace_id: workspaceId, resource_uid: resource.uid, runner_id: runner.id, revision: 'boot-1' },
      spec: JSON.stringify(stored),
      reserved_mb: 0,
      created_at: sql<Date>`clock_timestamp()`,
    })
    .execute();
  await announce(fleet, runner.id);
  const deadline = Date.now() + readyMs;
  for (;;) {
    const { state, message, address } = await instanceState(fleet, id);
    if (state === 'ready' && address !== null) return { id, container: `berth-${id}`, address };
    if (state === 'failed' || Date.now() > deadline)
      throw new Error(`The instance is ${state}: ${message}\n${await machine?.runner.linesWith(id, 20)}`);
    await sleep(50);
  }
}

export async function takeBack(fleet: Fleet, id: string): Promise<void> {
  const { runner_id: runnerId } = await fleet.database
    .updateTable('instances')
    .set({ desired: 'gone' })
    .where('id', '=', id)
    .returning('runner_id')
    .executeTakeFirstOrThrow();
  await announce(fleet, runnerId);
}

/**
 * Notifies the api as the orchestrator does. Otherwise the api finds a new row only at its second look, after four
 * seconds.
 */
const announce = ({ database }: Fleet, runnerId: string) =>
  sql`select pg_notify(${instancesChannel}, ${runnerId})`.execute(database);
