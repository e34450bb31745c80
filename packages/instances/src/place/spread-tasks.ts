import { type Candidate, type Placement, type PlacementNeed, place } from './place.ts';

/** Places up to `count` equal tasks, each on the least loaded of three runners as those before it left them. Pure. */
export function spreadTasks(
  candidates: readonly Candidate[],
  need: PlacementNeed,
  count: number,
  random: () => number,
): Placement[] {
  const runners = [...candidates];
  const placements: Placement[] = [];
  while (placements.length < count) {
    const placement = place(runners, need, random);
    if (placement === undefined) break;
    placements.push(placement);
    const { runner } = placement;
    runners[runners.indexOf(runner)] = {
      ...runner,
      reservedMb: runner.reservedMb + need.reservedMb,
      freeTasks: (runner.freeTasks ?? 0) - 1,
    };
  }
  return placements;
}
