import type { PlacementConfig } from '../config.ts';
import type { WorkloadSpec } from '../spec/workload-spec.ts';
import type { AllowedRegions } from './allowed-regions.ts';
import type { PlacementNeed } from './place.ts';
import { isolationNeedOf } from './runc-rule.ts';

/** What a task of this job needs of its runner. `reservedMb` is the memory that it reserves there. */
export const taskNeed = (
  spec: WorkloadSpec,
  { regions }: AllowedRegions,
  reservedMb: number,
  placement: PlacementConfig,
): PlacementNeed => ({
  regions: regions.map(({ name }) => name),
  ...isolationNeedOf('workload', spec, placement.runcFor),
  reservedMb,
  holders: new Set(),
  // A task can wait, and would make the shortage worse for the agents and sandboxes of the runner.
  avoidsPressure: true,
  task: placement.jobs,
});
