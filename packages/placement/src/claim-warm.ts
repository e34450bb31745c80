// Gives a sandbox that was made ahead to its owner, in the owner's transaction: the oldest that nobody else is taking. All who
// claim from a machine meet at its row, where their memory is reserved; so that is done last, and each holds it for a moment.
// Elsewhere the runner's row comes before the instance's: two that cross are told so by the database, and one begins anew.
import { type IsolationClass, resourceErrors } from '@berth/contract';
import { type DatabaseTransaction, enqueue } from '@berth/database';
import { sql } from 'kysely';
import type { LimitSettings } from './account-limits.ts';
import { lockRoom } from './account-room.ts';
import type { Settings } from './config.ts';
import type { ChosenImage } from './image.ts';
import type { StoredInstanceSpec, Workload } from './instance-spec.ts';
import { type Candidate, isolationFor, place } from './place.ts';
import { poolOf } from './pool.ts';
import { isolationOf } from './runc-rule.ts';
import {
  bootRevision,
  mayBeClaimed,
  reservedMbOf,
  type SandboxSpec,
  sandboxInstanceSpec,
  sandboxMemoryMb,
  warmReservedMb,
} from './sandbox-spec.ts';
import { reserveMemory } from './take-runners.ts';

export interface Claimant {
  readonly sandbox: Omit<Workload, 'kind'>;
  readonly spec: SandboxSpec;
  readonly image: ChosenImage;
  readonly region: string;
  readonly random: () => number;
}

export interface Claimed {
  readonly id: string;
  readonly generation: number;
  readonly revision: string;
  readonly spec: StoredInstanceSpec;
  readonly runner: RunnerRow;
  readonly reservedMb: number;
  /** What it needs beyond what one that waits has. */
  readonly differenceMb: number;
}

/**
 * The machine's memory went to others while this one was being claimed. Said as PostgreSQL says it of a transaction that has to
 * begin anew, so that whoever repeats those repeats this.
 */
export class RoomTaken extends Error {
  readonly code = '40001';
}

export interface ClaimResult {
  /** Undefined when none that fits waits anywhere. */
  readonly claimed: Claimed | undefined;
  /** Whether a runner has room for one, so that one may be started now. */
  readonly mayStart: boolean;
}

interface RunnerRow extends Candidate {
  readonly ingressAddress: string | null;
  readonly ingressSecret: string | null;
}

export async function claimWarm(
  tx: DatabaseTransaction,
  { sandbox, spec, image, region, random }: Claimant,
  settings: Settings,
): Promise<ClaimResult> {
  const { placement } = settings;
  const pools = (isolation: IsolationClass): readonly string[] => {
    const wish = { image: image.image, isolation, memoryMb: sandboxMemoryMb(spec, placement) };
    return [poolOf(wish), poolOf({ ...wish, imageSource: { ...image.source, workspaceId: sandbox.workspace.id } })];
  };
  const runners = await loadRunners(tx, region, { runc: pools('runc'), gvisor: pools('gvisor') });
  const isolation = isolationFor(runners, isolationOf('sandbox', spec, placement.runcFor));
  const holders = new Set<string>();
  const need = { regions: [region], isolation, mayFallBack: false, holders, avoidsPressure: true };
  const reservedMb = reservedMbOf(spec, placement);
  const differenceMb = reservedMb - warmReservedMb;
  let holding = mayBeClaimed(spec, settings) ? runners.filter((runner) => runner.waiting.includes(isolation)) : [];
  for (;;) {
    const chosen = place(holding, { ...need, reservedMb: differenceMb }, random)?.runner.id;
    const runner = holding.find(({ id }) => id === chosen);
    if (runner === undefined) break;
    const stored = sandboxInstanceSpec(sandbox, spec, { region, isolation, image }, settings);
    const taken = await take(tx, runner, pools(isolation), { sandbox, stored, differenceMb });
    if (taken !== undefined)
      return { claimed: { ...taken, spec: stored, runner, reservedMb, differenceMb }, mayStart: true };
    holding = holding.filter(({ id }) => id !== runner.id);
  }
  return { claimed: undefined, mayStart: place(runners, { ...need, reservedMb }, random) !== undefined };
}

interface WaitingRow extends RunnerRow {
  readonly waiting: readonly IsolationClass[];
}

/** Those of the region, up or not, and what each has ready. */
async function loadRunners(
  tx: DatabaseTransaction,
  region: string,
  pools: Readonly<Record<IsolationClass, readonly string[]>>,
): Promise<WaitingRow[]> {
  const holds = (some: readonly string[]) => sql`exists (
    select 1 from instances
    where runner_id = runners.id and pool = any(${[...some]}::text[]) and ended_at is null and desired = 'running'
      and state = 'ready')`;
  const { rows } = await sql<RunnerRow & { runc: boolean; gvisor: boolean }>`
    select id, status, region, isolation, memory_mb as "memoryMb", reserved_mb as "reservedMb", is_pressed as "isPressed",
      ingress_address as "ingressAddress", ingress_secret as "ingressSecret",
      ${holds(pools.runc)} as runc, ${holds(pools.gvisor)} as gvisor
    from runners where region = ${region}`.execute(tx);
  return rows.map(({ runc, gvisor, ...runner }) => ({
    ...runner,
    waiting: [...(runc ? ['runc' as const] : []), ...(gvisor ? ['gvisor' as const] : [])],
  }));
}

interface Taking {
  readonly sandbox: Omit<Workload, 'kind'>;
  readonly stored: StoredInstanceSpec;
  readonly differenceMb: number;
}

/**
 * The end of a claim, right before the commit: the account's row, then the runner's, as everyone takes them. Refuses what the
 * account has no room for. Whoever keeps the pool full hears of it with the commit.
 */
export async function settleClaim(
  tx: DatabaseTransaction,
  { runner, reservedMb, differenceMb }: Claimed,
  accountId: string,
  limits: LimitSettings,
): Promise<void> {
  await enqueue(tx, { topic: 'pool', key: runner.id });
  const room = await lockRoom(tx, accountId, limits, reservedMb, { instances: 1, memoryMb: reservedMb });
  if (room.count < 1) throw resourceErrors.quota_exceeded(room.limit);
  if ((await reserveMemory(tx, runner.id, differenceMb)) === undefined)
    throw new RoomTaken(`The memory of runner ${runner.id} went to others.`);
}

/** Undefined when its last one went to somebody else. */
async function take(
  tx: DatabaseTransaction,
  runner: RunnerRow,
  pools: readonly string[],
  { sandbox, stored, differenceMb }: Taking,
): Promise<Pick<Claimed, 'id' | 'generation' | 'revision'> | undefined> {
  const revision = bootRevision(1);
  const { rows } = await sql<{ id: string; generation: number }>`
    update instances set workspace_id = ${sandbox.workspace.id}, resource_uid = ${sandbox.uid}, pool = null,
      revision = ${revision}, spec = ${JSON.stringify(stored)}, generation = generation + 1,
      reserved_mb = reserved_mb + ${differenceMb}, used_at = clock_timestamp()
    where id = (
      select id from instances
      where runner_id = ${runner.id} and pool = any(${[...pools]}::text[]) and ended_at is null
        and desired = 'running' and state = 'ready'
      order by created_at limit 1 for update skip locked
    ) returning id, generation`.execute(tx);
  const [row] = rows;
  return row && { ...row, revision };
}
