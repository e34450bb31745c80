import { expect, test } from 'vitest';
import { RunnerConfig } from '../../config.ts';
import { outgoingLimits, type TableSpec, tableText } from './ruleset.ts';

const wish: TableSpec = {
  bridge: 'berth0',
  subnet: '100.96.0.0/16',
  resolvers: ['9.9.9.9'],
  gateways: [{ address: '192.0.2.1', port: 443 }],
  denied: [],
  outgoing: RunnerConfig.shape.outgoing.parse({}),
};

/** Rules of a chain, in their order. */
const rulesOf = (chain: string, other: Partial<TableSpec> = {}): string[] => {
  const [, body = ''] = tableText({ ...wish, ...other }, []).split(`chain ${chain} {`);
  const lines = body.slice(0, body.indexOf('\n  }')).split('\n');
  return lines.map((line) => line.trim()).filter((line) => line !== '');
};

test('the operator’s denied ranges and own addresses are closed; only gateways and resolvers precede them', () => {
  const denied = ['198.51.100.0/24', '203.0.113.7'];
  expect(tableText({ ...wish, denied }, [])).toContain(
    'set denied {\n    type ipv4_addr\n    flags interval\n    auto-merge\n    elements = { 198.51.100.0/24, 203.0.113.7 }',
  );
  const rules = rulesOf('from_instances', { denied });
  const before = rules.slice(0, rules.indexOf('ip daddr @denied drop'));
  expect(before.filter((rule) => /goto opened|goto to_gateways/.test(rule))).toEqual([
    'ip daddr @resolvers meta l4proto { tcp, udp } th dport 53 goto opened',
    'ip daddr . tcp dport @gateways goto to_gateways',
  ]);
});

test('every new connection is checked against the rate of its instance, then against its count', () => {
  expect(rulesOf('opened')).toEqual([
    'ct state new update @dialers { ip saddr limit rate over 200/second burst 400 packets } goto over_newPerSecond',
    'ct state new add @connections { ip saddr ct count over 4096 } goto over_connections',
    'accept',
  ]);
  for (const chain of ['from_instances', 'to_gateways']) expect(rulesOf(chain).at(-1)).toBe('goto opened');
});

test('mail leaves only where the operator opens its port, and bytes are limited only where the operator says so', () => {
  expect(rulesOf('from_instances')).toContain('tcp dport { 25 } drop');
  expect(rulesOf('from_instances').join()).not.toContain('@senders');
  const outgoing = { ...wish.outgoing, closedPorts: [], mbPerSecond: 50 };
  expect(rulesOf('from_instances', { outgoing }).join()).not.toContain('tcp dport {');
  expect(rulesOf('from_instances', { outgoing })).toContain(
    'update @senders { ip saddr limit rate over 50 mbytes/second burst 1 mbytes } goto over_mbPerSecond',
  );
});

test('an instance that meets a limit is recorded with the limit; its packet is dropped even if the record does not fit', () => {
  for (const [place, limit] of outgoingLimits.entries())
    expect(rulesOf(`over_${limit}`)).toEqual([`add @refused { ip saddr : ${place} }`, 'drop']);
});
