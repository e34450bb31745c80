// Explains to the user why an instance has no runner yet.

import type { AllowedRegions } from './allowed-regions.ts';
import { type Candidate, hasRoom, isolationFor, type TaskNeed, takesTask } from './place.ts';
import type { IsolationNeed } from './runc-rule.ts';

interface UnplacedNeed extends IsolationNeed {
  readonly reservedMb: number;
  readonly task?: TaskNeed | undefined;
}

export const waitingMessage = (runners: readonly Candidate[], allowed: AllowedRegions, need: UnplacedNeed): string =>
  `Waiting for a runner: ${reason(runners, allowed, need)}.`;

function reason(runners: readonly Candidate[], { regions, refusedBy }: AllowedRegions, need: UnplacedNeed): string {
  if (refusedBy.length > 0) {
    const [first, ...others] = refusedBy;
    return others.length === 0
      ? `policy ${first} leaves no region`
      : `policies ${refusedBy.join(', ')} leave no region`;
  }
  if (runners.length === 0) return 'no runner is registered';
  const names = regions.map(({ name }) => name);
  const place = names.length === 1 ? `region ${names[0]}` : `regions ${names.join(', ')}`;
  const registered = runners.filter(({ region }) => names.includes(region));
  const up = registered.filter(({ status }) => status === 'up');
  if (up.length === 0) return `none in ${place} is connected`;
  const isolation = isolationFor(registered, need);
  const isolating = up.filter((runner) => runner.isolation.includes(isolation));
  if (isolating.length === 0 && isolation === 'runc')
    return `none in ${place} runs plain containers, which generation mk2 asks for`;
  if (isolating.length === 0 && registered.some((runner) => runner.isolation.includes(isolation)))
    return `those in ${place} that have gVisor are not connected`;
  if (isolating.length === 0)
    return `none in ${place} has gVisor, which placement.runcFor requires; the operator installs gVisor on a runner, or allows runc with placement.runcFor: everything`;
  if (need.task !== undefined && isolating.every(({ maxTasks = 0 }) => maxTasks === 0))
    return `none in ${place} runs tasks of jobs; the operator updates a runner, or sets its runner.maxTasks`;
  const free = isolating.filter((runner) => takesTask(runner, need));
  if (free.length === 0) return `each in ${place} already runs as many tasks as its runner.maxTasks allows`;
  const fitting = free.filter((runner) => hasRoom(runner, need));
  if (fitting.length > 0) {
    return `${fitting.length === 1 ? 'the only one' : 'each'} in ${place} that has ${need.reservedMb} MB free is short of memory or disk`;
  }
  return `none in ${place} has ${need.reservedMb} MB free${need.task === undefined ? '' : ' for tasks'}`;
}
