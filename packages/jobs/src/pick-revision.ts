// Picks the revision that an execution runs: the canary in its share of executions, otherwise the active revision, and
// the newest where none is active. Pure.
import type { JsonObject } from '@berth/database';

export interface JobRevision {
  readonly id: string;
  readonly spec: JsonObject;
}

interface Traffic {
  readonly active?: string | undefined;
  readonly canary?: string | undefined;
  readonly canaryPercent: number;
}

/** `kept` are revisions that still exist, newest first. Traffic to any other revision is ignored. */
export function pickRevision<Revision extends Pick<JobRevision, 'id'>>(
  { active, canary, canaryPercent }: Traffic,
  kept: readonly Revision[],
  random: () => number,
): Revision | undefined {
  const named = (id: string | undefined): Revision | undefined => kept.find((revision) => revision.id === id);
  const isCanary = random() * 100 < canaryPercent;
  return (isCanary ? named(canary) : undefined) ?? named(active) ?? kept[0];
}
