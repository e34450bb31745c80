// Why an instance has no runner yet, for people.
import type { IsolationClass } from '@berth/contract';
import { type Candidate, hasRoom, isolationFor } from './place.ts';
import type { Allowed } from './policies.ts';

interface Unplaced {
  readonly isolation: IsolationClass;
  readonly reservedMb: number;
}

export const waitingMessage = (runners: readonly Candidate[], allowed: Allowed, need: Unplaced): string =>
  `Waiting for a runner: ${reason(runners, allowed, need)}.`;

function reason(runners: readonly Candidate[], { regions, refusedBy }: Allowed, need: Unplaced): string {
  if (refusedBy.length > 0) {
    const [first, ...others] = refusedBy;
    return others.length === 0
      ? `policy ${first} leaves no region`
      : `policies ${refusedBy.join(', ')} leave no region`;
  }
  if (runners.length === 0) return 'no runner is registered';
  const names = regions.map(({ name }) => name);
  const place = names.length === 1 ? `region ${names[0]}` : `regions ${names.join(', ')}`;
  const up = runners.filter(({ region, status }) => status === 'up' && names.includes(region));
  if (up.length === 0) return `none in ${place} is connected`;
  // Better isolation is given up where nobody has it, plain containers are not.
  if (need.isolation === 'runc' && !up.some(({ isolation }) => isolation.includes('runc'))) {
    return `none in ${place} runs plain containers, which generation mk2 asks for`;
  }
  const isolation = isolationFor(up, need.isolation);
  const fitting = up.filter((runner) => runner.isolation.includes(isolation) && hasRoom(runner, need.reservedMb));
  if (fitting.length > 0) {
    return `${fitting.length === 1 ? 'the only one' : 'each'} in ${place} that has ${need.reservedMb} MB free is short of memory or disk`;
  }
  return `none in ${place} has ${need.reservedMb} MB free`;
}
