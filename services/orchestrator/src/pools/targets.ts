// Warm pools that a runner should have: those its operator names, and those for recently used sandboxes. Pure.
import type { IsolationClass, WarmPoolSpec } from '@berth/contract/node';
import { deploymentImage, mayAskForRunc, type PlacementSettings, type PoolSpec, poolKeyOf } from '@berth/instances';

export interface PoolTarget extends PoolSpec {
  readonly pool: string;
  readonly count: number;
}

/** Sandboxes of one kind of pool that were used in the last hour. */
export interface PoolUse extends PoolSpec {
  readonly sandboxes: number;
}

export interface PoolWishes {
  readonly isolation: readonly IsolationClass[];
  readonly warm: readonly WarmPoolSpec[];
  /** Maximum number kept ready for each recently used pool. */
  readonly warmLately: number;
  readonly recentUse: readonly PoolUse[];
}

export function poolTargets(
  { isolation, warm, warmLately, recentUse }: PoolWishes,
  settings: PlacementSettings,
): PoolTarget[] {
  const better = isolation.includes('gvisor') ? 'gvisor' : 'runc';
  const wished = [
    ...warm.map((wish) => {
      const { image, source } = deploymentImage(wish.image, settings);
      return {
        image,
        imageSource: source,
        isolation: wish.isolation ?? better,
        memoryMb: wish.memoryMb ?? settings.placement.sandboxes.defaultMemoryMb,
        count: wish.count,
      };
    }),
    // No more than were in use: an image that is tried once does not fill the runner.
    ...recentUse.map(({ sandboxes, ...use }) => ({ ...use, count: Math.min(warmLately, sandboxes) })),
  ];
  const targets = new Map<string, PoolTarget>();
  for (const wish of wished) {
    const pool = poolKeyOf(wish);
    const known = targets.get(pool);
    // No sandbox may use a warm instance on runc where sandboxes have to run under gVisor.
    const isUseful = wish.isolation === 'gvisor' || mayAskForRunc('sandbox', settings.placement.runcFor);
    if (!isUseful || !isolation.includes(wish.isolation) || wish.count <= (known?.count ?? 0)) continue;
    targets.set(pool, { ...(known ?? wish), pool, count: wish.count });
  }
  return [...targets.values()];
}
