import { expect, test } from 'vitest';
import { hasDefaultRoute } from './restore-address.ts';

const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n';
const local = 'eth0\t00006064\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n';
const byDefault = 'eth0\t00000000\t01006064\t0003\t0\t0\t0\t00000000\t0\t0\t0\n';

test('a namespace whose address was taken has no default route', () => {
  expect(hasDefaultRoute(head)).toBe(false);
  expect(hasDefaultRoute(head + local)).toBe(false);
  expect(hasDefaultRoute(head + byDefault + local)).toBe(true);
});
