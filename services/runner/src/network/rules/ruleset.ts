// Rules for the traffic of instances, as one nftables table. Pure: takes a `TableSpec`, returns the table's text.
import type { Element, memberSets } from './members.ts';

export interface TableSpec {
  readonly bridge: string;
  readonly subnet: string;
  /** DNS resolvers that instances may use: port 53 of these addresses. */
  readonly resolvers: readonly string[];
  /** Addresses at which instances reach the platform, on this machine or another. */
  readonly gateways: readonly { readonly address: string; readonly port: number }[];
  /** Addresses and ranges of the operator that are closed beside `closedRanges`; they may be anywhere. */
  readonly denied: readonly string[];
  readonly outgoing: OutgoingLimits;
}

/**
 * Limits on what one instance may send. Connections of all instances share one table of the kernel, and the
 * operator's address.
 */
export interface OutgoingLimits {
  /** Connections at a time, as the kernel tracks them. */
  readonly connections: number;
  readonly newPerSecond: number;
  readonly dnsPerSecond: number;
  /** TCP ports that no instance reaches outside. */
  readonly closedPorts: readonly number[];
  /** Megabytes per second to other machines; unlimited when undefined. */
  readonly mbPerSecond?: number | undefined;
}

export const tableName = 'inet berth';

// Ranges that are not the internet: this network, private, shared, loopback, link-local (metadata of clouds),
// documentation, benchmarks, multicast and reserved (RFC 6890).
export const closedRanges: readonly string[] = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
];

/**
 * Limit on new connections of one instance to gateways: all tenants share the gateways, and one must not keep them
 * busy. Connections beyond the limit are dropped, so they wait until the client tries again.
 */
const gatewayCallLimit = 'limit rate over 200/second burst 100 packets';

/** Sets that the kernel fills itself, with addresses of instances that have sent something recently. */
export const kernelSets = ['callers', 'dialers', 'askers', 'senders', 'connections', 'refused'] as const;

/** Limits that an instance may hit. The map `refused` holds the index of a limit in this list for each address. */
export const outgoingLimits = ['gatewayCalls', 'newPerSecond', 'connections', 'dnsPerSecond', 'mbPerSecond'] as const;
export type OutgoingLimit = (typeof outgoingLimits)[number];

/** Allows twice the rate in a burst: a page or a build opens many connections at once. */
const packetsOver = (perSecond: number): string => `limit rate over ${perSecond}/second burst ${2 * perSecond} packets`;
/** Besides this burst, the kernel lets a second's worth pass at once. */
const bytesOver = (mb: number): string => `limit rate over ${mb} mbytes/second burst 1 mbytes`;

/**
 * Text of the whole table, as one transaction that replaces the previous table: at no moment is there none.
 *
 * - Addresses are looked up for every packet, not only for the first of a connection. So a reassigned address
 *   inherits no connection, and a dismissed address is cut off at once.
 * - Instances reach each other only within a VPC, and there only on declared ports. Answers are matched by the port
 *   they come from. Only a number can be compared with both ends of a packet, so the VPC's number travels in the
 *   packet's mark, which is cleared before another program could take it for its own.
 * - Replies to this machine (probes, the gateway's requests) need no admission, because the machine began the
 *   connection. So the machine reaches every port of an instance, including the guest's, which no instance reaches.
 * - Limits hold for each source address by itself, so that a flood from one instance does not stop others. Packets of
 *   a flow without an answer stay `new` to the kernel, so a flood of UDP in one direction is held to the rate of new
 *   connections. The rate is checked before the count, because counting takes longer the more connections there are.
 * - An address that hits a limit is recorded in `refused` for a minute, so that the instance can be notified of the
 *   limit. The drop is a separate rule: it must not depend on whether there was room for the record.
 * - A drop is final; an accept only means that this table has no objection.
 */
