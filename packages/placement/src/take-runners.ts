// Reserves memory on runners, for as many instances as there is room. The reservation itself says whether there is room: what
// was read before it may be old. Two that take several runners in another order may wait for each other; the database ends one
// of them, and whoever called it begins anew.
import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import { type Candidate, type Need, type Placement, place } from './place.ts';

export interface Taken {
  readonly placements: readonly Placement[];
  /** All runners, for whoever has to say why there are fewer than were asked for. */
  readonly runners: readonly Candidate[];
}

export async function takeRunners(
  tx: DatabaseTransaction,
  need: Need,
  count: number,
  random: () => number,
): Promise<Taken> {
  const all = await loadRunners(tx);
  const holders = new Set(need.holders);
  let runners: readonly Candidate[] = all;
  const placements: Placement[] = [];
  while (placements.length < count) {
    const placement = place(runners, { ...need, holders }, random);
    if (placement === undefined) break;
    const { id } = placement.runner;
    const reservedNow = await reserveMemory(tx, id, need.reservedMb);
    // Full or gone since it was read: the next best one is asked. It stays registered, so that isolation is not given up for it.
    runners = runners.map((runner) => {
      if (runner.id !== id) return runner;
      return reservedNow === undefined ? { ...runner, status: 'unusable' } : { ...runner, reservedMb: reservedNow };
    });
    if (reservedNow === undefined) continue;
    holders.add(id);
    placements.push(placement);
  }
  return { placements, runners: all };
}

async function loadRunners(tx: DatabaseTransaction): Promise<Candidate[]> {
  const rows = await tx
    .selectFrom('runners')
    .select(['id', 'status', 'region', 'isolation', 'memory_mb', 'reserved_mb', 'is_pressed'])
    .execute();
  return rows.map(({ id, status, region, isolation, memory_mb, reserved_mb, is_pressed }) => ({
    id,
    status,
    region,
    isolation,
    memoryMb: memory_mb,
    reservedMb: reserved_mb,
    isPressed: is_pressed,
  }));
}

/** What the runner has promised with it; undefined when it has no room or is not up. */
export async function reserveMemory(
  tx: DatabaseTransaction,
  runnerId: string,
  mb: number,
): Promise<number | undefined> {
  const reserved = await tx
    .updateTable('runners')
    .set({ reserved_mb: sql<number>`reserved_mb + ${mb}` })
    .where('id', '=', runnerId)
    .where('status', '=', 'up')
    .where(sql<boolean>`reserved_mb + ${mb} <= memory_mb`)
    .returning('reserved_mb')
    .executeTakeFirst();
  return reserved?.reserved_mb;
}
