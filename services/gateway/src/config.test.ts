import { expect, test } from 'vitest';
import { GatewayConfig } from './config.ts';

test('a first start needs no settings', () => {
  expect(GatewayConfig.parse({})).toMatchObject({
    port: 8090,
    limits: { jsonBytes: 67_108_864 },
    timeouts: { totalSeconds: 900 },
  });
});

test.each(['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/8', '0.0.0.0/0'])('%s may be a trusted proxy', (range) => {
  expect(GatewayConfig.parse({ trustedProxies: [range] }).trustedProxies).toEqual([range]);
});

test.each(['', 'edge', '10.0.0.0/33', '10.0.0.0/', '10.0.0.0/8/8', '::1/129', '10.0.0.0/-1'])('%j may not', (range) => {
  expect(GatewayConfig.safeParse({ trustedProxies: [range] }).success).toBe(false);
});
