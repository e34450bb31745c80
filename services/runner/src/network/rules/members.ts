// Admitted addresses, as elements of the table's sets. The table compares numbers, not names, so each VPC has a
// number. A number has a meaning only together with the elements in the table, so every run of the runner assigns new
// numbers.
import type { Membership, PeerPort } from './membership.ts';

export const memberSets = ['admitted', 'vpc_of', 'vpc_members', 'vpc_ports'] as const;

export interface Element {
  readonly set: (typeof memberSets)[number];
  readonly key: string;
  /** Value of an element of a map. */
  readonly value?: number;
}

export class Members {
  readonly #numbers = new Map<string, number>();
  readonly #memberships = new Map<string, Membership>();
  #last = 0;

  /** Elements of all admitted addresses. */
  get elements(): Element[] {
    return [...this.#memberships.keys()].flatMap((address) => this.elementsOf(address));
  }

  elementsOf(address: string): Element[] {
    const membership = this.#memberships.get(address);
    if (membership === undefined) return [];
    const vpc = vpcKey(membership);
    return [
      { set: 'admitted', key: address },
      ...(vpc === undefined ? [] : peerElements(address, this.#numberFor(vpc), membership.vpc?.ports ?? [])),
    ];
  }

  /** An address has one membership: the last one it was given. */
  add(address: string, membership: Membership): void {
    const before = this.#memberships.get(address);
    this.#memberships.set(address, membership);
    this.#forgetUnused(before);
  }

  remove(address: string): void {
    const before = this.#memberships.get(address);
    this.#memberships.delete(address);
    this.#forgetUnused(before);
  }

  #forgetUnused(membership: Membership | undefined): void {
    const vpc = membership && vpcKey(membership);
    if (vpc === undefined) return;
    const isUsed = [...this.#memberships.values()].some((each) => vpcKey(each) === vpc);
    if (!isUsed) this.#numbers.delete(vpc);
  }

  #numberFor(vpc: string): number {
    const known = this.#numbers.get(vpc);
    if (known !== undefined) return known;
    // Zero stands for no VPC.
    this.#last += 1;
    this.#numbers.set(vpc, this.#last);
    return this.#last;
  }
}

/** The key contains the workspace, because two workspaces may give their VPCs the same name. */
const vpcKey = ({ workspaceId, vpc }: Membership): string | undefined =>
  vpc === undefined ? undefined : JSON.stringify([workspaceId, vpc.name]);

function peerElements(address: string, vpc: number, ports: readonly PeerPort[]): Element[] {
  const keys = new Set(ports.map(({ protocol, port }) => `${vpc} . ${address} . ${protocol} . ${port}`));
  return [
    { set: 'vpc_of', key: address, value: vpc },
    { set: 'vpc_members', key: `${vpc} . ${address}` },
    ...[...keys].map((key) => ({ set: 'vpc_ports', key }) as const),
  ];
}
