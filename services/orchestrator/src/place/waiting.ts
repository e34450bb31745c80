// Why an instance has no runner yet, for people.
import type { Candidate } from './place.ts';
import type { Allowed } from './policies.ts';

export function waitingMessage(
  runners: readonly Candidate[],
  { regions, refusedBy }: Allowed,
  memoryMb: number,
): string {
  return `Waiting for a runner: ${reason(runners, { regions, refusedBy }, memoryMb)}.`;
}

function reason(runners: readonly Candidate[], { regions, refusedBy }: Allowed, memoryMb: number): string {
  if (refusedBy.length > 0) {
    return refusedBy.length === 1
      ? `policy ${refusedBy[0]} leaves no region`
      : `policies ${refusedBy.join(', ')} leave no region`;
  }
  const names = regions.map(({ name }) => name);
  const place = names.length === 1 ? `region ${names[0]}` : `regions ${names.join(', ')}`;
  if (runners.length === 0) return 'no runner is registered';
  if (!runners.some(({ region }) => names.includes(region))) return `no runner is up in ${place}`;
  return `none in ${place} has ${memoryMb} MB free`;
}