export const tableText = (wish: TableSpec, members: readonly Element[]): string => {
  const { bridge, subnet, resolvers, gateways, denied, outgoing } = wish;
  return `
table ${tableName} {}
delete table ${tableName}
table ${tableName} {
  set admitted {
    type ipv4_addr
    ${elementsOf('admitted', members)}
  }
  map vpc_of {
    type ipv4_addr : mark
    ${elementsOf('vpc_of', members)}
  }
  set vpc_members {
    type mark . ipv4_addr
    ${elementsOf('vpc_members', members)}
  }
  set vpc_ports {
    type mark . ipv4_addr . inet_proto . inet_service
    ${elementsOf('vpc_ports', members)}
  }
  set gateways {
    type ipv4_addr . inet_service
    ${elements(gateways.map(({ address, port }) => `${address} . ${port}`))}
  }
  set resolvers {
    type ipv4_addr
    ${elements(resolvers)}
  }
  set closed {
    type ipv4_addr
    flags interval
    ${elements(closedRanges)}
  }
  set denied {
    type ipv4_addr
    flags interval
    auto-merge
    ${elements(denied)}
  }
  ${['callers', 'dialers', 'askers', 'senders'].map(limitedSet).join('\n  ')}
  set connections {
    type ipv4_addr
    flags dynamic
    size 65535
  }
  map refused { type ipv4_addr : mark; flags dynamic; timeout 1m; size 65535; }

  ${outgoingLimits.map(refusal).join('\n  ')}

  chain input {
    type filter hook input priority filter; policy accept
    iifname != "${bridge}" accept
    meta nfproto != ipv4 drop
    ct state established,related accept
    ip saddr != @admitted drop
    ip daddr . tcp dport @gateways goto to_gateways
    drop
  }

  chain forward {
    type filter hook forward priority filter; policy accept
    iifname "${bridge}" goto from_instances
    oifname "${bridge}" goto to_instances
  }

  chain from_instances {
    meta nfproto != ipv4 drop
    ip saddr != @admitted drop
    oifname "${bridge}" goto to_peers
    ${outgoing.mbPerSecond === undefined ? '' : `update @senders { ip saddr ${bytesOver(outgoing.mbPerSecond)} } goto over_mbPerSecond`}
    ip daddr @resolvers udp dport 53 update @askers { ip saddr ${packetsOver(outgoing.dnsPerSecond)} } goto over_dnsPerSecond
    ct state established,related accept
    ct state invalid drop
    ip daddr @resolvers meta l4proto { tcp, udp } th dport 53 goto opened
    ip daddr . tcp dport @gateways goto to_gateways
    ip daddr @closed drop
    ip daddr @denied drop
    ${outgoing.closedPorts.length === 0 ? '' : `tcp dport { ${outgoing.closedPorts.join(', ')} } drop`}
    goto opened
  }

  chain to_peers {
    meta mark set 0
    meta mark set ip saddr map @vpc_of
    meta mark 0 drop
    ct direction original meta mark . ip daddr . meta l4proto . th dport @vpc_ports meta mark set 0 goto opened
    ct direction reply meta mark . ip daddr @vpc_members meta mark . ip saddr . meta l4proto . th sport @vpc_ports meta mark set 0 accept
    drop
  }

  chain to_gateways {
    ct state new update @callers { ip saddr ${gatewayCallLimit} } goto over_gatewayCalls
    goto opened
  }

  chain opened {
    ct state new update @dialers { ip saddr ${packetsOver(outgoing.newPerSecond)} } goto over_newPerSecond
    ct state new add @connections { ip saddr ct count over ${outgoing.connections} } goto over_connections
    accept
  }

  chain to_instances {
    meta nfproto != ipv4 drop
    ct state established,related accept
    drop
  }

  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept
    ip saddr ${subnet} oifname != "${bridge}" masquerade
  }
}
`;
};

const refusal = (limit: OutgoingLimit, place: number): string => `chain over_${limit} {
    add @refused { ip saddr : ${place} }
    drop
  }`;

const limitedSet = (name: string): string => `set ${name} { type ipv4_addr; flags dynamic; timeout 1m; size 65535; }`;

/** nft commands that turn the elements `before` into `after`. */
export function changeText(before: readonly Element[], after: readonly Element[]): string {
  const [old, wanted] = [new Set(before.map(elementText)), new Set(after.map(elementText))];
  const gone = before.filter((element) => !wanted.has(elementText(element)));
  const added = after.filter((element) => !old.has(elementText(element)));
  return [
    ...gone.map(({ set, key }) => `delete element ${tableName} ${set} { ${key} }\n`),
    ...added.map((element) => `add element ${tableName} ${element.set} { ${valueText(element)} }\n`),
  ].join('');
}

const valueText = ({ key, value }: Element): string => (value === undefined ? key : `${key} : ${value}`);

/** Text that is the same only for the same element. */
export const elementText = (element: Element): string => `${element.set} ${valueText(element)}`;

const elementsOf = (name: (typeof memberSets)[number], members: readonly Element[]): string =>
  elements(members.filter(({ set }) => set === name).map(valueText));

const elements = (values: readonly string[]): string =>
  values.length > 0 ? `elements = { ${values.join(', ')} }` : '';
