import { expect, test } from 'vitest';
import { RunnerConfig } from '../../config.ts';
import { refusalText, refusedIn } from './refused.ts';
import { outgoingLimits } from './ruleset.ts';

// Output format of nft 1.0.6.
const printed = (elements: string): string =>
  `{"nftables": [{"metainfo": {"version": "1.0.6", "json_schema_version": 1}}, {"map": {"family": "inet", "name": "refused", "type": "ipv4_addr", "map": "mark", "flags": ["timeout"]${elements}}}]}`;

test('addresses and their limits are parsed from the output of nft; an unknown number is ignored', () => {
  const elements =
    '[[{"elem": {"val": "100.96.0.2", "expires": 59}}, 1], [{"elem": {"val": "100.96.0.3", "expires": 1}}, 77]]';
  expect(refusedIn(printed(`, "elem": ${elements}`))).toEqual([{ address: '100.96.0.2', limit: 'newPerSecond' }]);
  expect(refusedIn(printed(''))).toEqual([]);
});

test('the message for every limit names its size, and its setting where there is one', () => {
  const limits = { ...RunnerConfig.shape.outgoing.parse({}), mbPerSecond: 50 };
  for (const limit of outgoingLimits) {
    const text = refusalText(limit, limits);
    expect(text).toContain(`more than ${limit === 'gatewayCalls' ? 200 : limits[limit]} `);
    if (limit !== 'gatewayCalls') expect(text).toContain(`(runner.outgoing.${limit})`);
  }
});
