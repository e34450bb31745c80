// Reserves memory on runners, for as many instances as fit. The reservation itself decides whether there is room: the
// rows read before may be stale. Two transactions that take several runners in different orders may deadlock;
// PostgreSQL aborts one of them, and its caller retries.
import type { DatabaseTransaction } from '@berth/database';
import { sql } from 'kysely';
import { type Candidate, type Placement, type PlacementNeed, place } from './place.ts';

export interface TakenRunners {
  readonly placements: readonly Placement[];
  /** All runners, for a caller that explains why fewer instances were placed than requested. */
  readonly runners: readonly Candidate[];
}

export async function takeRunners(
  tx: DatabaseTransaction,
  need: PlacementNeed,
  count: number,
  random: () => number,
): Promise<TakenRunners> {
  const all = await loadRunners(tx);
  const holders = new Set(need.holders);
  let runners: readonly Candidate[] = all;
  const placements: Placement[] = [];
  while (placements.length < count) {
    const placement = place(runners, { ...need, holders }, random);
    if (placement === undefined) break;
    const { id } = placement.runner;
    const reservedNow = await reserveMemory(tx, id, need.reservedMb);
    // Full or gone since it was read: try the next best runner. It stays in the list, so that
    // isolation does not fall back to runc.
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

/** Total reservation of the runner after this one; undefined when the runner has no room or is not up. */
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
