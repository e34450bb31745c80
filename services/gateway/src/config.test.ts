import { expect, test } from 'vitest';
import { GatewayConfig } from './config.ts';

test('the gateway starts without any settings', () => {
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

test.each(['run.example.org', 'localhost', 'Run.Example.org.', '10.0.0.1', '::1', '[fd00::1]'])(
  '%s may be a host of the gateway',
  (host) => {
    expect(GatewayConfig.parse({ hosts: [host] }).hosts).toEqual([host]);
  },
);

test.each(['', 'run.example.org:8090', 'https://run.example.org', 'run.example.org/x', '[::1]:8090', '*.example.org'])(
  '%j is none, and the message says what is expected',
  (host) => {
    expect(GatewayConfig.safeParse({ hosts: [host] }).error?.message).toContain('without a scheme, a port or a path');
  },
);
