// Who may speak to whom, as one nftables table. Pure: the wish goes in, the table's text comes out.

export interface TableWish {
  readonly bridge: string;
  readonly subnet: string;
  /** Where instances may ask for names: port 53 of these addresses. */
  readonly resolvers: readonly string[];
  /** Where instances reach the platform, on this machine or another. */
  readonly gateways: readonly { readonly address: string; readonly port: number }[];
}

/** Which workspace, as a number, an address belongs to. */
export type Members = ReadonlyMap<string, number>;

export const TABLE = 'inet berth';

// Not the internet: this network, private, shared, loopback, link-local (metadata of clouds), documentation, benchmarks,
// multicast and reserved (RFC 6890).
const CLOSED = [
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

/** New connections of one instance to gateways: what all tenants share must not be kept busy by one. Those beyond it wait. */
const CALLS = 'rate over 200/second burst 100 packets';

/** Filled by the kernel itself, with addresses that have called lately. */
export const CALLERS = 'callers';

/**
 * The whole table in one transaction that takes the place of whatever was there: at no moment is there none.
 *
 * - An address is looked up for every packet, not only for the first of a connection. So an address that changes hands
 *   inherits no connection, and one that is dismissed is silent at once. Only the workspace's number can be compared with
 *   the destination, so it travels in the packet's mark, which is cleared before anyone else could take it for theirs.
 * - Replies to this machine (probes, the gateway's requests) need no admission: the machine began.
 * - A drop is final; an accept only means that this table has nothing against it.
 */
export const tableText = ({ bridge, subnet, resolvers, gateways }: TableWish, members: Members): string => `
table ${TABLE} {}
delete table ${TABLE}
table ${TABLE} {
  map workspace_of {
    type ipv4_addr : mark
    ${elements([...members].map(([address, workspace]) => `${address} : ${workspace}`))}
  }
  set members {
    type mark . ipv4_addr
    ${elements([...members].map(([address, workspace]) => `${workspace} . ${address}`))}
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
    ${elements(CLOSED)}
  }
  set ${CALLERS} {
    type ipv4_addr
    flags dynamic
    timeout 1m
    size 65535
  }

  chain input {
    type filter hook input priority filter; policy accept
    iifname != "${bridge}" accept
    meta nfproto != ipv4 drop
    ct state established,related accept
    jump admitted
    meta mark set 0
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
    jump admitted
    oifname "${bridge}" meta mark . ip daddr @members meta mark set 0 accept
    oifname "${bridge}" drop
    meta mark set 0
    ct state established,related accept
    ct state invalid drop
    ip daddr @resolvers meta l4proto { tcp, udp } th dport 53 accept
    ip daddr . tcp dport @gateways goto to_gateways
    ip daddr @closed drop
    accept
  }

  chain to_gateways {
    ct state new update @${CALLERS} { ip saddr limit ${CALLS} } drop
    accept
  }

  chain to_instances {
    meta nfproto != ipv4 drop
    ct state established,related accept
    drop
  }

  chain admitted {
    meta mark set 0
    meta mark set ip saddr map @workspace_of
    meta mark 0 drop
  }

  chain postrouting {
    type nat hook postrouting priority srcnat; policy accept
    ip saddr ${subnet} oifname != "${bridge}" masquerade
  }
}
`;

export const addMember = (address: string, workspace: number): string =>
  `add element ${TABLE} workspace_of { ${address} : ${workspace} }
add element ${TABLE} members { ${workspace} . ${address} }
`;

export const deleteMember = (address: string, workspace: number): string =>
  `delete element ${TABLE} workspace_of { ${address} }
delete element ${TABLE} members { ${workspace} . ${address} }
`;

const elements = (values: readonly string[]): string =>
  values.length > 0 ? `elements = { ${values.join(', ')} }` : '';
