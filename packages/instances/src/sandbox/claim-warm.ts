// Claims a warm sandbox for its owner, in the owner's transaction: the oldest one that no other transaction has
// locked. All claims on a runner contend for its row, where memory is reserved; that happens last, so that each
// holds the row briefly. Lock order is reversed here (instance, then runner). PostgreSQL detects a resulting
// deadlock and the write is retried.
import { resourceErrors } from '@berth/contract';
import type { IsolationClass } from '@berth/contract/node';
import { type DatabaseTransaction, enqueue, liveInstance } from '@berth/database';
import { sql } from 'kysely';
import type { PlacementSettings } from '../config.ts';
import type { ChosenImage } from '../images/choose-image.ts';
import type { LimitSettings } from '../place/account-limits.ts';
import { lockRoom } from '../place/account-room.ts';
import { type Candidate, isolationFor, place } from '../place/place.ts';
import { isolationNeedOf } from '../place/runc-rule.ts';
import { reserveMemory } from '../place/take-runners.ts';
import { poolKeyOf } from '../spec/pool-key.ts';
import {
  bootRevision,
  sandboxInstanceSpec,
  sandboxMemoryMb,
  sandboxReservedMb,
  warmReservedMb,
} from '../spec/sandbox-instance.ts';
import type { SandboxSpec } from '../spec/sandbox-spec.ts';
import type { InstanceOwner, StoredInstanceSpec } from '../spec/workload-instance.ts';
import { mayBeClaimed } from './may-be-claimed.ts';

export interface Claimant {
  readonly sandbox: Omit<InstanceOwner, 'kind'>;
  readonly spec: SandboxSpec;
  readonly image: ChosenImage;
  readonly region: string;
  readonly random: () => number;
  /** W3C trace of the request that claims. */
  readonly traceparent?: string | undefined;
}

export interface Claimed {
  readonly id: string;
  readonly generation: number;
  readonly revision: string;
  readonly spec: StoredInstanceSpec;
  readonly runner: RunnerRow;
  readonly reservedMb: number;
  /** Memory that the sandbox needs beyond the reservation of a warm one. */
  readonly differenceMb: number;
}

/**
 * Other claims took the runner's memory while this claim was under way. The code is PostgreSQL's serialization failure,
 * so that the retry of aborted transactions also retries this one.
 */
export class RoomTaken extends Error {
  readonly code = '40001';
}

export interface ClaimResult {
  /** Undefined when no runner has a matching warm sandbox. */
  readonly claimed: Claimed | undefined;
  /** True when a runner has room, so that a new instance may be started now. */
  readonly mayStart: boolean;
}

interface RunnerRow extends Candidate {
  readonly ingressAddress: string | null;
  readonly ingressSecret: string | null;
}

export async function claimWarm(
  tx: DatabaseTransaction,
  { sandbox, spec, image, region, random, traceparent }: Claimant,
  settings: PlacementSettings,
): Promise<ClaimResult> {
  const { placement } = settings;
  const pools = (isolation: IsolationClass): readonly string[] => {
    const wish = { image: image.image, isolation, memoryMb: sandboxMemoryMb(spec, placement) };
    return [
      poolKeyOf(wish),
      poolKeyOf({ ...wish, imageSource: { ...image.source, workspaceId: sandbox.workspace.id } }),
    ];
  };
  const runners = await loadRunners(tx, region, { runc: pools('runc'), gvisor: pools('gvisor') });
  const isolation = isolationFor(runners, isolationNeedOf('sandbox', spec, placement.runcFor));
  const holders = new Set<string>();
  const need = { regions: [region], isolation, mayFallBack: false, holders, avoidsPressure: true };
  const reservedMb = sandboxReservedMb(spec, placement);
  const differenceMb = reservedMb - warmReservedMb;
  let holding = mayBeClaimed(spec, settings) ? runners.filter((runner) => runner.waiting.includes(isolation)) : [];
  for (;;) {
    const chosen = place(holding, { ...need, reservedMb: differenceMb }, random)?.runner.id;
    const runner = holding.find(({ id }) => id === chosen);
    if (runner === undefined) break;
    const made = sandboxInstanceSpec(sandbox, spec, { region, isolation, image }, settings);
    const stored = traceparent === undefined ? made : { ...made, traceparent };
    const taken = await claimOldest(tx, runner, pools(isolation), { sandbox, stored, differenceMb });
    if (taken !== undefined)
      return { claimed: { ...taken, spec: stored, runner, reservedMb, differenceMb }, mayStart: true };
    holding = holding.filter(({ id }) => id !== runner.id);
  }
  return { claimed: undefined, mayStart: place(runners, { ...need, reservedMb }, random) !== undefined };
}

interface RunnerWithPools extends RunnerRow {
  readonly waiting: readonly IsolationClass[];
}

/** Runners of the region, up or not, with the isolation classes for which each has a matching warm sandbox. */
async function loadRunners(
  tx: DatabaseTransaction,
  region: string,
  pools: Readonly<Record<IsolationClass, readonly string[]>>,
): Promise<RunnerWithPools[]> {
  const holds = (some: readonly string[]) => sql`exists (
    select 1 from instances
    where runner_id = runners.id and pool = any(${[...some]}::text[]) and ${liveInstance()}
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

interface ClaimWrite {
  readonly sandbox: Omit<InstanceOwner, 'kind'>;
  readonly stored: StoredInstanceSpec;
  readonly differenceMb: number;
}

/**
 * Last step of a claim, right before the commit: locks the account's row, then the runner's, in the
 * order that all placements use. Throws when the account's limit is reached. The message that refills
 * the pool is sent with the commit.
 */
export async function commitClaim(
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

/** Undefined when other transactions claimed the runner's last warm sandbox. */
async function claimOldest(
  tx: DatabaseTransaction,
  runner: RunnerRow,
  pools: readonly string[],
  { sandbox, stored, differenceMb }: ClaimWrite,
): Promise<Pick<Claimed, 'id' | 'generation' | 'revision'> | undefined> {
  const revision = bootRevision(1);
  const { rows } = await sql<{ id: string; generation: number }>`
    update instances set workspace_id = ${sandbox.workspace.id}, resource_uid = ${sandbox.uid}, pool = null,
      revision = ${revision}, spec = ${JSON.stringify(stored)}, generation = generation + 1,
      reserved_mb = reserved_mb + ${differenceMb}, used_at = clock_timestamp()
    where id = (
      select id from instances
      where runner_id = ${runner.id} and pool = any(${[...pools]}::text[]) and ${liveInstance()} and state = 'ready'
      order by created_at limit 1 for update skip locked
    ) returning id, generation`.execute(tx);
  const [row] = rows;
  return row && { ...row, revision };
}
