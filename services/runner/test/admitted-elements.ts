import type { Machine } from '../../../engines/fleet/machine.ts';
import { memberSets } from '../src/network/rules/members.ts';

interface Named {
  readonly name: string;
  readonly elem?: readonly unknown[];
}

/** Elements of the sets that hold the admitted addresses and their VPCs. */
export function admittedElements(machine: Machine): unknown[] {
  const listed: { nftables: { set?: Named; map?: Named }[] } = JSON.parse(
    machine.inside('nft', '-j', 'list', 'table', 'inet', 'berth'),
  );
  return listed.nftables
    .flatMap(({ set, map }) => [set, map])
    .filter((one) => one !== undefined && memberSets.some((name) => name === one.name))
    .flatMap((one) => one?.elem ?? []);
}
